//===- LifetimeProfile.h - Lifetimes of blocks, for the compiler ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts (a site and the calls that lead to it) with the lifetimes of their
// blocks, added up over runs, and the MemProf profile that LLVM reads.
// docs/optimize.md describes the choice and encoding of classes.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_OPTIMIZE_LIFEPROFILE_H
#define INMEM_REPORT_OPTIMIZE_LIFEPROFILE_H

#include "report/base/Histogram.h"
#include "report/optimize/CallTable.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace inmem::report {

/// Recorded time of a process.
double millisecondsOf(const trace::FileHeader &H);

/// The lifetime of blocks relative to the run.
enum class LifetimeClass { Short, Phase, Steady };
std::string_view nameOf(LifetimeClass Class);

/// The blocks of a context with lifetimes of one class.
struct ClassLifetimes {
  uint64_t Blocks = 0, Bytes = 0;
  /// The memory that they used: bytes times milliseconds.
  double Held = 0;
  double meanSize() const {
    return Blocks == 0
               ? 0
               : static_cast<double>(Bytes) / static_cast<double>(Blocks);
  }
  void add(const ClassLifetimes &Other);
};

struct ContextLifetimes {
  uint64_t Blocks = 0, Bytes = 0;
  std::array<ClassLifetimes, 3> Of; ///< by LifetimeClass
  double Milliseconds = 0;          ///< sum of lifetimes
  uint64_t Least = ~uint64_t{0},
           Most = 0; ///< lowest and highest mean size of a run
  /// A library without sites allocates. The innermost frame calls it.
  bool InLibrary = false;

  ClassLifetimes &of(LifetimeClass C) { return Of[static_cast<size_t>(C)]; }
  const ClassLifetimes &of(LifetimeClass C) const {
    return Of[static_cast<size_t>(C)];
  }
  void add(const ContextLifetimes &Other);
  /// Fills Of and Milliseconds: blocks in \p Freed by their lifetimes; all
  /// others are alive at the end. \param Run length of the run in the unit of
  /// \p Freed
  void sortLifetimes(const Histogram &Freed, uint64_t Run,
                     double RunMilliseconds);
  double held() const { return Of[0].Held + Of[1].Held + Of[2].Held; }
  /// The class of most blocks. For buffers that grow, the class of the last
  /// block, if the longer-lived blocks use most of the memory, have a third of
  /// the bytes or more, and are at least twice as large as the short-lived
  /// ones.
  LifetimeClass lifetimeClass() const;
  /// Counts all blocks as short-lived.
  void takeForShort();
};

/// Facts about code that a trace lacks.
class CodeSource {
public:
  virtual ~CodeSource() = default;
  /// The first line of the function with this linkage name, as in DWARF. If
  /// several functions have the name, that of the one nearest \p Line.
  virtual std::optional<uint32_t> firstLine(const trace::Module &Of,
                                            std::string_view Function,
                                            uint32_t Line) = 0;
  /// The frames at an address, inlined calls included, innermost first, with
  /// linkage names and columns; empty if unknown.
  virtual std::vector<trace::Frame> expand(const trace::Module &Of,
                                           uint64_t Offset) = 0;
};

struct LifetimeProfile {
  /// The calls that contexts consist of. Copies of a profile share them.
  std::shared_ptr<CallTable> Calls = std::make_shared<CallTable>();
  std::map<CallStack, ContextLifetimes> Contexts;
  /// Blocks of instrumented sites, and of sites that no compiler could map to
  /// a source line.
  uint64_t Blocks = 0, Unplaced = 0;
  /// A function without a known first line; empty if all are known.
  std::string Unknown;
  bool Stacks = false; ///< whether any context has a caller frame

  void add(const trace::Trace &T, CodeSource &Code);
  /// The lifetimes of a context; a new one has no blocks. Recursion is folded.
  ContextLifetimes &of(const CodeStack &Frames);
  /// Drops library contexts that have few blocks, such as buffers of the C
  /// library.
  void dropRare();
  /// Drops library contexts that are rare or short, because they do not change
  /// a call.
  void dropUnused();
  /// True if separate pages for phases reduce memory. If short-lived blocks use
  /// more memory than all others, they fill the space that a phase leaves free.
  /// If phases use nine tenths, there is little to separate them from.
  bool phasesGain() const;
  void takePhasesForShort();
  size_t sites() const; ///< contexts with distinct innermost frames
  size_t countOf(LifetimeClass Class) const;
};

/// A profile as text, for `llvm-profdata merge`.
struct MemProf {
  std::string Text;
  size_t Contexts = 0; ///< contexts that the text distinguishes
  /// Bytes of blocks in the text whose class is not that of most blocks of
  /// their context. It exceeds 0 only if the limit forced contexts to be
  /// merged.
  uint64_t MixedBytes = 0;
};

/// llvm-profdata uses about 20 times the text's size in memory.
constexpr size_t kMostMemProf = size_t{32} << 20;

/// Prints each context up to the caller from which all contexts have one class.
/// If the text would still be longer than \p Most bytes, contexts are merged
/// further in, beginning where the fewest bytes differ in class.
MemProf printMemProf(const LifetimeProfile &P, size_t Most = kMostMemProf);

} // namespace inmem::report

#endif
