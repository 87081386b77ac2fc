//===- Verify.h - Steps of inmem verify-optimization ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs are judged by the kernel's counts, predictions by the lifetimes of
// blocks in a recorded run. report/ judges and prints; the functions here run
// programs and read files.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_VERIFY_H
#define INMEM_TOOLS_VERIFY_H

#include "cli/Command.h"
#include "cli/Terminal.h"
#include "files/Symbolizer.h"
#include "report/optimize/PredictionCheck.h"
#include "report/optimize/ProgramRuns.h"

namespace inmem::tools {

/// Options of the command line.
struct VerifyState {
  std::string Old, New;
  std::vector<std::string> Arguments; ///< arguments for the programs
  std::vector<std::string> Trained;   ///< traces used for predictions
  std::string Recorded; ///< program that is run to check the predictions
  std::string Output;
  TextOrJson Format = TextOrJson::Text;
  ColourMode Colour = ColourMode::Auto;
  size_t Runs = 5, Top = 10;
  double Tolerance = 2;
};

/// Error message for a profile that is useless to a compiler.
std::optional<Outcome> uselessProfile(const report::LifetimeProfile &P,
                                      const std::string &File);

/// Predictions of some runs, and their results in others.
struct Predictions {
  report::RecordedRuns Old, New;
  std::string OldName; ///< for messages
  report::PredictionCheck Checked;
  std::vector<std::string> Notes;

  /// Reads the runs that predict. On an error, \p Old is unchanged.
  std::optional<Outcome> readOld(const std::vector<std::string> &Files,
                                 CodeFiles &Code);
  /// Compares with later runs. \p Name is used in messages.
  std::optional<Outcome> compare(const std::vector<trace::Trace> &Traces,
                                 const std::string &Name, CodeFiles &Code);
};

} // namespace inmem::tools

#endif
