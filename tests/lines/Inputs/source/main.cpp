// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls in inlined functions of this file, of a header in another folder and of
// a namespace, within loops, lambdas, branches and cold parts, so that
// functions have several ranges.
#include "pool.h"

void *volatile Kept;
extern "C" void *take(unsigned long size);
extern "C" void drop(void *block);

namespace {
inline bool isText(const Value &V) { return V.kind == 3; }

inline void assign(Value &V, const char *Text) {
  if (isText(V))
    drop(V.text);
  V.text = static_cast<char *>(take(16));
  for (int I = 0; Text[I] && I < 15; ++I)
    V.text[I] = Text[I];
  V.kind = 3;
}

template <typename F> inline void twice(F f) {
  f();
  f();
}

struct Holder {
  Pool pool;
  Holder() { pool.grow(8); }
  ~Holder() {
    if (!pool.isEmpty())
      pool.clear();
  }
};
} // namespace

__attribute__((noinline)) int work(int count) {
  Value value{};
  Holder holder;
  twice([&] {
    assign(value, "text");
    holder.pool.grow(count);
  });
  if (__builtin_expect(count > 1000, 0)) {
    drop(holder.pool.take(count));
    throw 1;
  }
  return isText(value) ? static_cast<int>(holder.pool.size()) : 0;
}

int main(int argc, char **) {
  try {
    return work(argc) == 0;
  } catch (int) {
    Kept = take(1);
    return 2;
  }
}
