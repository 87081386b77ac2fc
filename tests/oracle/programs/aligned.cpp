// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Aligned memory by every road: C, POSIX, C++17 operators, over-aligned types.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <memory>
#include <new>
#include <vector>

struct alignas(64) Line {
  float values[16];
  ~Line() { values[0] = 0; }
};
static void *volatile Sink;

int main() {
  unsigned misaligned = 0;
  auto check = [&](void *pointer, std::uintptr_t alignment) {
    Sink = pointer;
    misaligned += reinterpret_cast<std::uintptr_t>(pointer) % alignment != 0;
  };
  for (int i = 0; i < 20; ++i) {
    void *a = nullptr;
    if (posix_memalign(&a, 256, 100 + i) != 0)
      return 1;
    check(a, 256);
    void *b = std::aligned_alloc(64, 640);
    check(b, 64);
    void *c = memalign(32, 33);
    check(c, 32);
    void *d = valloc(10);
    check(d, 4096);
    Line *one = new Line;
    check(one, 64);
    Line *many = new Line[i + 1];
    check(many, 64);
    void *raw = ::operator new(77, std::align_val_t(128));
    check(raw, 128);
    std::vector<Line> lines(3);
    check(lines.data(), 64);
    auto shared = std::make_shared<Line>();
    check(shared.get(), 64);
    ::operator delete(raw, std::align_val_t(128));
    delete[] many;
    delete one;
    std::free(d);
    std::free(c);
    std::free(b);
    std::free(a);
  }
  void *bad = &bad;
  std::printf("%u %d\n", misaligned, posix_memalign(&bad, 3, 10));
}
