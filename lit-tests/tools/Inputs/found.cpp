// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of many kinds, a line each, for found_types.py.
#include <any>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <stdlib.h>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {
struct Hidden {
  long Values[4];
};
} // namespace
namespace outer {
inline namespace v1 {
struct Shape {
  virtual ~Shape() = default;
  int Id = 1;
};
} // namespace v1
struct Circle : Shape {
  std::string Name;
  explicit Circle(const char *Text) : Name(Text) {}
};
struct Same : Shape {
  long More[3] = {};
};
} // namespace outer
struct Plain {
  int A, B, C;
};
struct Linked {
  Linked *Next;
  int Value;
};
enum class Colour { Red, Green };
template <class T, Colour C> struct Tagged {
  T Value;
};
Linked *Head;
Plain *Global;
std::vector<std::unique_ptr<outer::Shape>> Shapes;

__attribute__((noinline)) void push(int Value) {
  auto *N = static_cast<Linked *>(malloc(sizeof(Linked)));
  N->Next = Head;
  N->Value = Value;
  Head = N;
}
__attribute__((noinline)) Plain *make() {
  return new Plain();
}
// Code that is not optimized has the variables of a realigned frame by its
// stack pointer, and the frame address by its frame pointer.
__attribute__((noinline)) int realigned(int Count) {
  alignas(64) int Sums[16] = {Count};
  Plain *Local = static_cast<Plain *>(malloc(sizeof(Plain)));
  Local->A = Count;
  asm volatile("" : : "r"(Local) : "memory");
  Sums[Count & 15] += Local->A;
  const int Sum = Sums[0];
  free(Local);
  return Sum;
}

// The place of a variable ends before the last use of its register.
struct Visit {
  int Left;
  double *Results;
  double Result;
};
struct Walker {
  virtual ~Walker() = default;
  virtual bool enter(int Depth) { return Depth > 0; }
  double walk(int Depth);
  std::deque<Visit> Stack;
};
[[gnu::noinline]] double Walker::walk(int Depth) {
  Stack.push_back({Depth, nullptr, 0});
  for (;;) {
    Visit *V = &Stack.back();
    const int Left = V->Left;
    if (enter(Left)) {
      V->Results = nullptr;
      if (Left == 1)
        V->Results = &V->Result;
      else if (Left > 1)
        V->Results = new double[Left];
      Stack.push_back({Left - 1, nullptr, 0});
      continue;
    }
    double Sum = 0;
    for (; !Stack.empty(); Stack.pop_back())
      if (Stack.back().Left > 1) {
        Sum += Stack.back().Left;
        delete[] Stack.back().Results;
      }
    return Sum;
  }
}
// A lambda that becomes a function: gcc has its entry inside of this one's.
static double *Kept;
double *volatile LastKept;
[[gnu::noinline]] static void callOnce(void (*Function)()) { Function(); }
[[gnu::noinline]] static void keepByLambda() {
  callOnce([] { Kept = static_cast<double *>(malloc(8 * sizeof *Kept)); });
}

int main(int Count, char **Words) {
  std::map<int, Hidden> Map;
  for (int I = 0; I < 30 * Count; ++I)
    Map[I].Values[0] = I;
  std::vector<Plain> Vector;
  for (int I = 0; I < 20 * Count; ++I)
    Vector.push_back({I, I, I});
  std::vector<std::string> Strings;
  for (int I = 0; I < 20 * Count; ++I)
    Strings.emplace_back(Words[0]);
  for (int I = 0; I < 10 * Count; ++I)
    Shapes.push_back(std::make_unique<outer::Circle>("x"));
  auto Ordered = std::make_unique<std::map<std::string, Plain, std::less<>>>();
  for (int I = 0; I < 5 * Count; ++I)
    (*Ordered)[std::string(1, static_cast<char>('a' + I))].A = I;
  auto Shared = std::make_shared<Plain>();
  std::shared_ptr<Plain> Given(new Plain);
  std::unordered_map<long, int> Table;
  for (int I = 0; I < 30 * Count; ++I)
    Table[I] = I;
  std::any Any = Tagged<std::vector<int>, Colour::Green>();
  std::list<Tagged<int, Colour::Green>> List;
  List.push_back({Count});
  std::deque<double> Deque;
  for (int I = 0; I < 300 * Count; ++I)
    Deque.push_back(I);
  std::set<const Plain *> Set;
  Set.insert(Shared.get());
  for (int I = 0; I < 20 * Count; ++I)
    push(realigned(I));
  Plain *Made = make();
  outer::Shape *Round = new outer::Circle("y");
  outer::Shape *Other = new outer::Same;
  int *Numbers = new int[100 * Count];
  Plain **Pointers = new Plain *[10 * Count];
  Plain *Array = new Plain[5 * Count];
  Global = static_cast<Plain *>(calloc(1, sizeof(Plain)));
  Numbers[5] = Count;
  Walker Walks;
  for (int I = 0; I < 4; ++I)
    Numbers[6] = static_cast<int>(Walks.walk(8 + Count));
  for (int I = 0; I < 25; ++I)
    keepByLambda(), LastKept = Kept;
  Pointers[0] = Array;
  int Sum = Numbers[5] + Pointers[0]->A + Made->A + Round->Id + Other->Id + Global->A + Given->A + static_cast<int>(Table.size());
  try {
    throw std::out_of_range("far");
  } catch (const std::exception &E) {
    Sum += E.what()[0] == 'f';
  }
  delete Made;
  delete Round;
  delete Other;
  delete[] Numbers;
  delete[] Pointers;
  delete[] Array;
  return Sum == 0;
}
