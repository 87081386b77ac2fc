//===- Printer.h - The text report while it is written --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_TEXT_PRINTER_H
#define INMEM_REPORT_TEXT_PRINTER_H

#include "report/base/Units.h"
#include "report/model/Undestroyed.h"
#include "report/model/UserLocations.h"
#include "report/text/LifeScale.h"
#include "report/text/LocationText.h"
#include "report/text/TextReport.h"

#include <span>

namespace inmem::report {

struct Finding;

/// Writes the sections of a report one after another; its members are divided
/// by section: one file each.
class Printer {
public:
  Printer(const Profile &Of, const View &With, const TextOptions &Options)
      : P(Of), V(With), O(Options), S(Options.Look) {
    V.HeapOnly = true; // Objects have a table of their own.
  }

  std::string run();

private:
  void line(std::string_view Text) {
    Out += Text;
    Out += '\n';
  }
  void title(std::string_view Text) {
    line("");
    line(paint(S, Paint::Bold, cutEnd(S, Text, S.Width)));
  }
  /// Who made the blocks of a site: the nearest place of the user's own.
  std::string madeBy(const SiteResult &Site);
  /// As madeBy(), one line for each of the sites of one table.
  std::vector<std::string>
  madeByEach(const std::vector<const SiteResult *> &Sites);
  /// Rows of a section that is not what was asked for.
  size_t someOf(size_t Rows) const {
    return V.Top == 0 ? Rows : std::min<size_t>(Rows, 10);
  }
  /// Says how many rows are left out.
  void more(size_t Rest, std::string_view What, std::string_view With = {},
            std::string_view Hint = kTopHint, unsigned Indent = 2) {
    if (Rest > 0)
      line(moreRows(S, Rest, What, With, Hint, Indent));
  }
  std::string life(const std::optional<uint64_t> &Value) const {
    return Value ? humanLife(*Value, P.LifeUnit, S.Unicode) : "-";
  }
  /// A figure that is at most \p Most, and known if \p Known.
  std::string atMost(const std::string &Most, bool Known) const {
    return Known ? Most : (S.Unicode ? "≤" : "<=") + Most;
  }
  // Of types, and the least of places beside them: both are there at 40.
  size_t typeRoom() const { return S.Width < 50 ? 10 : S.Width * 3 / 10; }
  size_t narrowLocation() const { return S.Width < 50 ? 16 : 20; }
  std::string dot() const { return S.Unicode ? " · " : " - "; }
  /// Text that is wrapped at spaces; what is longer than a line is cut.
  /// \param Lead is put into the first line's indentation
  void paragraph(std::string_view Text, size_t Indent,
                 std::string_view Lead = {}, Paint Color = Paint::None);
  /// Parts joined by dots, over several lines if need be.
  void wrapped(const std::vector<std::string> &Parts, unsigned Indent);
  // Head.cpp
  void head();
  void commandLine(std::string_view Lead, const std::string &Command,
                   const std::string &Facts);
  void notes();
  void totals();
  // Findings.cpp
  void findings();
  std::string savesText(const Finding &F) const;
  void source(const SourceLocation &At, size_t Indent);
  // TypeTable.cpp, SiteTable.cpp, ThreadTable.cpp
  void typeTable();
  void bucketTable();
  void siteTable();
  void threadTable();
  // CpuTable.cpp
  void cpuTable();
  // Details.cpp
  void details(const TypeResult &T);
  void facts(const TypeResult &T);
  void bars(const TypeResult &T);
  void sitesOf(const TypeResult &T);
  // Alive.cpp, Objects.cpp, Copies.cpp
  void atPeak();
  void alive();
  void objects();
  /// Objects of one place that were never destroyed.
  struct Survivors {
    uint64_t Count;
    std::string_view How; ///< in which storage
    std::string Where;
    Apart From;
  };
  std::vector<Survivors> survivorsOf(const Undestroyed &Of);
  void leakedObjects();
  void heldObjects();
  /// Explains how to see who calls the library's code; at an offset of Out, or
  /// at its end.
  void callersHint(std::optional<size_t> UnderFindings);
  void copies();

  const Profile &P;
  bool CallersMissing = false; ///< a place is inside a library
  View V;
  const TextOptions &O;
  const Style &S;
  std::string Out;
};

/// The axis over the rows to be shown; none if none has lifetimes.
std::optional<LifeScale> scaleOf(std::span<const Lifetime *const> Lives,
                                 const Profile &P, size_t Width);

} // namespace inmem::report

#endif
