// Intent: names are canonical, the same from every unit; one place with two template arguments is two
// types; local, anonymous and closure types carry what tells them apart, two on a line too.
// RUN: %table %s
// UNIT: types/names.cpp
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Inputs/types/names.h"
#include <functional>

static void *volatile Sink;
template <typename T> __attribute__((noinline)) T *keep(T *pointer) { Sink = pointer; return pointer; }
template <typename T> __attribute__((noinline)) void same_place() { keep(new Box<T>); }
template <typename T> void inlined_place() { keep(new Pair<T, T>); }
template <typename T> void local() { struct Local { T value; }; keep(new Local); }
namespace { struct Hidden { int n[3]; }; }
namespace outer { inline namespace v2 { struct Versioned { int n; }; } }
#define TWO(first, second) (keep(new first), keep(new second))

struct M1 { int n[21]; };
struct M2 { int n[23]; };
void other_unit();
std::function<int()> from_other_unit();
std::function<int()> functions[3];

int main() {
  same_place<int>(), same_place<double>(), same_place<Box<int>>();
  inlined_place<char>(), inlined_place<long>();
  local<int>(), local<short>();
  keep(new Hidden);
  keep(new outer::Versioned);
  keep(new Shared);
  keep(new Alias);
  other_unit();
  TWO(M1, M2);
  TWO(M1, M1);
  int a[9] = {1}, b[11] = {2};
  // Two closures on one line, of one signature:
  functions[0] = [a] { return a[0]; }; functions[1] = [b] { return b[0]; };
  functions[2] = from_other_unit();
  keep(new (int (*[2])(const char *)));
  return functions[0]() + functions[1]() - 3;
}
// EXPECT: types["Box<int>"].allocations == 1 and types["Box<double>"].allocations == 1 and types["Box<Box<int>>"].allocations == 1
// EXPECT: {(types[name].sites[0].line, types[name].sites[0].column) for name in ("Box<int>", "Box<double>")} == {(11, 74)}
// EXPECT: types["Pair<char, char>"].allocations == 1 and types["Pair<long, long>"].allocations == 1
// EXPECT: types["local<int>()::Local"].size == 4 and types["local<short>()::Local"].size == 2
// EXPECT: sorted((row.size, row.allocations) for row in typed if row.type == "(anonymous namespace)::Hidden") == [(12, 1), (20, 1)]
// EXPECT: types["M1"].allocations == 3 and types["M2"].allocations == 1
// EXPECT: types["outer::Versioned"].allocations == 1
// EXPECT: types["Shared"].allocations == 2 and types["Pair<int, Shared>"].allocations == 2
// EXPECT: sorted(row.size for row in typed if "/names.cpp:37:" in row.type and row.allocations == 1) == [36, 44]
// EXPECT: len({row.type for row in typed if "/names.cpp:37:" in row.type}) == 2
// EXPECT: [row.size for row in typed if row.type.startswith("(lambda at ") and "Inputs/types/names.cpp" in row.type] == [28]
// EXPECT: types["int (*)(const char *)"].elements == 2 and not untyped
// ALONE(no -g): not [row.type for row in typed if "<" in row.type or "lambda" in row.type]
// ALONE(-g): types["Shared"].allocations == 2
