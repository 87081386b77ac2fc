//===- TracePath.h - Where the trace goes, and what is there --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_TRACEPATH_H
#define INMEM_RUNTIME_TRACEPATH_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

/// Builds a path piece by piece; too long is a failure, never a cut name.
class PathBuilder {
public:
  PathBuilder(char *Buffer, size_t Size) : Buffer(Buffer), Size(Size) {
    Buffer[0] = 0;
  }
  PathBuilder &add(const char *S) {
    while (*S)
      add(*S++);
    return *this;
  }
  PathBuilder &add(char C) {
    if (Length + 1 < Size) {
      Buffer[Length++] = C;
      Buffer[Length] = 0;
    } else {
      TooLong = true;
    }
    return *this;
  }
  PathBuilder &number(uint64_t N) {
    char Digits[21];
    size_t I = sizeof Digits;
    Digits[--I] = 0;
    do
      Digits[--I] = static_cast<char>('0' + N % 10);
    while (N /= 10);
    return add(Digits + I);
  }
  size_t length() const { return Length; }
  void cut(size_t To) { Buffer[Length = To] = 0; }
  bool ok() const { return !TooLong; }

private:
  char *Buffer;
  size_t Size, Length = 0;
  bool TooLong = false;
};

/// Replaces %p %e %h %t %% of the output pattern, and puts \p Folder before a
/// relative one, so that chdir() does not lose the file.
void expandPattern(const char *Pattern, const char *Folder, PathBuilder &Out);
/// May the file at \p Path be replaced? Not if it is no trace of ours, not if
/// its process still lives (seen from another PID namespace, only its lock
/// says so), and not if it is this very process's: then an exec ended it, and
/// it is told so. Nor if it is the file (\p Device, \p Inode), the trace of the
/// process that this one was forked of.
bool mayReplace(const char *Path, uint64_t Device, uint64_t Inode);

} // namespace inmem::rt

#endif
