//===- LifeProfile.h - How long blocks live, for the compiler --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts (a site and the calls that lead to it) with the lives of their
// blocks, added up over runs, and the MemProf profile that LLVM's compiler
// reads. docs/optimize.md says how classes are decided and how they stand in
// the profile.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_OPTIMIZE_LIFEPROFILE_H
#define INMEM_REPORT_OPTIMIZE_LIFEPROFILE_H

#include "report/model/Histogram.h"

#include <array>
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace inmem::report {

/// How long a process was recorded.
double millisecondsOf(const trace::FileHeader &H);

/// A place in code as a profile names it: independent of where in its file the
/// function stands.
struct CodeFrame {
  std::string Function; ///< linkage name
  uint32_t LineOffset = 0, Column = 0;
  bool Inlined = false; ///< into the next frame
  auto operator<=>(const CodeFrame &) const = default;
};
/// Innermost first.
using CodeStack = std::vector<CodeFrame>;

/// How long blocks live, measured by the run.
enum class LifeClass { Short, Phase, Steady };
std::string_view nameOf(LifeClass Class);

/// What lived for one class's length of time.
struct ClassLives {
  uint64_t Blocks = 0, Bytes = 0;
  /// Bytes times milliseconds: the memory that they held.
  double Held = 0;
  double meanSize() const {
    return Blocks == 0
               ? 0
               : static_cast<double>(Bytes) / static_cast<double>(Blocks);
  }
  void add(const ClassLives &Other);
};

struct ContextLives {
  uint64_t Blocks = 0, Bytes = 0;
  std::array<ClassLives, 3> Of;            ///< by LifeClass
  double Milliseconds = 0;                 ///< sum of lives
  uint64_t Least = ~uint64_t{0}, Most = 0; ///< mean sizes, over runs
  /// The block is made by a library without sites, which the innermost frame
  /// calls.
  bool InLibrary = false;

  ClassLives &of(LifeClass C) { return Of[static_cast<size_t>(C)]; }
  const ClassLives &of(LifeClass C) const { return Of[static_cast<size_t>(C)]; }
  void add(const ContextLives &Other);
  /// Sorts the blocks into Of: \p Freed by the length of their lives, the rest
  /// as alive at the end. \p Run is the length of the run in their unit, and
  /// \p Milliseconds what it is in time.
  void sortLives(const Histogram &Freed, uint64_t Run, double RunMilliseconds);
  double held() const { return Of[0].Held + Of[1].Held + Of[2].Held; }
  /// The class of the blocks that hold most of the memory. Blocks of which the
  /// longer-lived are less than a third of all bytes are not taken for those: a
  /// buffer that grows is allocated step by step, and the last step, which
  /// stays, has a third or more.
  LifeClass lifeClass() const;
  /// Makes the class short.
  void takeForShort();
};

/// What a trace cannot say of its code by itself.
class CodeSource {
public:
  virtual ~CodeSource() = default;
  /// The line that the function of this linkage name begins at, as the
  /// compiler counts; near \p Line where several have the name.
  virtual std::optional<uint32_t> firstLine(const trace::Module &Of,
                                            std::string_view Function,
                                            uint32_t Line) = 0;
  /// What runs at an address, inlined calls expanded, innermost first, with
  /// linkage names and columns; empty: not known.
  virtual std::vector<trace::Frame> expand(const trace::Module &Of,
                                           uint64_t Offset) = 0;
};

struct LifeProfile {
  std::map<CodeStack, ContextLives> Contexts;
  /// Blocks of instrumented sites, and those of them whose site has no place
  /// that the compiler could find again.
  uint64_t Blocks = 0, Unplaced = 0;
  /// A function whose first line was not found; empty: none.
  std::string Unknown;
  bool Stacks = false; ///< some contexts have callers that were not inlined

  void add(const trace::Trace &T, CodeSource &Code);
  /// Drops contexts of libraries that are short, or have a few blocks: no call
  /// is changed for them.
  void dropUnused();
  /// Takes phases for short where they gain nothing: where short-lived blocks
  /// hold more than all others, those fill what a phase leaves free, and its
  /// own pages would come on top; where phases hold nine tenths, there is
  /// nothing to keep them apart from.
  void joinPhases();
  size_t sites() const; ///< contexts that differ in the innermost frame
  size_t countOf(LifeClass Class) const;
};

/// The profile in the text form that `llvm-profdata merge` reads.
std::string printMemProf(const LifeProfile &P);

} // namespace inmem::report

#endif
