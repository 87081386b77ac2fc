// Intent: malloc and its kin in C++, where every block has a cast, the named ones too.
// RUN: %table %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdlib>

namespace shop {
struct Item { int a[3]; };
template <typename T> struct Box { T value; };
}
struct Flexible { int length; char text[1]; };
static void *volatile Sink;
volatile std::size_t N = 4;

template <typename T> T *make(std::size_t n) { return static_cast<T *>(std::malloc(n * sizeof(T))); }
template <typename T> T *grown(T *old, std::size_t n) { return reinterpret_cast<T *>(std::realloc(old, n * sizeof(T))); }

int main() {
  Sink = make<shop::Item>(N);
  Sink = make<shop::Box<double>>(N);
  Sink = make<shop::Box<shop::Item *>>(N);
  Sink = grown(make<unsigned short>(N), 2 * N);
  Sink = (Flexible *)std::malloc(offsetof(Flexible, text) + N);
  Sink = static_cast<long *>(std::calloc(N, 8));
  auto *raw = static_cast<std::byte *>(std::aligned_alloc(64, 64));
  Sink = raw;
  auto chars = static_cast<char *>(::malloc(N));
  Sink = chars;
  void *later = std::malloc(N * 4);
  Sink = static_cast<float *>(later);
  void *unknown = std::malloc(N);
  Sink = unknown;
}
// EXPECT: types["shop::Item"].elements == 4
// EXPECT: types["shop::Box<double>"].elements == 4 and types["shop::Box<shop::Item *>"].elements == 4
// EXPECT: types["unsigned short"].allocations == 2 and types["unsigned short"].live_bytes == 16
// EXPECT: types["Flexible"].allocated_bytes == 8
// EXPECT: types["long"].elements == 4 and types["float"].elements == 4
// EXPECT: types["std::byte"].elements == 64 and types["char"].elements == 4
// EXPECT: [site.allocations for site in untyped] == [1]
// ALONE: not typed and sum(site.allocations for site in untyped) == 11
