//===- OutputFile.h - Files that take their name when they are whole ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands write all named files through this. The new text is
// written next to the file and replaces it in one step, so that a command that
// fails or is killed leaves the old one.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_OUTPUTFILE_H
#define INMEM_TOOLS_OUTPUTFILE_H

#include "trace/read/Status.h"

#include <cstdio>
#include <string>
#include <string_view>

namespace inmem::tools {

/// A file that is being written. Without commit() nothing has happened: the
/// destructor drops the draft. Not thread-safe.
///
/// Pipes, devices and descriptors (`/dev/stdout`, `/dev/fd/3`) have no old
/// text to keep: they are written to as they are. So is a file in
/// a folder that the user may not write to.
class OutputFile {
public:
  /// Storage of the text until it is complete. Nameless files vanish with the
  /// process, whatever ends it; some file systems have none.
  enum class Draft { Nameless, Named };

  /// \param Path `-` or empty: Default, which stays open
  static trace::Result<OutputFile> open(const std::string &Path,
                                        std::FILE *Default,
                                        Draft How = Draft::Nameless);
  /// As open(), for a file that is read until it is replaced: an error if its
  /// folder has no space for another.
  static trace::Result<OutputFile> replace(const std::string &Path);

  OutputFile(OutputFile &&From) noexcept;
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  std::FILE *stream() const { return To; }
  /// True if the text is written to a file of its own, not to a device or a
  /// stream.
  bool isDraft() const { return !Target.empty(); }
  /// Writes to the stream. A failure shows in commit().
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
  bool Owned = false;    ///< To is closed by us
  bool Wrote = true;     ///< no write has failed
  int WriteError = 0;    ///< errno of the first that did
  std::string Shown;     ///< for messages
  std::string Target;    ///< a draft's final name, links resolved
  std::string DraftName; ///< empty: the draft has no name
};

/// True if both names lead to one regular file, by device and inode.
bool isSameFile(const std::string &A, const std::string &B);
/// True if a stream's descriptor is the regular file of that name.
bool isSameFile(int Fd, const std::string &Path);
/// The descriptor that a name such as `/dev/stdout` means; -1: none.
int descriptorNamed(std::string_view Path);

} // namespace inmem::tools

#endif
