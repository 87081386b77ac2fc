//===- LocationText.h - Locations, types and sites in text ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_TEXT_LOCATIONTEXT_H
#define INMEM_REPORT_TEXT_LOCATIONTEXT_H

#include "report/model/View.h"
#include "report/text/Table.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace inmem::report {

/// A source location on one line: `make  src/a.cpp:12`.
std::string locationText(const Style &S, const SourceLocation &P);

/// The last name of a library's demangled function: `_M_mutate`.
std::string lastName(std::string_view Function);

/// A site on one line: the user's location, followed by the library function
/// that allocated for it, if any: `Query::run  src/q.cpp:52 [_M_mutate]`.
std::string siteText(const Style &S, const SiteResult &R);

/// If lines of sites whose blocks have one name read the same, appends the
/// column, the kind of allocation, or the library's location, whichever differs
/// first. \p Lines: one for each of Sites, which belong to \p P.
void tellApart(std::vector<std::string> &Lines, const Profile &P,
               const std::vector<const SiteResult *> &Sites);

/// The part of a line that distinguishes it from others that read the same.
struct Apart {
  uint32_t Column = 0; ///< 0 if unknown
  std::string What;    ///< the line's subject
};
/// As above, for lines of any types: the column or, failing that, their
/// subject.
void tellAllApart(std::vector<std::string> &Lines,
                  const std::vector<Apart> &From);

/// A line's function, and its file with the line; empty if absent. siteText()'s
/// brackets belong to neither.
std::pair<std::string_view, std::string_view>
splitLocation(std::string_view Text);
/// Shortens a file with its line to Width, directories first.
std::string fitPath(const Style &S, std::string_view Path, size_t Width);
/// A line without siteText()'s brackets.
std::string_view withoutBracket(std::string_view Text);
/// Shortens a line to Width: brackets and directories first, then the function,
/// which is dropped if little of it would remain.
std::string fitLocation(const Style &S, std::string_view Text, size_t Width);

/// A flexible column of such lines, in which cut paths keep the same number of
/// folders. \p Bracketed: the lines have brackets, which may be dropped.
Table::Column locationColumn(std::string Title, Paint With = Paint::None,
                             size_t Narrowest = 20, bool Bracketed = false);

/// As above, for a location with a function's parameters, which are dropped
/// first.
std::string fitSignature(const Style &S, std::string_view Text, size_t Width);

/// Shortens a command to Width: drops whole arguments from the end, then the
/// program's directories. Its file name is cut last.
std::string fitCommand(const Style &S, std::string_view Command, size_t Width);

// TypeText.cpp: Names of types and blocks in text.

/// Name of a type in text: its alias, or its simplified spelling, marked if it
/// is inferred.
std::string typeText(const Style &S, const TypeResult &T);
std::string typeText(const Style &S, const TypeRow &R);
/// Name of a site's blocks: the object they belong to, such as
/// `std::vector<Foo> buffer` or, without one, their type.
std::string blocksText(const Style &S, const Profile &P, const SiteResult &R);
/// Name of a class of counted objects in the text report.
std::string classText(const Style &S, const TypeResult &T);

// SiteLines.cpp: Allocating code as lines of a table.

/// Writes the user's location nearest to a site, and records whether it was in
/// a library because call stacks are missing.
class SiteLines {
public:
  SiteLines(const Profile &Of, const Style &Look) : P(Of), S(Look) {}

  std::string line(const SiteResult &Site);
  /// As line(), for each of the sites of one table.
  std::vector<std::string> each(const std::vector<const SiteResult *> &Sites);
  /// As above, for the first \p Most of \p Rows. \p SiteOf returns a row's
  /// site.
  template <class Row, class F>
  std::vector<std::string> each(const std::vector<Row> &Rows, size_t Most,
                                F SiteOf) {
    std::vector<const SiteResult *> Sites;
    Sites.reserve(Most);
    for (size_t I = 0; I < Most; ++I)
      Sites.push_back(SiteOf(Rows[I]));
    return each(Sites);
  }

  /// True if a line showed library code without a known caller.
  bool callersMissing() const { return CallersMissing; }

private:
  const Profile &P;
  const Style &S;
  bool CallersMissing = false;
};

} // namespace inmem::report

#endif
