//===- MemProf.cpp - LLVM's memory profile as text ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record for each function on the way: the contexts whose block it asks for
// (itself or what was inlined into it), and the calls that lead on to others.
// LLVM decides by two numbers whether blocks are cold: their mean life, and how
// often they are accessed. We count no accesses, and decide by the class; the
// access density is where it stands.
//
//===----------------------------------------------------------------------===//
#include "report/optimize/LifeProfile.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

namespace inmem::report {

namespace {

/// Below 5 LLVM takes blocks for cold. It has one kind of cold: a phase's
/// blocks among steady ones do less harm than among short ones, and give their
/// pages back when they are gone.
uint64_t densityOf(LifeClass Class) {
  return Class == LifeClass::Steady ? 0 : Class == LifeClass::Phase ? 1 : 100;
}

struct Record {
  std::vector<const std::pair<const CodeStack, ContextLives> *> Contexts;
  std::set<CodeStack> Calls;
};

/// Frames from one that was not inlined up to the next such.
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
    // Behind the allocating call itself all frames are calls, those that were
    // inlined too: the compiler matches them before it inlines.
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
