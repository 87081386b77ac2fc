//===- OutputFile.h - Files that take their name when they are whole ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands write all named files through this. The new text is written next to
// the file and replaces it atomically, so that a command that fails or is
// killed leaves the old file.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_OUTPUTFILE_H
#define INMEM_TOOLS_OUTPUTFILE_H

#include "trace/read/Status.h"

#include <cstdio>
#include <string>
#include <string_view>

namespace inmem::tools {

/// A file being written. Without commit() nothing changes: the destructor
/// discards the draft. Not thread-safe.
///
/// Pipes, devices and descriptors (`/dev/stdout`, `/dev/fd/3`) have no old text
/// to keep, so they are written to directly. So is a file in a folder that the
/// user may not write to.
class OutputFile {
public:
  /// Storage of the text until it is complete. Nameless files vanish when the
  /// process ends in any way, but some file systems do not support them.
  enum class Draft { Nameless, Named };

  /// \param Path `-` or empty writes to Default, which stays open
  static trace::Result<OutputFile> open(const std::string &Path,
                                        std::FILE *Default,
                                        Draft How = Draft::Nameless);
  /// As open(), for a file that is read until it is replaced. Fails if its
  /// folder has no space for a second file.
  static trace::Result<OutputFile> replace(const std::string &Path);

  OutputFile(OutputFile &&From) noexcept;
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  std::FILE *stream() const { return To; }
  /// True if the text is written to a separate file, not to a device or a
  /// stream.
  bool isDraft() const { return !Target.empty(); }
  /// Writes to the stream. commit() reports failures.
  void write(std::string_view Text);
  /// Flushes, and gives the file its name.
  trace::Status commit();

private:
  OutputFile() = default;
  trace::Status openDraft(Draft How, bool MayOverwrite);
  trace::Status failure(const char *Doing) const;
  bool publish() const;
  void close();

  std::FILE *To = nullptr;
  bool Owned = false;    ///< close() closes To
  bool Wrote = true;     ///< no write has failed
  int WriteError = 0;    ///< errno of the first failed write
  std::string Shown;     ///< for messages
  std::string Target;    ///< the draft's final name, links resolved
  std::string DraftName; ///< empty: the draft has no name
};

/// True if both names refer to the same regular file, by device and inode.
bool isSameFile(const std::string &A, const std::string &B);
/// True if the descriptor refers to the regular file with that name.
bool isSameFile(int Fd, const std::string &Path);
/// The descriptor that a name such as `/dev/stdout` refers to; -1 if none.
int descriptorNamed(std::string_view Path);

} // namespace inmem::tools

#endif
