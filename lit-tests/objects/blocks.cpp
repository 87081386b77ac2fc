// Intent: what a block captures by copy is constructed with the block, also in blocks within blocks,
// closures and members, and again where the block is copied to the heap.
// RUN: %count-objects %s %t -fblocks
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
#include <string.h>

// What a library of blocks has.
extern "C" {
void *_NSConcreteStackBlock[32], *_NSConcreteGlobalBlock[32];
void _Block_object_assign(void *, const void *, const int) {}
void _Block_object_dispose(const void *, const int) {}
}
struct Description { unsigned long reserved, size; void (*copy)(void *, void *); void (*dispose)(void *); };
struct Layout { void *isa; int flags, reserved; void *invoke; Description *about; };
template <class Block> Block copied(Block block) {
  auto *from = (Layout *)block;
  auto *to = (Layout *)malloc(from->about->size);
  memcpy(to, from, from->about->size);
  if (from->flags & 1 << 25) from->about->copy(to, from);
  return (Block)to;
}
template <class Block> void released(Block block) {
  auto *is = (Layout *)block;
  if (is->flags & 1 << 25) is->about->dispose(is);
  free(is);
}

#define CLASS(N) struct N { int v; N(int v) : v(v) {} N(const N &o) : v(o.v) {} ~N() {} }
CLASS(Plain); CLASS(Nested); CLASS(Closed); CLASS(Held); CLASS(Shared); CLASS(Given); CLASS(Two);
struct Outside { int v; Outside(int v); Outside(const Outside &); ~Outside(); };
struct Moved { int v; Moved(int v) : v(v) {} Moved(Moved &&o) : v(o.v) {} ~Moved() {} };
struct Defaulted { Plain p; int v; };

__attribute__((noinline)) int call(int (^block)()) { return block(); }

int plain() { Plain p(1); return call(^{ return p.v; }); }
int nested() { Nested n(1); return call(^{ return call(^{ return n.v; }); }); }
int closed() { return [] { Closed c(1); return call(^{ return c.v; }); }(); }
int given(Given g) { return call(^{ return g.v; }); }
int moved() {
  __block Moved m(1);
  int (^on_heap)() = copied(^{ return m.v; });
  int sum = on_heap();
  released(on_heap);
  return sum;
}
int shared() { __block Shared s(1); return call(^{ return s.v; }); }
int outside() { Outside o(1); return call(^{ return o.v; }); }
int implicit() { Defaulted d{Plain(2), 3}; return call(^{ return d.v; }); }
struct Holder { Held h; int (^block)(); int run() { Held copy = h; return call(^{ return copy.v + h.v; }); } };
int twice() {
  Two t(1);
  int (^on_heap)() = copied(^{ return t.v; });
  int sum = on_heap();
  released(on_heap);
  return sum;
}

// A copy in each block: twice() makes another on the heap.
// OBJECTS Plain: stack=1 member=3 converted=2 copied=2 destroyed=4
// OBJECTS Nested: stack=1 member=2 converted=1 copied=2 destroyed=3
// OBJECTS Closed: stack=1 member=1 converted=1 copied=1 destroyed=2
// OBJECTS Given: stack=1 member=1 converted=1 copied=1 destroyed=2
// OBJECTS Shared: stack=1 converted=1 destroyed=1
// OBJECTS Outside: stack=1 member=1 converted=1 copied=1 destroyed=2
// OBJECTS Held: stack=1 member=2 converted=1 copied=2 destroyed=3
// OBJECTS Two: stack=1 member=1 unknown=1 converted=1 copied=2 destroyed=3
// OBJECTS Moved: stack=1 converted=1 destroyed=1
// OBJECTS Defaulted: stack=1 member=1 copied=1 aggregate=1 destroyed=2
// OBJECTS Holder: stack=1 aggregate=1 destroyed=1
int main() {
  Holder holder{Held(1), nullptr};
  return plain() + nested() + closed() + given(1) + shared() + outside() + implicit() + holder.run() + twice() + moved() == 0;
}
Outside::Outside(int v) : v(v) {}
Outside::Outside(const Outside &o) : v(o.v) {}
Outside::~Outside() {}
