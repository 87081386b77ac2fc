//===- Document.h - A file as an editor has it ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unsaved text, positions in it, and the current positions of lines of the
// compiled text.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_LSP_DOCUMENT_H
#define INMEM_TOOLS_LSP_DOCUMENT_H

#include "report/base/LineMap.h"
#include "report/formats/Json.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace inmem::tools {

/// Unit of columns.
enum class Columns { Utf16, Utf8 };

/// Counted from 0, as in the protocol. The column is in the units that were
/// negotiated.
struct TextPosition {
  uint32_t Line = 0, Column = 0;
};

/// Text with the start of each line. Lines end in LF, CR LF or CR.
class EditedText {
public:
  explicit EditedText(std::string Of = {}) { set(std::move(Of)); }

  void set(std::string To);
  const std::string &text() const { return Text; }
  size_t lines() const { return Starts.size(); }
  /// A line without its line ending; empty after the last line.
  std::string_view line(uint32_t Number) const;

  /// The byte at a position. Positions after the end of a line, or of the text,
  /// mean that end. A column within a character means its start.
  size_t byteAt(TextPosition At, Columns In) const;
  /// Replaces the text between two positions.
  void replace(TextPosition From, TextPosition To, std::string_view With,
               Columns In);

  /// Width in columns of a line, or of its first bytes.
  static uint32_t width(std::string_view Line, Columns In);

private:
  std::string Text;
  std::vector<size_t> Starts;
};

/// XXH64 of a text as the compiler's plugin computes it; never 0.
uint64_t sourceHash(std::string_view Text);

/// The path of a `file:` URI, with `%` decoded; empty for any other URI.
std::string pathOfUri(const std::string &Uri);
std::string uriOfPath(const std::string &Path);

struct LineRecord;

/// A line of the trace, at its current position.
struct ShownLine {
  const LineRecord *Of;
  uint32_t Line; ///< 0-based
  bool Stale;
};

/// An open document.
struct Document {
  std::string Uri, Path; ///< Path is canonical; empty if not a file
  int64_t Version = 0;
  EditedText Text;
  uint64_t Edits = 0; ///< grows with each change

  /// State for following the lines of the compiled text.
  struct Following {
    uint64_t Index = 0;   ///< generation of the traces that this belongs to
    bool Known = false;   ///< Base is the text that was compiled
    bool Pending = false; ///< Base is being looked up
    std::string Base;
    uint64_t MappedEdits = 0;
    std::unique_ptr<report::LineMap> Map;
  } Follows;

  /// Positions of the trace's lines in the text, for Server::allLines().
  struct Placing {
    uint64_t Index = 0, Edits = 0;
    bool Known = false;
    std::vector<ShownLine> Lines;
  } Placed;

  /// The current line of a line of the compiled text, both from 1; nullopt if
  /// it was removed. If the compiled text is unknown, the same line, adjusted
  /// by later edits.
  std::optional<report::LineMap::Place> place(uint32_t Line);
  /// The identifier around a position, or empty.
  std::string_view wordAt(TextPosition At, Columns In) const;
};

/// A `range` of the protocol, or nullopt.
std::optional<std::pair<TextPosition, TextPosition>>
rangeOf(const report::Json &Of);
std::optional<TextPosition> positionOf(const report::Json &Of);
report::Json rangeJson(TextPosition From, TextPosition To);

} // namespace inmem::tools

#endif
