// Intent: functions that are defined nowhere but in a class that befriends them are functions like
// any other: of classes, templates, local classes' enclosing ones, and templates themselves.
// RUN: %count-objects %s %t
// RUN: %count-objects %s %t.lifetime -fplugin-arg-inmem-objects=lifetime
// RUN: %expect %t-O0.json 'types["Block"].allocations == 3' 'types["Block"].allocated_bytes == 12' 'types["Odd"].allocations == 1'
// RUN: %expect %t-O2.json 'types["Block"].allocations == 3'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct Block { int n; };
struct Odd { char n[3]; };
static void *volatile Sink;
template <typename T> void keep(T *p) { Sink = p; delete p; }

struct Agg { int a = 1, b = 2; ~Agg() {} };

struct V {
  friend void hidden(V) {
    Agg agg{3, 4};
    keep(new Block);
  }
  friend void operator<<(V, int) { Agg agg; }
  template <typename T> friend void generic(V, T) { T made{}; keep(new Block); }
};
template <typename T> struct Box {
  T value;
  friend void ofTemplate(Box) { T made{}; keep(new Odd); }
  struct Inner {
    friend void ofInner(Inner) { Agg agg; keep(new Block); }
  };
};
int main() {
  V v;
  hidden(v);
  v << 1;
  generic(v, Agg{});
  ofTemplate(Box<Agg>());
  ofInner(Box<int>::Inner());
}
// The argument of generic, a made one, one each of hidden, << and ofInner; ofTemplate's, and a member.
// OBJECTS Agg: stack=6 member=1 destroyed=7
// OBJECTS Box<Agg>: stack=1 destroyed=1
