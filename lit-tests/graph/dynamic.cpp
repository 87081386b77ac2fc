// Intent: an object known by its base is taken for what it is: in a block by its site, elsewhere by its vtable; by pointer and by reference.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 %s -o %t
// RUN: env INMEM_OPTIONS=output=%t.inmem %t
#include <inmem/graph.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

static int Failures = 0;
static void same(const char *What, std::uint64_t Found, std::uint64_t Expected) {
  if (Found == Expected)
    return;
  ++Failures;
  std::printf("%s: %llu, not %llu\n", What, (unsigned long long)Found,
              (unsigned long long)Expected);
}

struct Other {
  virtual ~Other() = default;
  long Pad = 0;
};
struct Base {
  virtual ~Base() = default;
};
struct Plain : Base {
  std::vector<int> Numbers = std::vector<int>(100);
};
template <class T> struct Made : Base {
  std::vector<T> Numbers = std::vector<T>(100);
};
struct Second : Other, Base {
  std::vector<int> Numbers = std::vector<int>(100);
};
namespace {
struct Hidden : Base {
  std::vector<int> Numbers = std::vector<int>(100);
};
} // namespace
namespace named {
namespace {
struct Hidden : Base {
  std::vector<int> Numbers = std::vector<int>(10);
};
} // namespace
} // namespace named
namespace named {
template <class T> struct Outer {
  struct Inner : Base {
    std::vector<T> Numbers = std::vector<T>(100);
  };
};
template <class T> struct Behind : Other, Made<T> {};
} // namespace named
inline auto inFunction() {
  struct Local : Base {
    std::vector<int> Numbers = std::vector<int>(100);
  };
  return Local();
}
struct WithMember : Base {
  Base Member;
  std::vector<int> Numbers = std::vector<int>(100);
};

template <class T> static void allocated(const char *What) {
  auto Whole = std::make_unique<T>();
  const std::uint64_t Bytes = inmem::deepSize(*Whole);
  const Base &Reference = *Whole;
  same(What, inmem::deepSize(Reference), Bytes);
  std::unique_ptr<Base> Pointer = std::move(Whole);
  same(What, inmem::deepSize(Pointer), sizeof Pointer + Bytes);
  std::unique_ptr<T[]> Several(new T[3]);
  const Base &Last = Several[2];
  same(What, inmem::profile(Last).root().shell().size(), sizeof(T));
}
template <class T> static void global(const char *What) {
  static T Whole;
  const std::uint64_t Bytes = inmem::deepSize(Whole);
  const Base &Reference = Whole;
  same(What, inmem::deepSize(Reference), Bytes);
  static Base *Pointer;
  Pointer = &Whole;
  same(What, inmem::deepSize(Pointer), sizeof Pointer + Bytes);
}

int main() {
  allocated<Plain>("allocated");
  allocated<Made<long>>("allocated, of a template");
  allocated<Second>("allocated, a second base");
  allocated<Hidden>("allocated, unnamed namespace");
  global<Plain>("global");
  global<Second>("global, a second base");
  global<Hidden>("global, unnamed namespace");
  global<named::Hidden>("global, unnamed namespace in another");
  global<Made<long>>("global, of a template");
  global<Made<std::string>>("global, of a template with a template");
  global<named::Outer<int>::Inner>("global, in a template");
  global<named::Behind<double>>("global, of a template, a second base");
  global<decltype(inFunction())>("global, of an inline function");
  {
    Made<short> OnStack;
    const Base &Reference = OnStack;
    same("on the stack, of a template", inmem::deepSize(Reference), inmem::deepSize(OnStack));
  }
  // A member is no base.
  auto Outer = std::make_unique<WithMember>();
  same("member", inmem::deepSize(Outer->Member), sizeof(Base));
  return Failures != 0;
}
