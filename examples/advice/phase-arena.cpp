// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tree of which each node is a block, and all of them are gone after a part
// of the run.
#include <cstdio>
#include <memory_resource>
#include <vector>

struct Expression {
  Expression *Left = nullptr, *Right = nullptr;
  long Value = 0;
};

#ifdef ADVICE
static std::pmr::memory_resource *Arena;
static Expression *make() {
  return new (Arena->allocate(sizeof(Expression), alignof(Expression)))
      Expression;
}
static void drop(Expression *) {} // with the arena
#else
static Expression *make() { return new Expression; }
static void drop(Expression *E) {
  if (!E)
    return;
  drop(E->Left);
  drop(E->Right);
  delete E;
}
#endif

static Expression *parse(int Depth) {
  Expression *E = make();
  E->Value = Depth;
  if (Depth > 1) {
    E->Left = parse(Depth - 1);
    E->Right = parse(Depth - 1);
  }
  return E;
}

static long sum(const Expression *E) {
  return E ? E->Value + sum(E->Left) + sum(E->Right) : 0;
}

/// The rest of the run.
static long goOn(int Step) {
  std::vector<long> Kept(10000, Step);
  std::vector<long> *volatile Hidden = &Kept; // from the compiler, too
  return Hidden->back();
}

int main() {
  long Sum = 0;
  {
#ifdef ADVICE
    std::pmr::monotonic_buffer_resource Once(8191 * sizeof(Expression));
    Arena = &Once;
#endif
    Expression *E = parse(13);
    Sum += sum(E);
    drop(E);
  }
  for (int Step = 0; Step < 40; ++Step)
    Sum += goOn(Step);
  std::printf("%ld\n", Sum);
}
