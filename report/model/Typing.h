//===- Typing.h - Rules that found types, and doubtful ones ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_TYPING_H
#define INMEM_REPORT_MODEL_TYPING_H

#include "report/model/TypeRows.h"

#include <set>

namespace inmem::report {

/// Decides the types of sites, and counts by which rules they were found.
class Typing {
public:
  Typing(const ProfileOptions &With, Profile &Out, TypeRows &Types)
      : Options(With), Out(Out), Types(Types) {}

  /// Sets and returns the row of \p Site's type: the trace's, unless blocks are
  /// too small for it, or the type that the user or a rule names for code
  /// without instrumentation.
  size_t decide(const trace::Trace &T, const trace::Entry &E, SiteResult &Site,
                const Counts &C);
  void finish();

  /// The type that the trace or the program's file has for a site without
  /// instrumentation.
  const trace::SiteType &foundFor(const trace::Trace &T, const trace::Entry &E);

  /// Types that a site was moved to or from, with the other type: the runtime's
  /// peaks do not apply to the rows of the report.
  using Moves = std::map<size_t, std::set<size_t>>;
  const Moves &retyped() const { return Retyped; }

private:
  bool assume(SiteResult &Site);
  void find(const trace::Trace &T, const trace::Entry &E, SiteResult &Site);
  std::optional<trace::SiteType> Found; ///< cached result for FoundFor
  std::pair<const trace::Trace *, uint64_t> FoundFor;
  bool examine(const trace::Trace &T, const trace::Entry &E,
               const SiteResult &Site, const Counts &C);

  const ProfileOptions &Options;
  Profile &Out;
  TypeRows &Types;
  std::map<uint32_t, Counts> Rules; ///< by rule, see nameOfRule()
  Moves Retyped;
};

} // namespace inmem::report

#endif
