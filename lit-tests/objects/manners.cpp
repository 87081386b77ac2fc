// Intent: default, copy, move, converting and other constructors are told apart;
// guaranteed elision makes one object, not two, which counts where it ends.
// RUN: %count-objects %s %t
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <utility>

struct V {
  V() {}
  V(int) {}
  V(int, int) {}
  V(const V &) {}
  V(V &&) noexcept {}
  V &operator=(const V &) { return *this; }
  ~V() {}
};
struct Holder { V v = made(); static V made() { return V(1, 2); } };

V direct() { return V(1); }
V named() { V v; return v; }
V chained() { return direct(); }
V either(bool b) { if (b) return V(1); return V(1, 2); }
V moved(V v) { return v; }
void take(V) {}
struct Factory { virtual V make() { return V(); } virtual ~Factory() {} };
struct Other : Factory { V make() override { return V(3); } };

V global = direct();
thread_local V local_to_thread = named();

// stack: a b c d e f g h i j k, two arguments of take, argument of moved, its result,
// x and the assigned temporary, factory's results m and n, discarded
// OBJECTS V: stack=19 heap=1 static=1 thread=1 member=1 defaulted=4 converted=10 other=3 copied=3 moved=3 destroyed=23
// OBJECTS Holder: stack=1 defaulted=1 destroyed=1
// OBJECTS Factory: stack=1 defaulted=1 destroyed=1
// OBJECTS Other: stack=1 defaulted=1 destroyed=1

int main() {
  V a;                          // default
  V b(a);                       // copy
  V c = std::move(a);           // move
  V d = 3;                      // converting
  V e(1, 2);                    // other
  V f = direct();               // converting
  V g = named();                // default
  V h = chained();              // converting
  V i = V(V(V(4)));             // converting
  V j = either(true);           // converting
  V k = either(false);          // other
  take(b);                      // copy
  take(std::move(b));           // move
  V x = moved(c);               // copy into the argument, move into x
  V *p = new V(direct());       // heap, converting
  delete p;
  x = direct();                 // a temporary, converting
  direct();                     // discarded, converting
  Holder holder;                // member, other
  Factory factory;
  Other other;
  Factory *virtually = &other;
  V m = factory.make();         // default
  V n = virtually->make();      // converting
  (void)&local_to_thread;       // thread, default
  (void)global; (void)d; (void)e; (void)f; (void)g; (void)h; (void)i; (void)j; (void)k; (void)m; (void)n;
  (void)holder;
}
