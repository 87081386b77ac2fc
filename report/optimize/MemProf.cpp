//===- MemProf.cpp - LLVM's memory profile as text ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One record per function: the contexts that allocate in it or in functions
// inlined into it, and its calls that are part of other contexts. LLVM
// classifies blocks as cold by mean lifetime and access density. Accesses are
// not counted, so the density encodes the class.
//
//===----------------------------------------------------------------------===//
#include "report/optimize/ContextCut.h"

#include <algorithm>
#include <cmath>

namespace inmem::report {

namespace {

/// LLVM treats blocks below 5 as cold. It has only one kind of cold, and phase
/// blocks do less harm among steady ones than among short ones.
uint64_t densityOf(LifetimeClass Class) {
  return Class == LifetimeClass::Steady  ? 0
         : Class == LifetimeClass::Phase ? 1
                                         : 100;
}

std::string frameText(const CodeFrame &F) {
  return "          - { Function: " + F.Function +
         ", LineOffset: " + std::to_string(F.LineOffset) +
         ", Column: " + std::to_string(F.Column) +
         ", IsInlineFrame: " + (F.Inlined ? "true" : "false") + " }\n";
}

std::string lifetimesText(const CutContext &C) {
  const ContextLifetimes &L = C.Lifetimes;
  std::string Out;
  const auto Number = [&](const char *Name, uint64_t Value) {
    Out += std::string(Name) + ": " + std::to_string(Value);
  };
  Number("        MemInfoBlock: { AllocCount", L.Blocks);
  Number(", TotalSize", L.Bytes);
  Number(", MinSize", L.Least);
  Number(", MaxSize", L.Most);
  Number(", TotalLifetime",
         static_cast<uint64_t>(std::llround(L.Milliseconds)));
  Number(", TotalLifetimeAccessDensity", densityOf(C.Class) * L.Blocks);
  return Out + " }\n";
}

constexpr std::string_view kSite = "      - Callstack:\n",
                           kCall = "      - Frames:\n";

class Writer {
public:
  explicit Writer(const LifetimeProfile &P) : Calls(*P.Calls) {
    // All frames except the innermost are call sites, including inlined ones:
    // the compiler matches before it inlines.
    for (const auto &[Stack, Lifetimes] : P.Contexts)
      if (const CodeStack &First = Calls[Stack.front()]; First.size() > 1)
        if (!InlinedInto.contains(Stack.front()))
          InlinedInto[Stack.front()] =
              Calls.add({First.begin() + 1, First.end()}).front();
    Ranks = Calls.ranks();
    for (uint32_t Call = 0; Call < Calls.size(); ++Call) {
      Texts.emplace_back();
      for (const CodeFrame &F : Calls[Call])
        Texts.back() += frameText(F);
    }
  }

  /// The length of the text, or a little more.
  size_t sizeOf(const std::vector<CutContext> &Contexts) const {
    constexpr size_t kRecord = 64; // without the function name
    size_t Out = kRecord;
    std::vector<bool> SeenSite(Calls.size()), SeenCall(Calls.size());
    const auto AddRecords = [&](uint32_t Call, std::vector<bool> &Seen,
                                size_t Each) {
      if (Seen[Call])
        return;
      Seen[Call] = true;
      for (const std::string_view Function : functionsOf(Call))
        Out += kRecord + Function.size() + Each;
    };
    for (const CutContext &C : Contexts) {
      size_t Own = kSite.size() + lifetimesText(C).size();
      for (const uint32_t Call : C.Calls)
        Own += Texts[Call].size();
      Out += Own * functionsOf(C.Calls.front()).size();
      AddRecords(C.Calls.front(), SeenSite, 0);
      eachCall(C, [&](uint32_t Call) {
        AddRecords(Call, SeenCall, kCall.size() + Texts[Call].size());
      });
    }
    return Out;
  }

  std::string print(const std::vector<CutContext> &Contexts) const {
    struct Record {
      std::vector<const CutContext *> Sites;
      std::map<uint32_t, uint32_t> Calls; ///< by rank
    };
    std::map<std::string_view, Record> Records;
    for (const CutContext &C : Contexts) {
      for (const std::string_view Function : functionsOf(C.Calls.front()))
        Records[Function].Sites.push_back(&C);
      eachCall(C, [&](uint32_t Call) {
        for (const std::string_view Function : functionsOf(Call))
          Records[Function].Calls[Ranks[Call]] = Call;
      });
    }
    std::string Out = "---\nHeapProfileRecords:\n";
    for (const auto &[Function, R] : Records) {
      Out.append("  - GUID: ").append(Function) += '\n';
      if (!R.Sites.empty())
        Out += "    AllocSites:\n";
      for (const CutContext *C : R.Sites) {
        Out += kSite;
        for (const uint32_t Call : C->Calls)
          Out += Texts[Call];
        Out += lifetimesText(*C);
      }
      if (!R.Calls.empty())
        Out += "    CallSites:\n";
      for (const auto &[Rank, Call] : R.Calls)
        Out.append(kCall) += Texts[Call];
    }
    return Out + "...\n";
  }

private:
  /// Without duplicates, because a function may be inlined into itself.
  std::set<std::string_view> functionsOf(uint32_t Call) const {
    std::set<std::string_view> Out;
    for (const CodeFrame &F : Calls[Call])
      Out.insert(F.Function);
    return Out;
  }
  /// The call sites of a context.
  template <class Function>
  void eachCall(const CutContext &C, Function Do) const {
    if (const auto Rest = InlinedInto.find(C.Calls.front());
        Rest != InlinedInto.end())
      Do(Rest->second);
    for (const uint32_t Call : C.Calls.subspan(1))
      Do(Call);
  }

  CallTable &Calls;
  /// Allocations: the inlined call that leads to the innermost frame.
  std::map<uint32_t, uint32_t> InlinedInto;
  std::vector<uint32_t> Ranks;
  std::vector<std::string> Texts; ///< texts of frames, by call
};

/// The bytes outside the class with most bytes, among contexts with the same
/// calls.
uint64_t mixedBytes(const std::vector<CutContext> &Contexts) {
  uint64_t Out = 0;
  for (size_t I = 0; I < Contexts.size();) {
    uint64_t Sum = 0, Most = 0;
    const size_t First = I;
    for (; I < Contexts.size() &&
           std::ranges::equal(Contexts[I].Calls, Contexts[First].Calls);
         ++I) {
      Sum += Contexts[I].Lifetimes.Bytes;
      Most = std::max(Most, Contexts[I].Lifetimes.Bytes);
    }
    Out += Sum - Most;
  }
  return Out;
}

} // namespace

MemProf printMemProf(const LifetimeProfile &P, size_t Most) {
  const Writer Print(P);
  const ContextTree Tree(P);
  std::vector<CutContext> Contexts = Tree.cut(0);
  if (Print.sizeOf(Contexts) > Most) {
    const std::vector<uint64_t> Costs = Tree.costs();
    const auto Least = std::ranges::partition_point(Costs, [&](uint64_t Cost) {
      return Print.sizeOf(Tree.cut(Cost)) > Most;
    });
    Contexts = Tree.cut(Least == Costs.end() ? UINT64_MAX : *Least);
  }
  return {Print.print(Contexts), Contexts.size(), mixedBytes(Contexts)};
}

} // namespace inmem::report
