//===- ElfCopy.h - A file with other debug sections -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_DEBUGINFO_ELFCOPY_H
#define INMEM_DEBUGINFO_ELFCOPY_H

#include <cstdint>
#include <elfutils/libdw.h>
#include <map>
#include <string>
#include <vector>

namespace inmem::debuginfo {

/// Changes sections of a 64-bit ELF file in memory. Not thread-safe.
class ElfCopy {
public:
  /// \param Session of the file as it is \param Fd of the file. Both stay open,
  /// and outlive this
  ElfCopy(Dwarf *Session, int Fd) : Fd(Fd), Session(Session) {}

  /// Changes a number of \p Width bytes. \returns false if the section does not
  /// have it
  bool put(const std::string &Section, uint64_t Offset, unsigned Width,
           uint64_t Number);
  /// As above, at an address within what the session has of the section.
  bool put(const std::string &Section, const unsigned char *At, unsigned Width,
           uint64_t Number);
  bool put(const std::string &Section, const unsigned char *At,
           const std::string &Text);
  /// \returns the offset of the text, which ends in a zero
  uint64_t append(const std::string &Section, const std::string &Text);

  /// The changed file in memory, which the caller closes; -1 on failure.
  int write();

private:
  struct Part {
    size_t Index = 0; ///< section index
    const unsigned char *Old = nullptr;
    std::vector<unsigned char> Bytes;
  };
  Part *find(const std::string &Section);
  bool put(Part *In, uint64_t Offset, const void *Bytes, size_t Count);

  int Fd;
  Dwarf *Session;
  std::map<std::string, Part> Parts;
};

} // namespace inmem::debuginfo

#endif
