// Intent: globals, function-local statics, thread_local, members, temporaries and their
// lifetime extension, exceptions, closures; statics that the compiler initialised.
// RUN: %count-objects %s %t -pthread
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <thread>

struct S { S() {} S(int) {} S(const S &) {} ~S() {} };
struct Constant { constexpr Constant(int n) : n(n) {} ~Constant() {} int n; };
struct Pod { ~Pod() {} int n; };
struct Wrapped { Pod pod; int n; };

S global;
S from_value = S(2);
Constant constant(1);
Constant constants[2] = {1, 2};
Pod pod = {1};
Wrapped wrapped = {{1}, 2};
inline S shared;
template <class T> S per_type;
thread_local S per_thread;
thread_local Constant constant_per_thread(3);
const S &extended_global = S(3);

void local_static(bool use) {
  if (!use) return;
  static S once;
  static Constant constant_once(1);
  static Pod pod_once = {2};
}
void never() { static S unborn; static Constant constant_unborn(1); static Pod pod_unborn = {2}; }

S source() { return S(); }
int read(const S &) { return 0; }
struct Keeper { const S &s; };

// static: global, from_value, shared, per_type<int>, extended_global, once
// stack: extended, extended2, in keeper, two arguments, operand of comma, caught,
//   captured, closure's parameter
// OBJECTS S: static=6 thread=3 heap=1 stack=9 member=1 defaulted=10 converted=7 copied=3 destroyed=20
// OBJECTS Constant: static=4 thread=3 other=7 destroyed=7
// OBJECTS Pod: static=2 member=1 other=3 destroyed=3
// OBJECTS Wrapped: static=1 destroyed=1
// OBJECTS (lambda): stack=1 aggregate=1 destroyed=1

int main() {
  local_static(false);
  local_static(true);
  local_static(true);
  if (false) never();
  (void)per_type<int>;
  for (int i = 0; i < 2; ++i)
    std::thread([] { (void)&per_thread; (void)constant_per_thread.n; }).join();
  (void)&per_thread;
  (void)constant_per_thread.n;
  const S &extended = source();     // default
  S &&extended2 = S(5);             // converting
  Keeper keeper{S(6)};              // converting
  read(source());                   // default
  if (read(S(7))) return 1;         // converting
  (void)(S(8), 0);                  // converting
  try {
    throw S(9);                     // heap, converting
  } catch (S caught) {              // copy
  }
  S captured;                       // default
  auto closure = [captured](S parameter) { return 0; };  // member, copy
  int zero = closure(extended);     // parameter, copy
  (void)extended2; (void)keeper;
  return zero;
}
