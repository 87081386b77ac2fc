//===- Blame.h - Which class causes allocation ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each class (or, for functions outside of classes, namespace or function) on a
// stack has a share in the blocks allocated there, once per stack, however
// often it occurs. One of them has the direct blame: the innermost relevant
// frame.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_BLAME_H
#define INMEM_REPORT_BLAME_H

#include "report/model/Profile.h"

namespace inmem::report {

struct BlameOptions {
  /// Functions that start with one of these, return type excluded, are skipped.
  /// Example: `std::`.
  std::vector<std::string> Ignore;
  /// If not empty, only frames that start with one of these are relevant.
  std::vector<std::string> Target;
  /// Also skip frames of the C or C++ library (isLibrary), unless Target names
  /// them or no other frame on the stack is relevant.
  bool PassLibrary = true;

  /// True if any option differs from its default.
  bool chosen() const {
    return !Ignore.empty() || !Target.empty() || !PassLibrary;
  }
};

/// Code of the C or C++ library, which acts for its caller: by the function's
/// name, the shared library, or the source file.
bool isLibrary(const StackFrame &F);

/// Computes StackFrame::OfLibrary of all frames.
void markLibraryFrames(CallStacks &Of);

/// True if a frame is a function, rather than a signal, or a placeholder for
/// missing callers.
bool isCode(const StackFrame &F);

/// A share of the blocks allocated by a class, or below it.
struct BlameShare {
  std::string Name;
  uint64_t Blocks = 0, Bytes = 0, LiveBytes = 0; ///< anywhere on the stack
  uint64_t DirectBlocks = 0, DirectBytes = 0; ///< as innermost relevant frame
};

struct BlameRow : BlameShare {
  std::vector<BlameShare> Methods; ///< most bytes first
};

struct BlameResult {
  std::vector<BlameRow> Classes; ///< most direct bytes first
  /// Stacks without a relevant frame.
  uint64_t NobodyBlocks = 0, NobodyBytes = 0;
};

/// Relevance of a frame.
enum class Relevance : uint8_t { None, Library, Full };

/// Relevance of a profile's frames, each computed on first use, because the
/// same frames occur on many stacks. Not thread-safe; refers to both arguments.
class FrameRelevance {
public:
  FrameRelevance(const Profile &Of, const BlameOptions &With)
      : P(Of), Options(With), Known(Of.Calls.Frames.size()) {}

  Relevance of(uint32_t Frame);
  /// The innermost relevant frame of \p Frames (of P.Calls, outermost first);
  /// none if no frame is relevant.
  std::optional<uint32_t> innermost(const std::vector<uint32_t> &Frames);

private:
  const Profile &P;
  const BlameOptions &Options;
  std::vector<std::optional<Relevance>> Known; ///< by frame
};

/// As FrameRelevance::innermost(), for a single stack.
std::optional<uint32_t>
innermostThatMatters(const Profile &P, const std::vector<uint32_t> &Frames,
                     const BlameOptions &Options);

struct TypeRow;

/// \param Of count only its blocks; null for all types together
BlameResult blame(const Profile &P, const BlameOptions &Options,
                  const TypeRow *Of = nullptr);

} // namespace inmem::report

#endif
