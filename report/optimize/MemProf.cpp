//===- MemProf.cpp - LLVM's memory profile as text ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One record per function: the contexts that allocate in it or in what was
// inlined into it, and the calls in it that are part of other contexts. LLVM
// calls blocks cold by mean lifetime and access density. Accesses are not
// counted; the density encodes the class.
//
//===----------------------------------------------------------------------===//
#include "report/optimize/LifeProfile.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

namespace inmem::report {

namespace {

/// LLVM treats blocks below 5 as cold. It has one kind of cold: phase blocks do
/// less harm among steady ones than among short ones.
uint64_t densityOf(LifeClass Class) {
  return Class == LifeClass::Steady ? 0 : Class == LifeClass::Phase ? 1 : 100;
}

struct Record {
  std::vector<const std::pair<const CodeStack, ContextLives> *> Contexts;
  std::set<CodeStack> Calls;
};

/// The inlined frames at the start and the frame that they were inlined into.
std::span<const CodeFrame> firstCall(std::span<const CodeFrame> Rest) {
  const auto Last = std::ranges::find(Rest, false, &CodeFrame::Inlined);
  const size_t Count = static_cast<size_t>(Last - Rest.begin());
  return Rest.first(std::min(Count + 1, Rest.size()));
}

void printFrame(const CodeFrame &F, std::string &Out) {
  Out += "{ Function: " + F.Function +
         ", LineOffset: " + std::to_string(F.LineOffset) +
         ", Column: " + std::to_string(F.Column) +
         ", IsInlineFrame: " + (F.Inlined ? "true" : "false") + " }\n";
}

void printFrames(const CodeStack &Frames, std::string &Out) {
  for (const CodeFrame &F : Frames) {
    Out += "          - ";
    printFrame(F, Out);
  }
}

void printLives(const ContextLives &L, std::string &Out) {
  const auto Number = [&](const char *Name, uint64_t Value) {
    Out += std::string(Name) + ": " + std::to_string(Value);
  };
  Number("        MemInfoBlock: { AllocCount", L.Blocks);
  Number(", TotalSize", L.Bytes);
  Number(", MinSize", L.Least);
  Number(", MaxSize", L.Most);
  Number(", TotalLifetime",
         static_cast<uint64_t>(std::llround(L.Milliseconds)));
  Number(", TotalLifetimeAccessDensity", densityOf(L.lifeClass()) * L.Blocks);
  Out += " }\n";
}

} // namespace

std::string printMemProf(const LifeProfile &P) {
  std::map<std::string, Record> Records;
  for (const auto &Context : P.Contexts) {
    std::span<const CodeFrame> Rest = Context.first;
    const auto Site = firstCall(Rest);
    std::set<std::string> Done; // a function may be inlined into itself
    for (const CodeFrame &F : Site)
      if (Done.insert(F.Function).second)
        Records[F.Function].Contexts.push_back(&Context);
    // All frames but the innermost are call sites, inlined ones included: the
    // compiler matches before it inlines.
    for (Rest = Rest.subspan(1); !Rest.empty();) {
      const auto Call = firstCall(Rest);
      for (const CodeFrame &F : Call)
        Records[F.Function].Calls.emplace(Call.begin(), Call.end());
      Rest = Rest.subspan(Call.size());
    }
  }
  std::string Out = "---\nHeapProfileRecords:\n";
  for (const auto &[Function, R] : Records) {
    Out += "  - GUID: " + Function + '\n';
    if (!R.Contexts.empty())
      Out += "    AllocSites:\n";
    for (const auto *Context : R.Contexts) {
      Out += "      - Callstack:\n";
      printFrames(Context->first, Out);
      printLives(Context->second, Out);
    }
    if (!R.Calls.empty())
      Out += "    CallSites:\n";
    for (const CodeStack &Call : R.Calls) {
      Out += "      - Frames:\n";
      printFrames(Call, Out);
    }
  }
  return Out + "...\n";
}

} // namespace inmem::report
