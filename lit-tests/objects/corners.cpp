// Intent: objects in the less common places of the language: initializer lists, structured
// bindings, copied arrays, default arguments, conditional temporaries, exceptions that are
// caught by value, kept and thrown again, variable and multidimensional arrays, destroying
// delete, inherited constructors with virtual bases, statics whose first try throws.
// RUN: %count-objects %s %t -pthread
// RUN: %count-objects %s %t.lifetime -pthread -fplugin-arg-inmem-objects=lifetime
// RUN: %expect %t.lifetime-O2.json 'all(row.objects.lifetime.count == row.objects.destroyed for row in report.types if row.objects)'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <any>
#include <initializer_list>
#include <new>
#include <optional>
#include <pthread.h>
#include <utility>
#include <vector>

template <int N> struct V {
  V() {}
  V(int) {}
  V(const V &) {}
  V(V &&) noexcept {}
  V &operator=(const V &) { return *this; }
  ~V() {}
};
struct Pair { V<2> first, second; };
struct Array { V<3> a[3]; };
struct Trivial { int x; ~Trivial() { x = 0; } };
struct Outer { Trivial first, second; ~Outer() {} };
struct Destroying {
  ~Destroying() {}
  Destroying() {}
  void operator delete(Destroying *d, std::destroying_delete_t) { d->~Destroying(); ::operator delete(d); }
};
struct Root { Root(int) {} Root(const Root &) {} ~Root() {} };
struct Wide { Wide(int, ...) {} ~Wide() {} };
struct Heir : Wide, virtual Root { using Wide::Wide; Heir() : Wide(1), Root(1) {} ~Heir() {} };
struct WideHeir : Wide { using Wide::Wide; };
struct Retried { Retried(bool fail) { if (fail) throw 1; } ~Retried() {} };
struct Keeper { std::optional<V<8>> inside{V<8>(1)}; };

int volatile two = 2;
int defaulted(const V<4> & = V<4>(1), V<4> = V<4>()) { return 0; }
Retried &once(bool fail) { static Retried retried(fail); return retried; }
void *thread(void *) { V<9> unwound; pthread_exit(nullptr); }

// {1, 2, 3} on the stack; two in a vector by copy from two on the stack.
// OBJECTS V<1>: stack=5 placed=2 converted=5 copied=2 destroyed=7
// one, and the copy that is bound to names
// OBJECTS Pair: stack=2 aggregate=1 copied=1 destroyed=2
// OBJECTS V<2>: member=4 defaulted=2 copied=2 destroyed=4
// OBJECTS Array: stack=2 heap=1 defaulted=1 copied=1 moved=1 destroyed=3
// OBJECTS V<3>: member=9 defaulted=3 copied=3 moved=3 destroyed=9
// Twice two arguments.
// OBJECTS V<4>: stack=4 defaulted=2 converted=2 destroyed=4
// One of two branches, twice; one in the comma; one assigned over and one assigned.
// OBJECTS V<5>: stack=5 defaulted=1 converted=4 destroyed=5
// Thrown, caught by value, thrown again from there: caught by value once more.
// OBJECTS V<6>: heap=1 stack=2 converted=1 copied=2 destroyed=3
// A variable array, 2 * 3 on the heap, and none of none.
// OBJECTS V<7>: stack=2 heap=6 defaulted=8 destroyed=8
// A temporary of the initialiser, moved into the optional.
// OBJECTS V<8>: stack=1 member=1 converted=1 moved=1 destroyed=2
// OBJECTS Keeper: stack=1 defaulted=1 destroyed=1
// OBJECTS V<9>: stack=1 defaulted=1 destroyed=1
// In a std::any: a temporary moved into it, and a copy with its any; in a std::pair.
// OBJECTS V<10>: stack=1 placed=2 member=1 converted=2 moved=1 copied=1 destroyed=4
// An exception and the copy that is caught, which is one of bytes; the same of two in an Outer.
// OBJECTS Trivial: heap=1 stack=1 member=4 aggregate=3 copied=3 destroyed=6
// OBJECTS Outer: heap=1 stack=1 aggregate=1 copied=1 destroyed=2
// OBJECTS Destroying: heap=1 defaulted=1 destroyed=1
// OBJECTS Root: destroyed=0
// OBJECTS Wide: destroyed=0
// OBJECTS Heir: stack=1 defaulted=1 destroyed=1
// OBJECTS WideHeir: stack=1 converted=1 destroyed=1
// OBJECTS Retried: static=1 converted=1 destroyed=1

int main() {
  std::initializer_list<V<1>> list = {1, 2, 3};
  std::vector<V<1>> vector{1, 2};
  Pair pair{};
  auto [first, second] = pair;
  Array array, copy = array;
  delete new Array(std::move(copy));
  defaulted();
  defaulted();
  for (int i = 0; i < 2; ++i) {
    const V<5> &chosen = i ? V<5>(1) : V<5>(2);
    (void)chosen;
  }
  (void)(V<5>(3), 0);
  {
    V<5> assigned;
    assigned = V<5>(4);
  }
  try {
    try {
      throw V<6>(1);
    } catch (V<6> caught) {
      throw;
    }
  } catch (V<6> again) {
  }
  try {
    throw Trivial{1};
  } catch (Trivial caught) {
    if (caught.x != 1)
      return 1;
  }
  try {
    throw Outer{{1}, {2}};
  } catch (Outer caught) {
    if (caught.second.x != 2)
      return 2;
  }
  V<7> variable[two];
  delete[] new V<7>[two][3];
  delete[] new V<7>[two - 2];
  Keeper keeper;
  pthread_t id;
  pthread_create(&id, nullptr, thread, nullptr);
  pthread_join(id, nullptr);
  std::any any = V<10>(1);
  std::any other = any;
  std::pair<V<10>, int> both(1, 2);
  delete new Destroying;
  Heir heir;
  WideHeir wide(1, 2, 3);
  try {
    once(true);
  } catch (int) {
    once(false);
  }
  (void)list; (void)first; (void)second; (void)variable; (void)both; (void)wide;
}
