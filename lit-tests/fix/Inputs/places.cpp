// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rule's expression in every place that such an expression may be in: an edit there compiles and prints the same,
// or there is none.
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <stack>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

static unsigned long Allocations;
void *operator new(std::size_t Size) {
  ++Allocations;
  return std::malloc(Size);
}
void operator delete(void *P) noexcept { std::free(P); }
void operator delete(void *P, std::size_t) noexcept { std::free(P); }

struct Data {
  int A[3] = {1, 2, 3};
  Data() = default;
  explicit Data(int First) { A[0] = First; }
  int sum() const { return A[0] + A[1] + A[2]; }
};
using Owner = std::shared_ptr<Data>;

// Initialisers of members, in parentheses and braces.
struct InParens {
  InParens() : P(new Data) {} // finding: shared-ptr-new -> fix: make_shared
  Owner P;
};
struct InBraces {
  InBraces() : P{new Data(7)} {} // finding: shared-ptr-new -> fix: make_shared
  Owner P;
};
struct InCast {
  InCast() : P(std::shared_ptr<Data>(new Data)) {} // finding: shared-ptr-new -> fix: make_shared
  Owner P;
};
struct InBracedCast {
  InBracedCast() : P{std::shared_ptr<Data>{new Data}} {} // finding: shared-ptr-new -> fix: make_shared
  Owner P;
};
struct Base {
  explicit Base(Owner Of) : P(std::move(Of)) {}
  Owner P;
};
struct OfBase : Base {
  OfBase() : Base(std::shared_ptr<Data>(new Data(4))) {} // finding: shared-ptr-new -> fix: make_shared
};
struct IsPointer : std::shared_ptr<Data> {
  IsPointer() : std::shared_ptr<Data>(new Data(5)) {} // finding: shared-ptr-new -> fix: make_shared
};
struct Delegates : Base {
  explicit Delegates(Owner Of) : Base(std::move(Of)) {}
  Delegates() : Delegates(Owner(new Data(6))) {} // finding: shared-ptr-new -> fix: make_shared
};

// Default member initialisers and parameters.
struct DefaultBraces {
  Owner P{new Data}; // finding: shared-ptr-new -> fix: make_shared
};
struct DefaultCast {
  Owner P = std::shared_ptr<Data>(new Data(2)); // finding: shared-ptr-new -> fix: make_shared
};
static int byDefault(Owner P = Owner(new Data(8))) { return P->sum(); } // finding: shared-ptr-new -> fix: make_shared

// Class templates, members and functions of them.
template <typename T> struct Holder {
  std::shared_ptr<T> P{new T}; // finding: shared-ptr-new -> template
  Owner Q{new Data(9)}; // finding: shared-ptr-new -> template
};
template <typename T> std::shared_ptr<T> made() {
  return std::shared_ptr<T>(new T); // finding: shared-ptr-new -> template
}

// A macro's text.
#define MAKE(T) std::shared_ptr<T>(new T)
static int byMacro() {
  Owner P = MAKE(Data); // finding: shared-ptr-new -> macro
  return P->sum();
}

static Owner Global(new Data(11)); // finding: shared-ptr-new -> fix: make_shared
static int Twice(Owner A, int Of) { return A->sum() * Of; }
struct Class {
  static Owner Shared;
};
Owner Class::Shared{new Data(12)}; // finding: shared-ptr-new -> fix: make_shared

static Owner returned(bool Which) {
  if (Which)
    return Owner{new Data(13)}; // finding: shared-ptr-new -> fix: make_shared
  return Which ? nullptr : std::shared_ptr<Data>(new Data(14)); // finding: shared-ptr-new -> fix: make_shared
}

struct Wider : Data {
  int More = 5;
};

static int expressions() {
  int Sum = 0;
  if (Owner P{new Data(15)}) // finding: shared-ptr-new -> fix: make_shared
    Sum += P->sum();
  if (Owner P(new Data(16)); P->A[0] == 16) // finding: shared-ptr-new -> fix: make_shared
    Sum += P->sum();
  const auto ByLambda = [] { return Owner(new Data(17)); }; // finding: shared-ptr-new -> fix: make_shared
  Sum += ByLambda()->sum();
  const auto Captured = [P = Owner(new Data(18))] { return P->sum(); }; // finding: shared-ptr-new -> fix: make_shared
  Sum += Captured();
  const auto Direct = [P(std::shared_ptr<Data>(new Data(19)))] { return P->sum(); }; // finding: shared-ptr-new -> fix: make_shared
  Sum += Direct();
  Sum += Twice(Owner(new Data(20)), 2); // finding: shared-ptr-new -> fix: make_shared
  Sum += static_cast<Owner>(new Data(21))->sum(); // finding: shared-ptr-new -> fix: make_shared
  Sum += ((Owner) new Data(22))->sum(); // finding: shared-ptr-new -> fix: make_shared
  const std::unique_ptr<Owner> Of(new Owner(new Data(23))); // finding: shared-ptr-new -> fix: make_shared
  Of->reset(new Data(24)); // finding: shared-ptr-new -> the result of a call
  Owner *Raw = Of.get();
  Raw->reset(new Data(25)); // finding: shared-ptr-new -> fix: make_shared
  Sum += (*Of)->sum();
  Owner Local, Other(new Data(26)), Third; // finding: shared-ptr-new -> fix: make_shared
  if (Sum > 0)
    Local.reset(new Data(27)); // finding: shared-ptr-new -> fix: make_shared
  else
    Local.reset(new Data()); // finding: shared-ptr-new -> fix: make_shared
  Sum += Local->sum() + Other->sum();
  const std::vector<Owner> All = {Owner(new Data(28)), // finding: shared-ptr-new -> fix: make_shared
                                  Owner(new Data(29))}; // finding: shared-ptr-new -> fix: make_shared
  Sum += All[0]->sum() + All[1]->sum();
  Owner Wide(new Wider); // finding: shared-ptr-new -> fix: make_shared
  Sum += Wide->sum() + std::shared_ptr<Data>(new Wider)->sum(); // finding: shared-ptr-new -> fix: make_shared
  std::shared_ptr<const Data> Constant(new const Data(30)); // finding: shared-ptr-new -> fix: make_shared
  Sum += Constant->sum();
  auto Deduced = std::shared_ptr<Data>(new auto(Data(31))); // finding: shared-ptr-new -> braces
  Sum += Deduced->sum();
  std::pair<Owner, int> Pair(Owner(new Data(32)), 3); // finding: shared-ptr-new -> fix: make_shared
  Sum += Pair.first->sum();
  Owner Both = Owner(new Data(33)), And(new Data(34)); // finding: shared-ptr-new -> several pointers
  static const Owner Static(new struct Data(35)); // finding: shared-ptr-new -> fix: make_shared
  return Sum + Both->sum() + And->sum() + Static->sum();
}

// Growth where no statement is: the call is part of an initialiser.
struct Filled {
  std::vector<int> Of;
  int Size;
  explicit Filled(int I) : Size((Of.push_back(I), 1)) {} // finding: vector-regrowth=64 -> no
  int Later = (Of.push_back(3), 2); // finding: vector-regrowth=64 -> no
};
static std::vector<int> Everything;
static int Counted = (Everything.push_back(1), 1); // finding: vector-regrowth=64 -> no
static int added(std::vector<int> &To, int I = (Everything.push_back(4), 1)) { // finding: vector-regrowth=64 -> no
  To.push_back(I); // finding: vector-regrowth=64 -> fix: To.reserve(64) when
  return I > 2 ? (To.push_back(2), 1) : 0; // finding: vector-regrowth=64 -> condition
}
static auto Adds = [](std::vector<int> &To) { To.push_back(5); }; // finding: vector-regrowth=64 -> fix: To.reserve(64) when
static void inTry(std::vector<int> &To) try { // the body is no block of its own
  To.push_back(6); // finding: vector-regrowth=64 -> fix: To.reserve(64) when
} catch (...) {
  To.push_back(7); // finding: vector-regrowth=64 -> fix: To.reserve(64) when
}
static void inSwitch(std::vector<int> &To, int I) {
  switch (I) {
  case 1:
    To.push_back(8); // finding: vector-regrowth=64 -> fix: To.reserve(64) when
    break;
  default:
    To.push_back(9); // finding: vector-regrowth=64 -> fix: To.reserve(64) when
  }
  do
    To.push_back(I); // finding: vector-regrowth=64 -> fix: To.reserve(64) when
  while (--I > 0);
}

// Two edits of one kind in one function each need a variable.
static std::size_t printed(const std::string &Text) { return Text.size(); }
static std::size_t joined(const std::vector<std::string> &All, const std::string &Last) {
  std::size_t Sum = 0;
  for (const std::string &One : All) {
    Sum += printed(One + " is before " + Last); // finding: temporary -> fix: Joined
    Sum += printed(Last + " is behind " + One); // finding: temporary -> is this one's, too
  }
  return Sum;
}

// A container in each place of a function.
static int stacks(int N) {
  std::stack<int> A; // finding: short-deque -> fix: A over a vector
  int Sum = 0;
  for (std::stack<int> B; N > 0; --N) { // finding: short-deque -> no
    B.push(N);
    A.push(N);
    Sum += B.top() + A.top();
  }
  const auto In = [](int I) {
    std::stack<int> C; // finding: short-deque -> fix: C over a vector
    C.push(I);
    return C.top();
  };
  return Sum + In(N);
}

int main() {
  long Sum = InParens().P->sum() + InBraces().P->sum() + InCast().P->sum() + InBracedCast().P->sum();
  Sum += OfBase().P->sum() + IsPointer()->sum() + Delegates().P->sum() + DefaultBraces().P->sum() + DefaultCast().P->sum();
  Sum += byDefault() + Holder<Data>().P->sum() + Holder<int>().Q->sum() + made<Data>()->sum() + byMacro();
  Sum += Global->sum() + Class::Shared->sum() + returned(true)->sum() + returned(false)->sum() + expressions();
  Filled F(1);
  Sum += F.Of[0] + F.Size + F.Later + Counted;
  std::vector<int> To;
  Sum += added(To) + added(To, 3);
  Adds(To);
  inTry(To);
  inSwitch(To, 1);
  inSwitch(To, 3);
  for (const int I : To)
    Sum += I;
  Sum += static_cast<long>(joined({"a name that is not short enough", "another name that is long"}, "the last of all"));
  Sum += stacks(5);
  std::printf("%ld\n", Sum);
  std::fprintf(stderr, "%lu\n", Allocations);
}
