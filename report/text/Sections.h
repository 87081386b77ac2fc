//===- Sections.h - The sections of the text report -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each section writes itself to a sheet, in the order of TextReport.cpp, and is
// left out if it has nothing to show.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_TEXT_SECTIONS_H
#define INMEM_REPORT_TEXT_SECTIONS_H

#include "report/base/Units.h"
#include "report/findings/Findings.h"
#include "report/text/LifetimeScale.h"
#include "report/text/LocationText.h"
#include "report/text/Sheet.h"
#include "report/text/TextReport.h"

#include <span>

namespace inmem::report {

/// The results that every section shows, and the user's choices.
struct ReportContext {
  const Profile &P;
  const View &V;
  const TextOptions &O;
  const Style &S;
};

// Head.cpp
void headSection(Sheet &To, const ReportContext &In);
/// The commands that ran, and facts about their processes.
void processSection(Sheet &To, const ReportContext &In);
/// At most \p Most lines of notes, and the number of others.
void notesSection(Sheet &To, const ReportContext &In, size_t Most);
// FindingsText.cpp
void findingsSection(Sheet &To, const ReportContext &In);
/// Subjects of findings, fitted to the columns that their titles have for them:
/// equal subjects stay equal, different ones differ.
std::vector<std::string> findingNames(const ReportContext &In,
                                      std::span<const Finding> Shown,
                                      size_t Indent);
/// Severity, subject and location on one line, or the location on a second one.
/// \param Name one of findingNames() \param Column whether to print its column,
/// because of others on the line
void findingTitle(Sheet &To, const ReportContext &In, const Finding &F,
                  const std::string &Name, size_t Indent, bool Column = false);
/// The source line and its neighbours, at most \p Most lines, or the reason why
/// they are not shown.
void sourceLines(Sheet &To, const ReportContext &In, const SourceLocation &At,
                 size_t Indent, size_t Most = 3);
// TypeTable.cpp, BucketTable.cpp, SitesTable.cpp, ThreadTable.cpp, CpuTable.cpp
void typeSection(Sheet &To, const ReportContext &In);
void bucketSection(Sheet &To, const ReportContext &In);
void siteSection(Sheet &To, const ReportContext &In, SiteLines &Lines);
void threadSection(Sheet &To, const ReportContext &In);
void cpuSection(Sheet &To, const ReportContext &In);
// FieldTable.cpp
void fieldSection(Sheet &To, const ReportContext &In);
// Details.cpp
void detailsSection(Sheet &To, const ReportContext &In, SiteLines &Lines);
// ObjectTable.cpp, Copies.cpp
void objectSection(Sheet &To, const ReportContext &In);
void copySection(Sheet &To, const ReportContext &In);
void undestroyedSection(Sheet &To, const ReportContext &In, SiteLines &Lines);
void placedSection(Sheet &To, const ReportContext &In, SiteLines &Lines);
// MappedTable.cpp
void mappedSection(Sheet &To, const ReportContext &In);
// AtPeak.cpp, Alive.cpp
void peakSection(Sheet &To, const ReportContext &In, SiteLines &Lines);
void aliveSection(Sheet &To, const ReportContext &In, SiteLines &Lines);
/// Sites with live blocks, most bytes first, and the blocks that the C and C++
/// libraries keep by design.
struct AliveSites {
  std::vector<const SiteResult *> Sites;
  Counts Libraries;
};
AliveSites aliveSites(const Profile &P);
/// Cells for columns in this order: bytes, blocks, their share of the blocks
/// that the site allocated, type, \p Location.
std::vector<std::string> aliveCells(const ReportContext &In,
                                    const SiteResult &S, std::string Location);

/// The number of rows of a section that the user did not select.
inline size_t someOf(const View &V, size_t Rows) {
  return V.Top == 0 ? Rows : std::min<size_t>(Rows, 10);
}
inline std::string lifetimeText(const ReportContext &In,
                                const std::optional<uint64_t> &Value) {
  return Value ? humanLifetime(*Value, In.P.LifetimeUnit, In.S.Unicode) : "-";
}
/// A figure that is at most \p Most, and exact if \p Known.
inline std::string atMost(const Style &S, const std::string &Most, bool Known) {
  return Known ? Most : (S.Unicode ? "≤" : "<=") + Most;
}
/// A type's peak, or its upper bound.
inline std::string peakText(const Style &S, const TypeRow &R) {
  return R.peak()         ? humanBytes(*R.peak())
         : R.peakAtMost() ? atMost(S, humanBytes(*R.peakAtMost()), false)
                          : std::string("?");
}
/// The column of types next to locations. Both fit in a width of 40.
inline Table::Column typeColumn(const Style &S) {
  return {.Title = "type",
          .Right = false,
          .Importance = 1,
          .With = Paint::Bold,
          .Fit = shortenName,
          .Widest = S.Width < 50 ? 10 : S.Width * 3 / 10,
          .Names = true};
}
/// The column of bars over a scale of lifetimes.
inline Table::Column lifetimesColumn(const Style &S,
                                     const LifetimeScale &Scale) {
  return {.Title = Scale.axis(S),
          .Right = false,
          .Importance = 1,
          .With = Paint::Cyan,
          .Called = "lifetimes"};
}
/// Adds the columns of a type and of the line that allocated its blocks.
inline void addTypeAndLine(Table &T, const Style &S, std::string LineTitle) {
  T.column(typeColumn(S));
  T.column(locationColumn(std::move(LineTitle), Paint::None,
                          S.Width < 50 ? 16 : 20, true));
}

/// The axis over the rows to show; none if no row has lifetimes.
std::optional<LifetimeScale> scaleOf(std::span<const Lifetime *const> Lifetimes,
                                     const Profile &P, size_t Width);

} // namespace inmem::report

#endif
