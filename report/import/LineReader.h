//===- LineReader.h - A text file line by line ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_IMPORT_LINEREADER_H
#define INMEM_REPORT_IMPORT_LINEREADER_H

#include "report/text/Table.h"
#include "trace/read/Buffer.h"

#include <charconv>
#include <string>
#include <string_view>

namespace inmem::report {

/// Bytes of a file for a message: quoted, as UTF-8, and shortened.
inline std::string foundText(std::string_view Bytes) {
  constexpr size_t kMostShown = 60; // columns
  const Style Plain;
  return "'" +
         cutEnd(Plain, printable(Plain, Bytes.substr(0, 4 * kMostShown)),
                kMostShown) +
         "'";
}

class Lines {
public:
  explicit Lines(const trace::Buffer &Of)
      : File(Of), Text(reinterpret_cast<const char *>(Of.bytes().data()),
                       Of.bytes().size()) {}

  /// \returns false at the end. A last line without a line end counts.
  bool next(std::string_view &Line) {
    if (At >= Text.size())
      return false;
    Began = At;
    ++Number;
    const size_t End = std::min(Text.find('\n', At), Text.size());
    Line = Text.substr(At, End - At);
    At = End + 1;
    return true;
  }
  void rewind() { At = Began = Number = 0; }
  size_t offset() const { return Began; }
  /// True if the line that next() returned last is the file's last and has no
  /// line end, as in a file that was cut there.
  bool endedInLine() const { return At > Text.size() || Text.empty(); }

  /// An error about the line that next() returned last.
  trace::Status wrong(std::string What, std::string Expected) const {
    const std::string_view Found =
        Text.substr(Began, Text.find('\n', Began) - Began);
    return trace::Status::at(
        File.name(), Began,
        "line " + std::to_string(Number) + ": " + std::move(What),
        std::move(Expected),
        Began >= Text.size() ? "the end of the file" : foundText(Found));
  }
  /// An error about a missing line.
  trace::Status missing(std::string What, std::string Expected) const {
    return trace::Status::at(File.name(), Text.size(), std::move(What),
                             std::move(Expected), "the end of the file");
  }

private:
  const trace::Buffer &File;
  std::string_view Text;
  size_t At = 0, Began = 0, Number = 0;
};

/// Removes a number from the front of Text, with the space after it.
inline bool takeNumber(std::string_view &Text, uint64_t &Out, int Base) {
  const auto [End, Error] =
      std::from_chars(Text.data(), Text.data() + Text.size(), Out, Base);
  if (Error != std::errc() || End == Text.data())
    return false;
  Text.remove_prefix(static_cast<size_t>(End - Text.data()));
  if (!Text.empty() && Text[0] != ' ')
    return false;
  if (!Text.empty())
    Text.remove_prefix(1);
  return true;
}

} // namespace inmem::report

#endif
