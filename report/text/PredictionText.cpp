//===- PredictionText.cpp - Predictions, right and wrong, as text ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/OptimizeText.h"

#include "report/base/Units.h"
#include "report/names/TypeName.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace inmem::report {

/// True for linkage names of the C++ library.
static bool isStandard(std::string_view Name) {
  for (const std::string_view Prefix :
       {"_ZSt", "_ZNSt", "_ZNKSt", "_ZNS", "_ZNKS", "_ZN9__gnu_cxx",
        "_ZNK9__gnu_cxx"})
    if (Name.starts_with(Prefix))
      return true;
  return false;
}

/// The innermost function outside the C++ library, and its caller; or a
/// function \p Callers further out, with its line.
static std::string locationText(const CodeStack &Stack, size_t Callers) {
  auto At = std::ranges::find_if_not(Stack, isStandard, &CodeFrame::Function);
  if (At == Stack.end())
    At = Stack.begin();
  const auto NameOf = [](const CodeFrame &F) {
    return shortFunction(demangle(F.Function));
  };
  const auto LineOf = [](const CodeFrame &F) {
    return ":+" + std::to_string(F.LineOffset);
  };
  std::string Out = NameOf(*At) + LineOf(*At);
  const auto Left = static_cast<size_t>(Stack.end() - At) - 1;
  if (Left == 0)
    return Out;
  Callers = std::min(Callers, Left);
  const CodeFrame &Caller = At[static_cast<ptrdiff_t>(Callers)];
  Out += Callers > 1 ? " < … < " : " < ";
  return Out + NameOf(Caller) + (Callers > 1 ? LineOf(Caller) : "");
}

/// The contexts' locations. Locations that would read the same get the first
/// callers in which they differ.
static std::vector<std::string>
locationTexts(const PredictionCheck &Checked,
              const std::vector<const PredictedContext *> &Contexts) {
  std::vector<CodeStack> Stacks;
  Stacks.reserve(Contexts.size());
  for (const PredictedContext *C : Contexts)
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

/// Text in the terminal's width, wrapped into lines.
static std::string paragraph(const Style &Look, std::string_view Lead,
                             std::string_view Text) {
  std::string Out(Lead);
  for (size_t Column = Lead.size(), I = 0; I < Text.size();) {
    const std::string_view Word = Text.substr(I, Text.find(' ', I) - I);
    const size_t Width = displayWidth(Word);
    if (Column > Lead.size() && Column + 1 + Width > Look.Width) {
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

std::string printPredictions(const PredictionCheck &Checked,
                             const std::vector<std::string> &Notes, size_t Top,
                             const Style &Look) {
  const uint64_t Known = Checked.Kept.Bytes + Checked.Missed.Bytes;
  std::string Out =
      "\nPREDICTIONS\n  held for " + humanShare(Checked.Kept.Bytes, Known) +
      " of the bytes, " + counted(Checked.Kept.Contexts, "context") + " of " +
      std::to_string(Checked.Kept.Contexts + Checked.Missed.Contexts) +
      (Checked.hold() ? "\n" : ": below 90 %\n");
  if (Checked.Unknown.Contexts > 0)
    Out += "  nothing was predicted for " +
           counted(Checked.Unknown.Contexts, "context") + " with " +
           humanBytes(Checked.Unknown.Bytes) + '\n';
  for (const std::string &Note : Notes)
    Out += paragraph(Look, "  note: ", printable(Look, Note));
  Table Missed;
  for (const char *Title : {"bytes", "blocks", "predicted", "was"})
    Missed.column({.Title = Title, .Right = true});
  Missed.column({.Title = "context",
                 .Right = false,
                 .Flexible = true,
                 .Fit = shortenName});
  std::vector<const PredictedContext *> Shown;
  for (const PredictedContext &C : Checked.Contexts)
    if (!C.held())
      Shown.push_back(&C);
  const size_t Count = Shown.size();
  if (Top > 0 && Count > Top)
    Shown.resize(Top);
  const std::vector<std::string> Locations = locationTexts(Checked, Shown);
  for (size_t I = 0; I < Shown.size(); ++I)
    Missed.row({humanBytes(Shown[I]->Lifetimes.Bytes),
                humanCount(Shown[I]->Lifetimes.Blocks),
                std::string(nameOf(Shown[I]->Predicted)),
                std::string(nameOf(Shown[I]->Lifetimes.lifetimeClass())),
                printable(Look, Locations[I])});
  if (!Missed.empty())
    Out += "\nNOT AS PREDICTED\n" + Missed.render(Look);
  if (Count > Top && Top > 0)
    Out += moreRows(Look, Count - Top, "context") + '\n';
  return Out;
}

} // namespace inmem::report
