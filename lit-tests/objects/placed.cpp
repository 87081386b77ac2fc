// Intent: placement new, construct_at, unions, optional, variant and containers make
// objects in memory that was there before.
// RUN: %count-objects %s %t
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <memory>
#include <new>
#include <optional>
#include <variant>
#include <vector>

struct P { P() {} P(int) {} P(const P &) {} P(P &&) noexcept {} ~P() {} };
struct Q { Q(int) {} Q(const Q &) {} ~Q() {} };
struct R { R() {} R(const R &) {} R(R &&) noexcept {} ~R() {} };
union U { U() {} ~U() {} P p; int i; };
struct Tagged { bool full; union { Q q; }; Tagged() : full(true), q(1) {} ~Tagged() { q.~Q(); } };

alignas(16) char arena[256];

// Three by placement, one by construct_at, one in the union, one by optional's emplace,
// two in a vector that was given its size; the third is never destroyed.
// OBJECTS P: placed=8 defaulted=4 converted=4 destroyed=7
// OBJECTS U: stack=1 defaulted=1 destroyed=1
// OBJECTS Tagged: stack=1 defaulted=1 destroyed=1
// OBJECTS Q: member=1 placed=1 stack=1 converted=2 copied=1 destroyed=3
// The vector takes two by copy and moves the first when it grows.
// OBJECTS R: stack=1 placed=3 defaulted=1 copied=2 moved=1 destroyed=4

int main() {
  P *a = new (arena) P;
  P *b = new (arena + 16) P(1);
  new (arena + 32) P(2);
  a->~P();
  std::destroy_at(b);
  P *c = std::construct_at(reinterpret_cast<P *>(arena + 48), 3);
  std::destroy_at(c);
  U u;
  new (&u.p) P();
  u.p.~P();
  std::optional<P> o;
  o.emplace(4);
  o.reset();
  std::vector<P> v(2);
  Tagged tagged;
  Q q(2);
  std::variant<int, Q> w;
  w.emplace<Q>(q);
  R r;
  std::vector<R> grown;
  grown.reserve(1);
  grown.push_back(r);
  grown.push_back(r);
}
