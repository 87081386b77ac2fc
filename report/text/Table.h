//===- Table.h - Text that fits a terminal ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns in a given width: flexible ones share the rest and are shortened, the
// widest first; columns are left out, least important first, where those would
// get too narrow. Knows colours, Unicode and its absence.
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

/// A C++ name in at most \p Width columns. A function's parameters go first,
/// then template arguments, innermost before outer:
/// `std::map<int, std::vector<…>>`, then `std::map<…>`; the end is cut last.
/// Thread-safe.
std::string shortenName(const Style &S, std::string_view Name, size_t Width);

/// Drops `std::` in front of its words: `vector<string>`. `my_std::` and
/// `ns::std::` stay.
std::string withoutStd(std::string Text);

/// The part of a name that may be laid out: the beginning of one that no
/// programmer wrote, or all. Fitting a line reads all of a name many times.
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

/// Columns that UTF-8 text takes; escape sequences count too.
size_t displayWidth(std::string_view Text);

/// Text made safe to print: control characters become `?`, and without
/// Unicode all that is not ASCII.
std::string printable(const Style &S, std::string_view Text);

/// Cuts a text at the end to at most Width columns: a middle that is missing
/// from a name makes another name of it.
std::string cutEnd(const Style &S, std::string_view Text, size_t Width);

class Table {
public:
  /// \param Importance 0 is never left out; of others the highest is dropped
  /// first.
  struct Column {
    std::string Title;
    bool Right = true;
    bool Flexible = false;
    unsigned Importance = 0;
    Paint With = Paint::None;
    /// Makes a cell fit; cutEnd() by default.
    std::function<std::string(const Style &, std::string_view, size_t)> Fit =
        {};
    /// Least width of a flexible column: others give way before it has less.
    size_t Narrowest = 20;
    /// The part of a cell that Fit must not drop: cells that differ in nothing
    /// else may read the same. Null: all of it.
    std::string_view (*Essential)(std::string_view Cell) = nullptr;
    /// Name for a column that is left out; empty: its title.
    std::string Called = {};
    /// It is never wider than this; 0: as wide as its cells.
    size_t Widest = 0;
    /// Adapts fitted cells to each other. Null: each is for itself.
    void (*Level)(const Style &, const std::vector<std::string_view> &Cells,
                  std::vector<std::string> &Fitted, size_t Width) = nullptr;
    /// Fits cells that Fit would make equal. Null: apartNames() if Fit is
    /// shortenName(), or else none.
    std::vector<std::string> (*Apart)(const Style &,
                                      const std::vector<std::string_view> &,
                                      size_t Width) = nullptr;
    /// It names rows, as all text of importance 0 does: left out only if rows
    /// that differ in it differ in other names, too.
    bool Names = false;
    /// Cells are lines of a tree: spaces in front are their depth, which stays,
    /// and cells are made to differ from others of the same parent only.
    bool Tree = false;
  };

  void column(Column C);
  /// One cell a column.
  void row(std::vector<std::string> Cells) { Rows.push_back(std::move(Cells)); }
  bool empty() const { return Rows.empty(); }
  size_t columns() const { return Columns.size(); }

  /// Lines with titles, each ending in a newline.
  /// \param Indent spaces in front of each
  /// \param NameMissing names the columns that did not fit below
  std::string render(const Style &S, unsigned Indent = 2,
                     bool NameMissing = true) const;

private:
  struct Layout {
    std::vector<size_t> Widths;
    std::vector<bool> Shown;
    size_t Wanted = 0; ///< columns of a terminal that shows all
  };
  /// \param Dropped the number of columns that are left out in any case, the
  /// least important first
  Layout layOut(const Style &S, unsigned Indent, size_t Dropped = 0) const;
  using CellRows = std::vector<std::vector<std::string>>;
  /// All rows, their shown cells made to fit.
  CellRows fittedRows(const Style &S, const Layout &L) const;
  /// Leaves out figures if names of rows read the same for lack of room, and
  /// fewer columns help.
  void widenNames(const Style &S, unsigned Indent, Layout &L,
                  CellRows &Cells) const;
  std::string line(const Style &S, const Layout &L, unsigned Indent,
                   const std::vector<std::string> &Cells, bool Title) const;
  /// The line that names the columns that are not shown; empty if there are
  /// none.
  std::string missingColumns(const Style &S, const Layout &L,
                             unsigned Indent) const;
  /// The number of rows that the columns in Shown distinguish by names, of
  /// these cells.
  size_t namesIn(const std::vector<bool> &Shown, const CellRows &Of) const;
  /// The cells of a column, made to fit; cells that differ read differently if
  /// there is room for it.
  std::vector<std::string> fitted(const Style &S, size_t Column,
                                  size_t Width) const;
  /// Cells that read the same once they fit, fitted so that they differ; none
  /// if that cannot be.
  std::vector<std::string>
  madeDistinct(const Style &S, const Column &Of,
               const std::vector<std::string_view> &Cells, size_t Width) const;
  /// Takes as much from the flexible columns that are shown, the widest first.
  void narrow(Layout &L, size_t TooMuch, bool BelowLeast) const;
  std::vector<Column> Columns;
  std::vector<std::vector<std::string>> Rows;
};

/// Hint on how to show all rows.
constexpr std::string_view kTopHint = "--top 0 shows all";
/// A line about rows that are left out: `… 3 more sites with 2 KiB (--top 0
/// shows all)`. \p What: one of them. \p With, \p Hint: may be empty.
std::string moreRows(const Style &S, size_t Rest, std::string_view What,
                     std::string_view With = {},
                     std::string_view Hint = kTopHint, unsigned Indent = 2);

} // namespace inmem::report

#endif
