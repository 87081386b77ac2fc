//===- SiteRows.h - Sites, as one row for one place -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_SITEROWS_H
#define INMEM_REPORT_MODEL_SITEROWS_H

#include "report/model/CallStacks.h"
#include "report/names/TypeName.h"
#include "trace/read/Reader.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace inmem::report {

/// Demangles each linkage name once.
class PlainNames {
public:
  const std::string &plain(std::string_view Linkage) {
    const auto [Where, New] = Plain.try_emplace(std::string(Linkage));
    if (New)
      Where->second = demangle(Linkage);
    return Where->second;
  }

private:
  std::unordered_map<std::string, std::string> Plain;
};

// NoteList.cpp: Notes on traces without duplicates.

/// Holds pointers to the traces.
class NoteList {
public:
  /// Notes \p Text on \p T. Each text is stored once, with its traces.
  void add(const trace::Trace &T, std::string Text);
  /// Writes one line for all traces with the same note.
  void writeTo(std::vector<std::string> &Out) const;

private:
  std::vector<std::pair<std::string, std::vector<const trace::Trace *>>> Notes;
  size_t MoreNotes = 0;
};

// SiteRows.cpp: Sites, as one row per place.

/// Describes sites, and finds the row of one or adds it.
class SiteRows {
public:
  SiteRows(CallerResolver *Resolver, std::vector<SiteResult> &Rows,
           PlainNames &Names, StackBuilder &Calls, NoteList &Notes)
      : Resolver(Resolver), Rows(Rows), Names(Names), Calls(Calls),
        Notes(Notes) {}

  SiteResult describe(const trace::Trace &T, const trace::Entry &E,
                      size_t Type);
  /// As above, for blocks, which a std::pmr resource may have requested.
  SiteResult describeBlocks(const trace::Trace &T, const trace::Entry &E,
                            size_t Type);
  /// The row of a site. Sites that show the same location and the same caller
  /// share a row.
  size_t of(SiteResult Site);

  /// Makes one of the site's callers, given by its number from the site
  /// outwards, the caller of \p Of.
  void chooseCaller(const trace::Trace &T, const trace::Site &S, size_t Call,
                    SiteResult &Of);

private:
  /// The type of the blocks that a std::pmr resource requested at \p S; empty
  /// if none did.
  std::string_view resourceOf(const trace::Trace &T, const trace::Site &S);
  SiteResult describeCaller(const trace::Trace &T, const trace::Site &S,
                            size_t Type);
  /// The inlined calls at the address of a site without instrumentation,
  /// innermost first; the last is the function itself. Empty if unknown.
  std::vector<SourceLocation> inlinedAt(const trace::Trace &T,
                                        const trace::Site &S);
  /// The inlined calls at an address, innermost first; empty if unknown.
  const std::vector<SourceLocation> &codeAt(const trace::Module &M,
                                            uint64_t Offset);
  /// As above, with files as reports show them.
  std::vector<SourceLocation> shownCodeAt(const trace::Module &M,
                                          uint64_t Offset);
  /// The inlined calls at a call, innermost first; the function alone if there
  /// are none.
  std::vector<SourceLocation> codeOfCall(const trace::Trace &T,
                                         const trace::CallerCall &C);
  /// The user's call that led to a site; null if the trace lacks it.
  std::optional<SourceLocation> callerOf(const trace::Trace &T,
                                         const trace::Site &S);
  /// The user's place in the code at a call.
  SourceLocation placeOf(const trace::Trace &T, const trace::CallerCall &Call);
  /// Functions of the C++ library on the path from the program to \p S,
  /// innermost first, if the path leads through an allocator.
  std::vector<std::string> throughAllocator(const trace::Trace &T,
                                            const trace::Site &S);
  /// Appends the calls from a site's caller to the site, innermost first.
  void addCallers(const trace::Trace &T, const trace::Site &S,
                  std::vector<SourceLocation> &To);
  const std::string &plain(std::string_view Linkage) {
    return Names.plain(Linkage);
  }

  CallerResolver *Resolver;
  std::vector<SiteResult> &Rows;
  PlainNames &Names;
  StackBuilder &Calls;
  NoteList &Notes;
  std::unordered_map<std::string, size_t> Index;
  std::unordered_map<std::string, std::string> Aliases; ///< by chain
  /// Keyed by module and offset.
  std::unordered_map<std::string, std::vector<SourceLocation>> Code;
};

} // namespace inmem::report

#endif
