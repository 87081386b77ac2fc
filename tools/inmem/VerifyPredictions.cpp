//===- VerifyPredictions.cpp - Lifetimes against predictions --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Inputs.h"
#include "Verify.h"
#include "report/base/Units.h"
#include "report/names/TypeName.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace inmem::tools {

using report::Json;

std::optional<Outcome> uselessProfile(const report::LifeProfile &P,
                                      const std::string &File) {
  if (P.Blocks == 0)
    return Outcome{
        kUnreadable,
        File + ": expected blocks of code compiled with inmem, found none"};
  if (P.Unplaced < P.Blocks)
    return std::nullopt;
  return Outcome{
      kUnreadable,
      File + ": the first line of " +
          (P.Unknown.empty() ? "any function" : P.Unknown) +
          " was not found: the program must still be the file that was "
          "recorded, compiled by this inmem or with -g"};
}

/// The depth with which stacks were kept, as far as it shows.
static size_t depthOf(const trace::Trace &T) {
  constexpr size_t kUsual = 16; // as the documentation says
  size_t Deepest = 0;
  bool Cut = false;
  for (const trace::Stack &Each : T.Stacks) {
    Deepest = std::max<size_t>(Deepest, Each.Depth);
    Cut |= (Each.Flags & trace::kStackCut) != 0;
  }
  return Deepest == 0 || Cut ? Deepest : std::max(Deepest, kUsual);
}

/// Reads several traces; an error if they contain nothing.
static std::optional<Outcome> readRuns(const std::vector<trace::Trace> &Traces,
                                       const std::string &Name, CodeFiles &Code,
                                       RecordedRuns &Out) {
  if (const auto Damage = firstDamage(Traces))
    return Outcome::unreadable(*Damage);
  const auto Sums = report::buildProfile(Traces);
  if (!Sums)
    return Outcome::unreadable(Sums.status());
  Out.Blocks = Sums->Totals.Allocations;
  Out.Bytes = Sums->Totals.AllocatedBytes;
  Out.PeakBytes = Sums->PeakLiveBytes;
  Out.Notes = Sums->Notes;
  for (const trace::Trace &T : Traces) {
    Out.Lives.add(T, Code);
    Out.Seconds += report::millisecondsOf(T.Header) / 1e3;
    Out.Clock = T.Header.Clock;
    Out.Depth = std::max(Out.Depth, depthOf(T));
  }
  if (auto Useless = uselessProfile(Out.Lives, Name))
    return Useless;
  if (Out.Lives.Unplaced > 0)
    Out.Notes.push_back(
        Name + ": " + report::humanShare(Out.Lives.Unplaced, Out.Lives.Blocks) +
        " of the blocks are of sites that have no place the compiler could "
        "find; the first line of " +
        (Out.Lives.Unknown.empty() ? "a function" : Out.Lives.Unknown) +
        " was not found");
  return std::nullopt;
}

std::optional<Outcome>
Predictions::readOld(const std::vector<std::string> &Files, CodeFiles &Code) {
  const auto Traces = readInputs(Files);
  if (!Traces)
    return Outcome::unreadable(Traces.status());
  OldName = Files.front();
  return readRuns(*Traces, OldName, Code, Old);
}

std::optional<Outcome>
Predictions::compare(const std::vector<trace::Trace> &Traces,
                     const std::string &Name, CodeFiles &Code) {
  if (auto Failure = readRuns(Traces, Name, Code, New))
    return Failure;
  Checked = compareLives(Old.Lives, New.Lives);
  if (Checked.Contexts.empty())
    return Outcome{kUnreadable,
                   Name + ": expected contexts that " + OldName +
                       " has, found none: is it the same program, recorded "
                       "with the same stacks=?"};
  Notes = Old.Notes;
  Notes.insert(Notes.end(), New.Notes.begin(), New.Notes.end());
  const auto UnitOf = [](const RecordedRuns &R) {
    return R.Clock == trace::ClockKind::Events ? "bytes" : "time";
  };
  if (UnitOf(Old) != std::string_view(UnitOf(New)))
    Notes.push_back("lifetimes are predicted in " + std::string(UnitOf(Old)) +
                    " and measured in " + UnitOf(New) +
                    " (clock=): classes may differ by that alone");
  if ((Old.Depth == 0) != (New.Depth == 0))
    Notes.push_back(std::string("only the ") +
                    (Old.Depth == 0 ? "new" : "old") +
                    " run has stacks (stacks=): sites with callers have no "
                    "counterpart");
  return std::nullopt;
}

bool Predictions::hold() const {
  constexpr double kEnough = 0.9;
  return Checked.share() >= kEnough;
}

std::string_view Predictions::peakVerdict(double Tolerance) const {
  constexpr double kSame = 1; // %
  const auto Above = [](uint64_t A, uint64_t B, double Percent) {
    return static_cast<double>(A) >
           static_cast<double>(B) * (1 + Percent / 100);
  };
  if (!Old.PeakBytes || !New.PeakBytes || Above(New.Bytes, Old.Bytes, kSame) ||
      Above(Old.Bytes, New.Bytes, kSame))
    return "not judged";
  return Above(*New.PeakBytes, *Old.PeakBytes, Tolerance)   ? "worse"
         : Above(*Old.PeakBytes, *New.PeakBytes, Tolerance) ? "better"
                                                            : "same";
}

/// True if a linkage name is one of the C++ library's.
static bool isStandard(std::string_view Name) {
  for (const std::string_view Prefix :
       {"_ZSt", "_ZNSt", "_ZNKSt", "_ZNS", "_ZNKS", "_ZN9__gnu_cxx",
        "_ZNK9__gnu_cxx"})
    if (Name.starts_with(Prefix))
      return true;
  return false;
}

/// The innermost function that is not the C++ library's own, and its caller; or
/// a later one, \p Callers further out, with its line.
static std::string locationText(const report::CodeStack &Stack,
                                size_t Callers) {
  auto At =
      std::ranges::find_if_not(Stack, isStandard, &report::CodeFrame::Function);
  if (At == Stack.end())
    At = Stack.begin();
  const auto NameOf = [](const report::CodeFrame &F) {
    return report::shortFunction(report::demangle(F.Function));
  };
  const auto LineOf = [](const report::CodeFrame &F) {
    return ":+" + std::to_string(F.LineOffset);
  };
  std::string Out = NameOf(*At) + LineOf(*At);
  const auto Left = static_cast<size_t>(Stack.end() - At) - 1;
  if (Left == 0)
    return Out;
  Callers = std::min(Callers, Left);
  const report::CodeFrame &Caller = At[static_cast<ptrdiff_t>(Callers)];
  Out += Callers > 1 ? " < … < " : " < ";
  return Out + NameOf(Caller) + (Callers > 1 ? LineOf(Caller) : "");
}

/// Their places; where two would read the same, with the first callers in which
/// they differ.
static std::vector<std::string>
locationTexts(const report::PredictionCheck &Checked,
              const std::vector<const report::PredictedContext *> &Contexts) {
  std::vector<report::CodeStack> Stacks;
  for (const report::PredictedContext *C : Contexts)
    Stacks.push_back(Checked.framesOf(*C));
  std::vector<std::string> Out(Contexts.size());
  std::vector<size_t> Left(Contexts.size());
  std::iota(Left.begin(), Left.end(), size_t{0});
  for (size_t Callers = 1; !Left.empty(); ++Callers) {
    std::map<std::string_view, size_t> Times;
    for (const size_t I : Left)
      Out[I] = locationText(Stacks[I], Callers);
    for (const size_t I : Left)
      ++Times[Out[I]];
    std::erase_if(Left, [&](size_t I) {
      return Times[Out[I]] == 1 || Callers >= Stacks[I].size();
    });
  }
  return Out;
}

/// Text in the terminal's width, its lines below each other.
static std::string paragraph(const report::Style &Style, std::string_view Lead,
                             std::string_view Text) {
  std::string Out(Lead);
  for (size_t Column = Lead.size(), I = 0; I < Text.size();) {
    const std::string_view Word = Text.substr(I, Text.find(' ', I) - I);
    const size_t Width = report::displayWidth(Word);
    if (Column > Lead.size() && Column + 1 + Width > Style.Width) {
      Out += '\n' + std::string(Lead.size(), ' ');
      Column = Lead.size();
    }
    if (Column > Lead.size()) {
      Out += ' ';
      ++Column;
    }
    Out += Word;
    Column += Width;
    I += Word.size() + 1;
  }
  return Out + '\n';
}

std::string Predictions::figuresText(const VerifyState &S,
                                     const report::Style &Style) const {
  report::Table Sums;
  for (const char *Title : {"", "old", "new", "change", "verdict"})
    Sums.column({.Title = Title, .Right = *Title != 0});
  const auto Row = [&](const char *Name, double A, double B, auto Show,
                       std::string_view Verdict = "not judged") {
    Sums.row({Name, Show(A), Show(B), changeText(A, B), std::string(Verdict)});
  };
  const auto Number = [](uint64_t N) { return static_cast<double>(N); };
  if (Old.PeakBytes && New.PeakBytes)
    Row("peak live", Number(*Old.PeakBytes), Number(*New.PeakBytes), bytesText,
        peakVerdict(S.Tolerance));
  else
    Sums.row({"peak live", report::humanBytes(Old.PeakBytes),
              report::humanBytes(New.PeakBytes), "-", "not judged"});
  Row("allocated", Number(Old.Bytes), Number(New.Bytes), bytesText);
  Row("blocks", Number(Old.Blocks), Number(New.Blocks), countText);
  Row("run time", Old.Seconds, New.Seconds, secondsText);
  return Sums.render(Style);
}

std::string Predictions::text(const VerifyState &S,
                              const report::Style &Style) const {
  const uint64_t Known = Checked.Kept.Bytes + Checked.Missed.Bytes;
  std::string Out =
      "\nPREDICTIONS\n  held for " +
      report::humanShare(Checked.Kept.Bytes, Known) + " of the bytes, " +
      report::counted(Checked.Kept.Contexts, "context") + " of " +
      std::to_string(Checked.Kept.Contexts + Checked.Missed.Contexts) +
      (hold() ? "\n" : ": below 90 %\n");
  if (Checked.Unknown.Contexts > 0)
    Out += "  nothing was predicted for " +
           report::counted(Checked.Unknown.Contexts, "context") + " with " +
           report::humanBytes(Checked.Unknown.Bytes) + '\n';
  for (const std::string &Note : Notes)
    Out += paragraph(Style, "  note: ", report::printable(Style, Note));
  report::Table Missed;
  for (const char *Title : {"bytes", "blocks", "predicted", "was"})
    Missed.column({.Title = Title, .Right = true});
  Missed.column({.Title = "context",
                 .Right = false,
                 .Flexible = true,
                 .Fit = report::shortenName});
  std::vector<const report::PredictedContext *> Shown;
  for (const report::PredictedContext &C : Checked.Contexts)
    if (!C.held())
      Shown.push_back(&C);
  const size_t Count = Shown.size();
  if (S.Top > 0 && Count > S.Top)
    Shown.resize(S.Top);
  const std::vector<std::string> Locations = locationTexts(Checked, Shown);
  for (size_t I = 0; I < Shown.size(); ++I)
    Missed.row({report::humanBytes(Shown[I]->Lives.Bytes),
                report::humanCount(Shown[I]->Lives.Blocks),
                std::string(nameOf(Shown[I]->Predicted)),
                std::string(nameOf(Shown[I]->Lives.lifeClass())),
                report::printable(Style, Locations[I])});
  if (!Missed.empty())
    Out += "\nNOT AS PREDICTED\n" + Missed.render(Style);
  if (Count > S.Top && S.Top > 0)
    Out += report::moreRows(Style, Count - S.Top, "context") + '\n';
  return Out;
}

Json Predictions::figuresJson(const VerifyState &S) const {
  const auto Pair = [](auto A, auto B,
                       std::string_view Verdict = "not judged") {
    const auto Known = [](auto Value) {
      return Value ? Json(*Value) : Json(nullptr);
    };
    const auto Change = A && B ? report::changeOf(static_cast<double>(*A),
                                                  static_cast<double>(*B))
                               : std::nullopt;
    return Json{{"old", Known(A)},
                {"new", Known(B)},
                {"change_percent", Known(Change)},
                {"judged", Verdict != "not judged"},
                {"worse", Verdict == "worse"},
                {"verdict", Verdict}};
  };
  return {{"peak_live_bytes",
           Pair(Old.PeakBytes, New.PeakBytes, peakVerdict(S.Tolerance))},
          {"allocated_bytes",
           Pair(std::optional(Old.Bytes), std::optional(New.Bytes))},
          {"allocations",
           Pair(std::optional(Old.Blocks), std::optional(New.Blocks))},
          {"wall_seconds",
           Pair(std::optional(Old.Seconds), std::optional(New.Seconds))}};
}

Json Predictions::json() const {
  const auto Sum = [](const report::PredictionSum &H) {
    return Json{
        {"contexts", H.Contexts}, {"blocks", H.Blocks}, {"bytes", H.Bytes}};
  };
  Json Contexts = Json::array();
  for (const report::PredictedContext &C : Checked.Contexts) {
    Json Frames = Json::array();
    for (const report::CodeFrame &F : Checked.framesOf(C))
      Frames.push_back({{"function", F.Function},
                        {"line_offset", F.LineOffset},
                        {"column", F.Column},
                        {"inlined", F.Inlined}});
    Contexts.push_back({{"frames", Frames},
                        {"predicted", nameOf(C.Predicted)},
                        {"was", nameOf(C.Lives.lifeClass())},
                        {"held", C.held()},
                        {"blocks", C.Lives.Blocks},
                        {"bytes", C.Lives.Bytes}});
  }
  return {{"held", Sum(Checked.Kept)},
          {"missed", Sum(Checked.Missed)},
          {"unknown", Sum(Checked.Unknown)},
          {"held_share", Checked.share()},
          {"notes", Notes},
          {"contexts", Contexts}};
}

} // namespace inmem::tools
