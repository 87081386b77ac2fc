//===- RemoteImage.h - Files that another process has loaded ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads /proc/PID/maps and the files themselves, through the other process's
// view of the file system. The process need not be stopped.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_REMOTEIMAGE_H
#define INMEM_TOOLS_REMOTEIMAGE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace inmem::tools {

/// Addresses of code.
struct CodeRange {
  uint64_t Start = 0, End = 0;
  bool contains(uint64_t Address) const {
    return Address >= Start && Address < End;
  }
};

struct MemoryMapping {
  CodeRange Range;
  uint64_t Offset = 0;
  bool IsCode = false;
  std::string Path; ///< as in /proc; empty if anonymous
};

/// All mappings of a process by address; nullopt if they cannot be read.
std::optional<std::vector<MemoryMapping>> mappingsOf(pid_t Pid);

/// A loaded ELF file.
struct RemoteImage {
  struct Symbol {
    std::string Name;
    CodeRange Code;
  };
  std::string Path; ///< as named in the process
  CodeRange Span;   ///< range of all its mappings
  std::vector<CodeRange> Code;
  std::vector<Symbol> Exported; ///< functions and objects

  /// The last component of its path.
  std::string_view name() const;
  /// The exported symbol, or an empty range.
  CodeRange find(std::string_view Name) const;
  bool isNamed(std::string_view Prefix) const {
    return name().starts_with(Prefix);
  }
  /// True if it is glibc's C library.
  bool isLibc() const { return isNamed("libc.so.6") || isNamed("libc-2."); }
};

/// The ELF files among \p Maps. A file that cannot be read has no symbols.
/// \param Before images of the process from before, which are not read again
std::vector<RemoteImage> imagesOf(pid_t Pid,
                                  const std::vector<MemoryMapping> &Maps,
                                  const std::vector<RemoteImage> &Before = {});

/// Reads the process's memory. \returns the number of bytes read, up to the
/// first unmapped page
size_t readMemory(pid_t Pid, uint64_t From, void *To, size_t Bytes);

/// True if `inmem detach` ended recording.
bool isDetached(pid_t Pid);

} // namespace inmem::tools

#endif
