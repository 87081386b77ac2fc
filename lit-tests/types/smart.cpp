// Intent: make_unique, make_shared, allocate_shared, shared_ptr of a pointer, std::any, std::variant of
// pointers, closures and exceptions.
// RUN: %table %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <any>
#include <functional>
#include <memory>
#include <stdexcept>
#include <variant>

struct P1 { int n[3]; };
struct P2 { int n[5]; };
struct P3 { int n[7]; };
struct P4 { int n[9]; };
struct P5 { int n[11]; };
struct P6 { int n[13]; };
struct P7 { int n[15]; };
struct Failure : std::runtime_error { using runtime_error::runtime_error; int n[17]; };
template <typename T> struct Problem { T value; };
static const void *volatile Sink;
volatile int N = 4;
template <typename T> __attribute__((noinline)) void fail(T problem) { throw problem; }

int main() {
  auto unique = std::make_unique<P1>();
  auto uniques = std::make_unique<P1[]>(N);
  auto shared = std::make_shared<P2>();
  auto allocated = std::allocate_shared<P3>(std::allocator<P3>());
  std::shared_ptr<P4> of_pointer(new P4);
  std::shared_ptr<P4> with_deleter(new P4, [](P4 *p) { delete p; });
  std::any any = P5();
  std::variant<P6 *, int *> variant = new P6;
  std::function<int(int)> function = [big = P7(), n = N](int m) { return big.n[0] + n + m; };
  Sink = &unique, Sink = &uniques, Sink = &any, Sink = &variant, Sink = &function;
  int caught = 0;
  try { fail(Failure("text")); } catch (std::exception &) { ++caught; }
  try { fail(Problem<int>{N}); } catch (Problem<int> &) { ++caught; }
  try { fail(Problem<P1>{}); } catch (...) { ++caught; }
  try { fail(5); } catch (int) { ++caught; }
  return caught - 4 + function(1) - 5;
}
// EXPECT: types["P1"].allocations == 2 and types["P1"].elements == 5
// EXPECT: [row.allocations for row in typed if row.alias == "std::shared_ptr<P2> object and control block"] == [1]
// EXPECT: [row.allocations for row in typed if row.alias == "std::shared_ptr<P3> object and control block"] == [1]
// EXPECT: types["P4"].allocations == 2
// EXPECT: [row.allocations for row in typed if row.alias == "std::shared_ptr<P4> control block"] == [1, 1]
// EXPECT: types["P5"].allocations == 1 and types["P6"].allocations == 1
// EXPECT: [row.elements for row in typed if row.type.startswith("(lambda at ")] == [1]
// EXPECT: types["Failure"].allocations == 1 and types["Problem<int>"].allocations == 1 and types["Problem<P1>"].allocations == 1
// EXPECT: types["Failure"].sites[0].kind == "exception" and types["int"].allocations == 1
// EXPECT: not untyped
// ALONE(no -g): not [row.type for row in typed if row.type.startswith("P")]
// ALONE(-g): types["P4"].allocations == 2 and types["P6"].allocations == 1
