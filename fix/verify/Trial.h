//===- Trial.h - A program before and after a patch -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_TRIAL_H
#define INMEM_FIX_TRIAL_H

#include "fix/PatchOutput.h"
#include "fix/verify/ChildProcess.h"
#include "fix/verify/Tree.h"

namespace inmem::fix {

/// Medians of several runs.
struct Figures {
  double Blocks = 0, Bytes = 0, Peak = 0, Cpu = 0;
  double CpuSpread = 0; ///< the largest minus the smallest
};

/// One run of the program.
struct OneRun {
  Ended End;
  std::string Output;
  double Blocks = 0, Bytes = 0, Peak = 0;
};

/// Result of trying a patch.
struct Verdict {
  bool Kept = false;
  std::string Why;                                 ///< why it was not kept
  double Blocks = 0, Bytes = 0, Peak = 0, Cpu = 0; ///< after minus before
  double BlocksBefore = 0;
};

/// Builds trees and runs the program in them.
class Trial {
public:
  /// \param Scratch a folder for traces and output
  Trial(const Request &R, std::string Scratch)
      : R(R), Scratch(std::move(Scratch)) {}

  /// \returns an error message; empty on success.
  std::string build(const Tree &T) const;
  std::string test(const Tree &T) const;
  llvm::Expected<OneRun> runOnce(const Tree &T) const;
  /// Runs \p Before and \p After alternately. \param Blocks, Bytes the promised
  /// savings
  Verdict compare(const Tree &Before, const Tree &After, uint64_t Blocks,
                  uint64_t Bytes) const;

private:
  std::string folderIn(const Tree &T) const;

  const Request &R;
  std::string Scratch;
};

// VerifyPatches.cpp: Trials of patches.

/// Tries each patch alone, then all kept ones together. Prints a table to
/// standard output and progress to standard error. With an output folder,
/// writes kept patches and measurements there, and reuses measurements found
/// there. \returns the exit code; 128 + N after signal N
llvm::Expected<int> verify(const Request &R, const std::vector<Fix> &All);

} // namespace inmem::fix

#endif // INMEM_FIX_TRIAL_H
