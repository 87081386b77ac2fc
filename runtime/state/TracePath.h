//===- TracePath.h - Where the file of a trace is created -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_TRACEPATH_H
#define INMEM_RUNTIME_TRACEPATH_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

/// Builds a path piece by piece; a path that is too long fails and is never
/// cut.
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

/// Expands %p %e %h %t %% in the output pattern and prefixes a relative one
/// with \p Folder, so that chdir() does not matter.
void expandPattern(const char *Pattern, const char *Folder, PathBuilder &Out);
/// Returns true if the file at \p Path may be replaced. It may not if it is not
/// a trace, or if its process is alive (across PID namespaces only its lock
/// shows that). Nor may it be the trace that this process left by exec, which
/// is then marked, or the file (\p Device, \p Inode), the trace of the process
/// that forked this one.
bool mayReplace(const char *Path, uint64_t Device, uint64_t Inode);

} // namespace inmem::rt

#endif
