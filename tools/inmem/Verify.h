//===- Verify.h - Steps of inmem verify-optimization ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs are judged by what the kernel counts, predictions by how long the
// blocks of a recorded run lived. report/ prints predictions.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_VERIFY_H
#define INMEM_TOOLS_VERIFY_H

#include "CodeFiles.h"
#include "Command.h"
#include "Measure.h"
#include "report/formats/Json.h"
#include "report/optimize/PredictionCheck.h"
#include "report/optimize/RunFigure.h"
#include "report/text/Table.h"

#include <functional>

namespace inmem::tools {

/// Options of the command line.
struct VerifyState {
  std::string Old, New;
  std::vector<std::string> Arguments; ///< of the programs
  std::vector<std::string> Trained;   ///< traces that predict
  std::string Recorded; ///< a program that shows if they are right
  std::string Format = "text", Output, Colour = "auto";
  size_t Runs = 5, Top = 10;
  double Tolerance = 2;
};

std::string changeText(double Old, double New);
std::string bytesText(double Bytes);
std::string countText(double Count);
std::string secondsText(double Seconds);

/// A figure of both programs, over all runs.
struct Figure : report::RunFigure {
  const char *Name, *Title;
  /// Nothing if the run was too short.
  std::function<std::optional<double>(const RunCost &)> Of;
  std::function<std::string(double)> Show;
};

/// Measurements of two programs, and the allocations of both.
struct Measured {
  Measured();
  std::vector<Figure> All;
  std::vector<uint64_t> Lines[2]; ///< RSS over time, of the last runs
  double Longest = 0;             ///< seconds that a run of either takes
  std::optional<LiveBytes> Live;  ///< of the program that could be recorded

  void add(bool IsNew, const RunCost &Cost);
  void finish(); ///< after the last run
  bool worse(double Tolerance) const;
  std::string text(const VerifyState &S, const report::Style &Style) const;
  std::string overTime(const report::Style &Style) const;
  report::Json json(const VerifyState &S) const;
};

/// Traces' figures for whole runs.
struct RecordedRuns {
  report::LifeProfile Lives;
  uint64_t Blocks = 0, Bytes = 0;
  std::optional<uint64_t> PeakBytes; ///< not if blocks were sampled
  double Seconds = 0;
  trace::ClockKind Clock = trace::ClockKind::Auto;
  size_t Depth = 0;               ///< of stacks; 0: none
  std::vector<std::string> Notes; ///< what the user should know of them
};

/// Error message for a profile that is of no use to a compiler.
std::optional<Outcome> uselessProfile(const report::LifeProfile &P,
                                      const std::string &File);

/// Predictions of some runs, and what became of them in others.
struct Predictions {
  RecordedRuns Old, New;
  std::string OldName; ///< for messages
  report::PredictionCheck Checked;
  std::vector<std::string> Notes;

  /// Reads the runs that predict. \p Old stays as it is if there is an error.
  std::optional<Outcome> readOld(const std::vector<std::string> &Files,
                                 CodeFiles &Code);
  /// Compares with what came after; \p Name of it, for messages.
  std::optional<Outcome> compare(const std::vector<trace::Trace> &Traces,
                                 const std::string &Name, CodeFiles &Code);
  /// Of the peak of live bytes; not judged unless both did the same work.
  std::string_view peakVerdict(double Tolerance) const;
  std::string figuresText(const VerifyState &S,
                          const report::Style &Style) const;
  report::Json figuresJson(const VerifyState &S) const;
};

} // namespace inmem::tools

#endif
