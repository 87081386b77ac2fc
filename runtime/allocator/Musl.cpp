//===- Musl.cpp -----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "allocator/Musl.h"

#include "allocator/Allocator.h"
#include "platform/Errors.h"
#include "platform/Mappings.h"

#include <string.h>

namespace inmem::rt::musl {

namespace {

bool isZero(const char *Page) {
  const auto *Words = reinterpret_cast<const uint64_t *>(Page);
  uint64_t Any = 0;
  for (size_t I = 0; I < kPage / sizeof *Words; ++I)
    Any |= Words[I];
  return Any == 0;
}

/// Does not write pages that are zero: the fresh pages of a large block would
/// become resident.
void clear(char *P, size_t Bytes) {
  constexpr size_t kSmall = 16 * kPage;
  char *const End = P + Bytes;
  if (Bytes >= kSmall) {
    const size_t Ahead =
        (kPage - reinterpret_cast<uintptr_t>(P) % kPage) % kPage;
    memset(P, 0, Ahead);
    for (P += Ahead; static_cast<size_t>(End - P) >= kPage; P += kPage)
      if (!isZero(P))
        memset(P, 0, kPage);
  }
  memset(P, 0, static_cast<size_t>(End - P));
}

} // namespace

void *calloc(size_t Count, size_t Size) {
  size_t Bytes;
  if (__builtin_mul_overflow(Count, Size, &Bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  auto *P = static_cast<char *>(Real.malloc(Bytes));
  if (P)
    clear(P, Bytes);
  return P;
}

void *memalign(size_t Align, size_t Size) {
  return Real.aligned_alloc(Align, Size);
}

int posix_memalign(void **Result, size_t Align, size_t Size) {
  if (Align < sizeof(void *))
    return EINVAL;
  void *P = Real.aligned_alloc(Align, Size);
  if (!P)
    return errno;
  *Result = P;
  return 0;
}

void *valloc(size_t Size) { return memalign(pageSize(), Size); }

void *pvalloc(size_t Size) {
  const size_t Page = pageSize();
  if (Size > SIZE_MAX - Page) {
    errno = ENOMEM;
    return nullptr;
  }
  return memalign(Page, roundUp(Size, Page));
}

} // namespace inmem::rt::musl
