//===- Names.h - Words for the enumerators of the trace -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table per set; the text form, the reports and their parsers use the same
// words.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_NAMES_H
#define INMEM_TRACE_NAMES_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace inmem::trace {

struct Name {
  uint64_t Value;
  std::string_view Text;
};

extern const std::span<const Name> kExtentNames;
extern const std::span<const Name> kMapCallNames;
extern const std::span<const Name> kClockNames;
extern const std::span<const Name> kStateNames;
extern const std::span<const Name> kHeaderFlagNames; ///< bit flags
extern const std::span<const Name> kSiteKindNames;
extern const std::span<const Name> kTypeRuleNames;
extern const std::span<const Name> kTypeSourceNames, kFoundRuleNames;
extern const std::span<const Name> kSiteFlagNames;
extern const std::span<const Name> kFrameFlagNames; ///< bit flags
extern const std::span<const Name> kAddressFlagNames, kStackFlagNames;
extern const std::span<const Name> kTypeFlagNames; ///< bit flags
extern const std::span<const Name> kFieldKindNames;
extern const std::span<const Name> kObjectEventNames;
extern const std::span<const Name> kStorageNames;
extern const std::span<const Name> kMannerNames;
extern const std::span<const Name> kCopyKindNames;
extern const std::span<const Name> kCopyFlagNames; ///< bit flags
extern const std::span<const Name> kNoteNames;
extern const std::span<const Name> kSnapshotNames;
extern const std::span<const Name> kCrossingNames;
extern const std::span<const Name> kProfileClockNames;
extern const std::span<const Name> kProfileFlagNames;  ///< bit flags
extern const std::span<const Name> kLifetimeFlagNames; ///< bit flags
extern const std::span<const Name> kEventNames;

/// The word for Value; empty if it has none.
std::string_view nameOf(std::span<const Name> Names, uint64_t Value);
/// The value of a word.
std::optional<uint64_t> valueOf(std::span<const Name> Names,
                                std::string_view Text);
/// Error message for a member \p Key that has another word.
std::string needsWord(std::string_view Key, std::span<const Name> Names,
                      std::string_view Found);

} // namespace inmem::trace

#endif
