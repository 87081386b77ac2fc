//===- Symbols.h - Adding source positions and types to a finished trace --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of `inmem symbolize`: one more Meta extent with SymbolRecords and
// FoundTypeRecords after the others, and a header that counts it. Everything
// else stays as it is.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_SYMBOLS_H
#define INMEM_TRACE_SYMBOLS_H

#include "trace/read/Trace.h"

#include <map>
#include <string>

namespace inmem::trace {

/// A source frame, as in FrameRecord.
struct SourceFrame {
  std::string Function, File;
  uint32_t Line = 0, Column = 0;
};
/// Keys are AddressRecord.Id; frames innermost first.
using SourceTable = std::map<uint32_t, std::vector<SourceFrame>>;

/// Keys are ids of sites or pairs.
using SiteTypes = std::map<uint32_t, SiteType>;

/// The two parts of the process's bytes that change.
struct SymbolAddition {
  std::vector<std::byte> Header; ///< replaces the first kHeaderBytes
  std::vector<std::byte> Extent; ///< to append at Trace::End
};
/// \p T must not be cut. A sealed trace stays sealed.
SymbolAddition addSymbols(const Trace &T, const SourceTable &Sources,
                          const SiteTypes &Types = {});

} // namespace inmem::trace

#endif
