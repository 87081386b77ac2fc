//===- Table.h - Text that fits a terminal ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns in a given width: flexible ones share the rest and are shortened, the
// widest first. Where those would get too narrow, columns are left out, the
// least important first. Handles colours, and terminals with and without
// Unicode.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_TABLE_H
#define INMEM_REPORT_TABLE_H

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace inmem::report {

// ShortNames.cpp: C++ names in few columns.

struct Style;

/// A C++ name in at most \p Width columns. A function's parameters are dropped
/// first, then template arguments, innermost before outer: `std::map<int,
/// std::vector<…>>`, then `std::map<…>`; the end is cut last. Thread-safe.
std::string shortenName(const Style &S, std::string_view Name, size_t Width);

/// Drops `std::` before words: `vector<string>`. `my_std::` and `ns::std::` are
/// kept.
std::string withoutStd(std::string Text);

/// The part of a name to lay out: all of it, or the beginning of a name too
/// long to be written by hand. Fitting a line reads a name many times.
std::string_view frontOf(std::string_view Name);

// Table.cpp: Text that fits a terminal.

/// Properties of the terminal.
struct Style {
  unsigned Width = 100; ///< columns; no line is longer
  bool Colour = false;
  bool Unicode = true;
};

enum class Paint { None, Bold, Dim, Cyan, Yellow, Red, Green };

/// Text in a colour, if the style has colours.
std::string paint(const Style &S, Paint With, std::string_view Text);

/// The columns that UTF-8 text takes, including escape sequences.
size_t displayWidth(std::string_view Text);

/// Text that is safe to print: control characters become `?`, and so does all
/// but ASCII without Unicode.
std::string printable(const Style &S, std::string_view Text);

/// Cuts a text at the end to at most Width columns: without a part of the
/// middle, a name would be another name.
std::string cutEnd(const Style &S, std::string_view Text, size_t Width);

class Table {
public:
  /// \param Importance 0 is never left out; of the others, the highest number
  /// is dropped first
  struct Column {
    std::string Title;
    bool Right = true;
    bool Flexible = false;
    unsigned Importance = 0;
    Paint With = Paint::None;
    /// Fits a cell; cutEnd() by default.
    std::function<std::string(const Style &, std::string_view, size_t)> Fit =
        {};
    /// The least width of a flexible column: others are dropped before it gets
    /// narrower.
    size_t Narrowest = 20;
    /// The part of a cell that Fit must keep: cells that differ only in the
    /// rest may read the same. Null for all of it.
    std::string_view (*Essential)(std::string_view Cell) = nullptr;
    /// The name of the column in the list of missing ones; empty for its title.
    std::string Called = {};
    /// Its largest width; 0 for that of its cells.
    size_t Widest = 0;
    /// Adapts fitted cells to each other. Null if each is independent.
    void (*Level)(const Style &, const std::vector<std::string_view> &Cells,
                  std::vector<std::string> &Fitted, size_t Width) = nullptr;
    /// Fits cells that Fit would make equal. Null means apartNames() if Fit is
    /// shortenName(), otherwise none.
    std::vector<std::string> (*Apart)(const Style &,
                                      const std::vector<std::string_view> &,
                                      size_t Width) = nullptr;
    /// It names rows, as all text of importance 0 does: it is left out only if
    /// rows that differ in it also differ in other names.
    bool Names = false;
    /// Cells are lines of a tree: leading spaces are their depth and are kept,
    /// and cells are only made to differ from others of the same parent.
    bool Tree = false;
  };

  void column(Column C);
  /// One cell a column.
  void row(std::vector<std::string> Cells) { Rows.push_back(std::move(Cells)); }
  bool empty() const { return Rows.empty(); }
  size_t columns() const { return Columns.size(); }

  /// Lines with titles, each with a newline. \param Indent spaces before each
  /// \param NameMissing names the columns that did not fit below the table
  std::string render(const Style &S, unsigned Indent = 2,
                     bool NameMissing = true) const;

private:
  struct Layout {
    std::vector<size_t> Widths;
    std::vector<bool> Shown;
    size_t Wanted = 0; ///< columns that a terminal needs to show all
  };
  /// \param Dropped the least number of columns to leave out, the least
  /// important first
  Layout layOut(const Style &S, unsigned Indent, size_t Dropped = 0) const;
  using CellRows = std::vector<std::vector<std::string>>;
  /// All rows, with the cells of their columns fitted.
  CellRows fittedRows(const Style &S, const Layout &L) const;
  /// Leaves out figures if names of rows read the same for lack of room, and
  /// dropping columns helps.
  void widenNames(const Style &S, unsigned Indent, Layout &L,
                  CellRows &Cells) const;
  std::string line(const Style &S, const Layout &L, unsigned Indent,
                   const std::vector<std::string> &Cells, bool Title) const;
  /// The line that names the missing columns; empty if there are none.
  std::string missingColumns(const Style &S, const Layout &L,
                             unsigned Indent) const;
  /// The number of rows that the columns in Shown distinguish by names, with
  /// these cells.
  size_t namesIn(const std::vector<bool> &Shown, const CellRows &Of) const;
  /// The cells of a column, fitted. Different cells read differently if there
  /// is room for it.
  std::vector<std::string> fitted(const Style &S, size_t Column,
                                  size_t Width) const;
  /// Fits cells that read the same when fitted, so that they differ; none if
  /// that is impossible.
  std::vector<std::string>
  madeDistinct(const Style &S, const Column &Of,
               const std::vector<std::string_view> &Cells, size_t Width) const;
  /// Narrows the flexible columns in the table by TooMuch, the widest first.
  void narrow(Layout &L, size_t TooMuch, bool BelowLeast) const;
  std::vector<Column> Columns;
  std::vector<std::vector<std::string>> Rows;
};

/// Hint on how to show all rows.
constexpr std::string_view kTopHint = "--top 0 shows all";
/// A line about rows left out: `… 3 more sites with 2 KiB (--top 0 shows all)`.
/// \p What: one of them. \p With, \p Hint: may be empty.
std::string moreRows(const Style &S, size_t Rest, std::string_view What,
                     std::string_view With = {},
                     std::string_view Hint = kTopHint, unsigned Indent = 2);

} // namespace inmem::report

#endif
