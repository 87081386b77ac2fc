// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef POOL_H
#define POOL_H
extern "C" void *take(unsigned long size);
extern "C" void drop(void *block);

struct Value {
  int kind;
  char *text;
};

class Pool {
public:
  bool isEmpty() const { return used == 0; }
  unsigned long size() const { return used; }
  void grow(unsigned long by) {
    if (isEmpty())
      start = take(by);
    else
      reserve(used + by);
    used += by;
  }
  void clear() { drop(start), used = 0; }
  void *take(unsigned long bytes) { return ::take(bytes + size()); }

private:
  void reserve(unsigned long all) {
    void *fresh = ::take(all);
    drop(start);
    start = fresh;
  }
  void *start = nullptr;
  unsigned long used = 0;
};
#endif
