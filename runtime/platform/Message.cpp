//===- Message.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/Message.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// glibc 2.32 and later; in a static program only if the program itself calls
// it.
extern "C" const char *strerrordesc_np(int) noexcept __attribute__((weak));

namespace inmem::rt {

Message &Message::text(const char *S) {
  if (PieceCount < kPieces)
    Pieces[PieceCount++] = S;
  return *this;
}

Message &Message::number(uint64_t N) {
  if (NumberCount == kNumbers)
    return *this;
  char *const To = Digits[NumberCount++];
  size_t I = sizeof Digits[0];
  To[--I] = 0;
  do
    To[--I] = static_cast<char>('0' + N % 10);
  while (N /= 10);
  return text(To + I);
}

Message &Message::error(int Error) {
  if (const char *Known = strerrordesc_np ? strerrordesc_np(Error) : nullptr)
    return text(Known);
  switch (Error) {
  case EACCES:
    return text("Permission denied");
  case EEXIST:
    return text("File exists");
  case EISDIR:
    return text("Is a directory");
  case EMFILE:
    return text("Too many open files");
  case ENOENT:
    return text("No such file or directory");
  case ENOMEM:
    return text("Cannot allocate memory");
  case ENOSPC:
    return text("No space left on device");
  case ENOTDIR:
    return text("Not a directory");
  case EPERM:
    return text("Operation not permitted");
  case EROFS:
    return text("Read-only file system");
  default:
    return text("error ").number(static_cast<uint64_t>(Error));
  }
}

char takeShown(const char *&Text) {
  const auto First = static_cast<unsigned char>(*Text++);
  const auto Second = static_cast<unsigned char>(First ? *Text : 0);
  if (First == 0xc2 && Second >= 0x80 && Second < 0xa0) { // U+0080 to U+009F
    ++Text;
    return '?';
  }
  return First < ' ' || First == 0x7f ? '?' : static_cast<char>(First);
}

void Message::emit() {
  char Line[1024];
  size_t Length = 0;
  for (unsigned I = 0; I < PieceCount; ++I)
    for (const char *S = Pieces[I]; *S && Length < sizeof Line - 1;)
      Line[Length++] = takeShown(S);
  Line[Length++] = '\n';
  syscall(SYS_write, 2, Line, Length);
}

} // namespace inmem::rt
