//===- LifetimeProfile.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/optimize/LifetimeProfile.h"

#include "report/base/Arithmetic.h"
#include "report/names/TypeName.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace inmem::report {

std::string_view nameOf(LifetimeClass Class) {
  switch (Class) {
  case LifetimeClass::Steady:
    return "steady";
  case LifetimeClass::Phase:
    return "phase";
  case LifetimeClass::Short:
    break;
  }
  return "short";
}

void ClassLifetimes::add(const ClassLifetimes &Other) {
  Blocks += Other.Blocks;
  Bytes += Other.Bytes;
  Held += Other.Held;
}

void ContextLifetimes::add(const ContextLifetimes &Other) {
  Blocks += Other.Blocks;
  Bytes += Other.Bytes;
  for (size_t I = 0; I < Of.size(); ++I)
    Of[I].add(Other.Of[I]);
  Milliseconds += Other.Milliseconds;
  Least = std::min(Least, Other.Least);
  Most = std::max(Most, Other.Most);
  InLibrary |= Other.InLibrary;
}

void ContextLifetimes::sortLifetimes(const Histogram &Freed, uint64_t Run,
                                     double RunMilliseconds) {
  const double Unit = Run == 0 ? 0 : RunMilliseconds / static_cast<double>(Run);
  const auto Add = [&](LifetimeClass C, uint64_t Count, uint64_t Size,
                       double Life) {
    of(C).Blocks += Count;
    of(C).Bytes += Size;
    of(C).Held += static_cast<double>(Size) * Life * Unit;
    Milliseconds += static_cast<double>(Count) * Life * Unit;
  };
  const auto Middle = [](const Bucket &B) {
    return (static_cast<double>(B.From) + static_cast<double>(B.To)) / 2;
  };
  const uint64_t Short = std::max<uint64_t>(Run / 100, 1),
                 Phase = std::max<uint64_t>(Run / 4, 2);
  for (const auto &[C, From, To] :
       {std::tuple(LifetimeClass::Short, uint64_t{0}, Short),
        std::tuple(LifetimeClass::Phase, Short, Phase),
        std::tuple(LifetimeClass::Steady, Phase, ~uint64_t{0})}) {
    const Histogram Part = Freed.within(From, To);
    for (const Bucket &B : Part.buckets())
      Add(C, B.Count, B.Bytes, Middle(B));
  }
  // Blocks alive at the end were allocated halfway, on average.
  Add(LifetimeClass::Steady, Blocks - std::min(Blocks, Freed.count()),
      Bytes - std::min(Bytes, Freed.bytes()), static_cast<double>(Run) / 2);
}

LifetimeClass ContextLifetimes::lifetimeClass() const {
  const ClassLifetimes &Short = of(LifetimeClass::Short);
  ClassLifetimes Longer = of(LifetimeClass::Steady);
  for (const LifetimeClass C : {LifetimeClass::Steady, LifetimeClass::Phase}) {
    if (C == LifetimeClass::Phase)
      Longer.add(of(C));
    const bool IsMost = Longer.Blocks * 2 > Blocks;
    const bool Grows = Longer.Held * 2 > held() && Longer.Bytes >= Bytes / 3 &&
                       Longer.meanSize() >= 2 * Short.meanSize();
    if (IsMost || Grows)
      return C;
  }
  return LifetimeClass::Short;
}

void ContextLifetimes::takeForShort() {
  for (const LifetimeClass C : {LifetimeClass::Phase, LifetimeClass::Steady})
    of(LifetimeClass::Short).add(of(C)), of(C) = {};
}

double millisecondsOf(const trace::FileHeader &H) {
  if (H.Clock != trace::ClockKind::Events && H.TicksPerSecond > 0)
    return static_cast<double>(minus(H.LastTicks, H.StartTicks)) * 1e3 /
           static_cast<double>(H.TicksPerSecond);
  return static_cast<double>(minus(H.EndUnixNs, H.StartUnixNs)) / 1e6;
}

namespace {

/// True if both are variants of one constructor or destructor, with \p Outer
/// the one for complete objects. The instrumented program has both variants,
/// the optimised one a single function.
bool isFormOf(std::string_view Inner, std::string_view Outer) {
  if (Inner.size() != Outer.size())
    return false;
  const auto [I, O] = std::ranges::mismatch(Inner, Outer);
  if (I == Inner.end() || I == Inner.begin() || *O != '1' || *I != '2')
    return false;
  const char Before = *(I - 1);
  return (Before == 'C' || Before == 'D') &&
         std::equal(I + 1, Inner.end(), O + 1);
}

class StackReader {
public:
  StackReader(const trace::Trace &T, CodeSource &Code, std::string &Unknown)
      : T(T), Code(Code), Unknown(Unknown) {}

  /// Empty if the location of the site itself is unknown.
  CodeStack read(const trace::Site &S) {
    const std::vector<trace::Frame> Callers = T.frames(S);
    CodeStack Out;
    const trace::Module &Home = T.module(S.Module);
    if (!push(Out, Home, {S.Function, S.File, S.Line, S.Column},
              !Callers.empty()))
      return {};
    for (size_t I = 0; I < Callers.size(); ++I)
      if (!push(Out, Home, Callers[I], I + 1 < Callers.size())) {
        Out.back().Inlined = false;
        return Out;
      }
    if (S.Stack == 0)
      pushCalls(Out, T.callsOf(S));
    else
      pushCallers(Out,
                  siteCallers(S, withoutClone(Callers.empty()
                                                  ? S.Function
                                                  : Callers.back().Function)));
    return Out;
  }

  /// For a block that a library allocated: the frames from the call into it
  /// outwards.
  CodeStack readLibrary(const trace::Site &S) {
    CodeStack Out;
    std::string Ignored; // a library is not expected to be known
    std::swap(Ignored, Unknown);
    if (S.Stack == 0) {
      auto Calls = T.callsOf(S);
      while (!Calls.empty() && !isKnown(Calls.front()))
        Calls = Calls.subspan(1);
      pushCalls(Out, Calls);
    }
    for (uint32_t Id = S.Stack, Distance = 0; Id != 0 && Distance < kFar;
         Id = T.stack(Id).Parent, ++Distance) {
      const uint32_t Address = T.stack(Id).Address;
      if (!isKnown(T.module(T.address(Address).Module), at(Address)))
        continue;
      pushCallers(Out, Id);
      break;
    }
    std::swap(Ignored, Unknown);
    return Out;
  }

private:
  /// \returns false if a compiler could not find the frame's location
  bool push(CodeStack &Out, const trace::Module &M, const trace::Frame &F,
            bool Inlined) {
    const std::string_view Function = withoutClone(F.Function);
    if (!Out.empty() && isFormOf(Out.back().Function, Function)) {
      Out.back().Inlined = Inlined;
      return true;
    }
    if (Function.empty() || F.Line == 0)
      return false;
    const auto First = Code.firstLine(M, Function, F.Line);
    if (!First) {
      if (Unknown.empty())
        Unknown = Function;
      return false;
    }
    Out.push_back(
        {std::string(Function), (F.Line - *First) & 0xffff, F.Column, Inlined});
    return true;
  }

  /// True if a compiler can find the physical frame of \p Frames.
  bool isKnown(const trace::Module &M,
               const std::vector<trace::Frame> &Frames) {
    return !Frames.empty() &&
           Code.firstLine(M, withoutClone(Frames.back().Function),
                          Frames.back().Line);
  }
  bool isKnown(const trace::CallerCall &C) {
    return isKnown(T.module(C.Module), at(C));
  }

  static constexpr unsigned kFar = 8; ///< frames of allocator and library

  /// The stack of the caller of the site's function; 0 if unknown.
  uint32_t siteCallers(const trace::Site &S, std::string_view Own) {
    for (uint32_t Id = S.Stack, Distance = 0; Id != 0 && Distance < kFar;
         Id = T.stack(Id).Parent, ++Distance) {
      const auto &Frames = at(T.stack(Id).Address);
      if (!Frames.empty() && withoutClone(Frames.back().Function) == Own)
        return T.stack(Id).Parent;
    }
    return 0;
  }

  /// Appends a stack's frames outwards, up to the first unknown one.
  void pushCallers(CodeStack &Out, uint32_t Id) {
    while (Id != 0) {
      const trace::Stack &Node = T.stack(Id);
      const auto &Frames = at(Node.Address);
      if (Frames.empty() || (Node.Flags & trace::kStackLost) != 0)
        return;
      if (Node.Flags & trace::kStackTailCall) {
        // A tail call hides its caller, unless its target is the other variant
        // of the function or to its cold part.
        const std::string_view Jumped = withoutClone(Frames.back().Function);
        if (Out.empty() || (!isFormOf(Out.back().Function, Jumped) &&
                            Out.back().Function != Jumped))
          return;
        Id = Node.Parent;
        continue;
      }
      if (!pushAll(Out, T.module(T.address(Node.Address).Module), Frames))
        return;
      if (Node.Flags & trace::kStackCut)
        return;
      Id = Node.Parent;
    }
  }

  /// As pushCallers(), for the calls from a site's caller to the site.
  void pushCalls(CodeStack &Out, std::span<const trace::CallerCall> Calls) {
    for (const trace::CallerCall &C : Calls)
      if (const auto &Frames = at(C);
          Frames.empty() || !pushAll(Out, T.module(C.Module), Frames))
        return;
  }

  /// \returns false if a compiler could not find all of their locations
  bool pushAll(CodeStack &Out, const trace::Module &M,
               const std::vector<trace::Frame> &Frames) {
    for (size_t I = 0; I < Frames.size(); ++I)
      if (!push(Out, M, Frames[I], I + 1 < Frames.size())) {
        if (!Out.empty())
          Out.back().Inlined = false;
        return false;
      }
    return true;
  }

  const std::vector<trace::Frame> &at(const trace::CallerCall &C) {
    return at(C.Module, C.Offset);
  }
  const std::vector<trace::Frame> &at(uint32_t Address) {
    const trace::Address &A = T.address(Address);
    const bool IsCode = A.Id != 0 && !(A.Flags & trace::kAddressSignal);
    return at(IsCode ? A.Module : 0, A.Offset);
  }
  /// References stay valid: nodes of a map do not move.
  const std::vector<trace::Frame> &at(uint32_t Module, uint64_t Offset) {
    const auto [Where, New] = Known.try_emplace({Module, Offset});
    if (New && Module != 0)
      Where->second = Code.expand(T.module(Module), Offset);
    return Where->second;
  }

  const trace::Trace &T;
  CodeSource &Code;
  std::string &Unknown;
  /// Keyed by module and offset; empty for module 0.
  std::map<std::pair<uint32_t, uint64_t>, std::vector<trace::Frame>> Known;
};

/// Length of a run, in the unit of its lifetimes and in milliseconds.
struct Duration {
  uint64_t Lifetimes = 0;
  double Milliseconds = 0;

  explicit Duration(const trace::Trace &T, const Grid &Of) {
    if (Of.unit() == Unit::Bytes) {
      for (const trace::Entry &E : T.Entries)
        if (T.site(E.Site).ofBlocks())
          Lifetimes += minus(E.Totals.Bytes, E.Totals.MovedOutBytes);
      // A byte counts as a nanosecond, so that profiles do not depend on time.
      Milliseconds = static_cast<double>(Lifetimes) / 1e6;
    } else {
      Milliseconds = millisecondsOf(T.Header);
      Lifetimes = static_cast<uint64_t>(Milliseconds * 1e6);
    }
  }
};

/// Counts of a row, scaled to all blocks if only some were recorded.
struct Sums {
  uint64_t Blocks = 0, Bytes = 0, Frees = 0, FreedBytes = 0;

  Sums(const trace::FileHeader &H, const trace::RowTotals &Of) {
    if (H.Flags & trace::kFlagSampledBytes) {
      const auto Rounded = [](double Value) {
        return static_cast<uint64_t>(std::llround(std::max(Value, 0.0)));
      };
      Blocks = Rounded(Of.WeightedAllocations);
      Bytes = Rounded(Of.WeightedBytes);
      Frees = Rounded(Of.WeightedFrees);
      FreedBytes = Rounded(Of.WeightedFreedBytes);
      return;
    }
    const uint64_t Each =
        H.Flags & trace::kFlagSampledEvery ? std::max<uint64_t>(H.Every, 1) : 1;
    Blocks = minus(Of.Allocations, Of.MovedOut) * Each;
    Bytes = minus(Of.Bytes, Of.MovedOutBytes) * Each;
    Frees = Of.Frees * Each;
    FreedBytes = Of.FreedBytes * Each;
  }
};

ContextLifetimes lifetimesOf(const trace::Trace &T, const trace::Entry &E,
                             const Grid &Of, const Duration &Run) {
  ContextLifetimes Out;
  const Sums Sum(T.Header, E.Totals);
  Out.Blocks = Sum.Blocks;
  Out.Bytes = Sum.Bytes;
  if (Out.Blocks == 0)
    return Out;
  Out.Least = Out.Most = Out.Bytes / Out.Blocks;
  Out.sortLifetimes(Histogram::scaled(T.buckets(E), Of,
                                      std::min(Sum.Frees, Out.Blocks),
                                      std::min(Sum.FreedBytes, Out.Bytes)),
                    Run.Lifetimes, Run.Milliseconds);
  return Out;
}

} // namespace

void LifetimeProfile::add(const trace::Trace &T, CodeSource &Code) {
  const Grid Of(T.Header);
  const Duration Run(T, Of);
  StackReader Reader(T, Code, Unknown);
  for (const trace::Entry &E : T.Entries) {
    const trace::Site &S = T.site(E.Site);
    // operator new does not allocate exception objects.
    if (!S.ofBlocks() || S.Kind == INMEM_SITE_EXCEPTION)
      continue;
    ContextLifetimes Lifetimes = lifetimesOf(T, E, Of, Run);
    if (Lifetimes.Blocks == 0)
      continue;
    if (S.Kind == INMEM_SITE_CALLER) {
      Lifetimes.InLibrary = true;
      if (const CodeStack Stack = Reader.readLibrary(S); !Stack.empty())
        of(Stack).add(Lifetimes);
      continue;
    }
    Blocks += Lifetimes.Blocks;
    const CodeStack Stack = Reader.read(S);
    if (Stack.empty()) {
      Unplaced += Lifetimes.Blocks;
      continue;
    }
    const auto Physical = std::ranges::count(Stack, false, &CodeFrame::Inlined);
    Stacks |= Physical > 1;
    of(Stack).add(Lifetimes);
  }
}

ContextLifetimes &LifetimeProfile::of(const CodeStack &Frames) {
  return Contexts[foldRecursion(Calls->add(Frames), *Calls)];
}

bool LifetimeProfile::phasesGain() const {
  std::map<LifetimeClass, double> Held;
  for (const auto &[Stack, Lifetimes] : Contexts)
    Held[Lifetimes.lifetimeClass()] += Lifetimes.held();
  const double Short = Held[LifetimeClass::Short],
               Phase = Held[LifetimeClass::Phase],
               Steady = Held[LifetimeClass::Steady];
  constexpr double kMost = 9; // 90 %
  return Short <= Phase + Steady && Phase <= kMost * (Short + Steady);
}

void LifetimeProfile::takePhasesForShort() {
  for (auto &[Stack, Lifetimes] : Contexts)
    if (Lifetimes.lifetimeClass() == LifetimeClass::Phase)
      Lifetimes.takeForShort();
}

void LifetimeProfile::dropRare() {
  std::erase_if(Contexts, [](const auto &C) {
    constexpr uint64_t kFew = 10;
    return C.second.InLibrary && C.second.Blocks < kFew;
  });
}

void LifetimeProfile::dropUnused() {
  dropRare();
  std::erase_if(Contexts, [](const auto &C) {
    return C.second.InLibrary &&
           C.second.lifetimeClass() == LifetimeClass::Short;
  });
}

size_t LifetimeProfile::sites() const {
  std::set<CodeFrame> Innermost;
  for (const auto &[Stack, Lifetimes] : Contexts)
    Innermost.insert((*Calls)[Stack.front()].front());
  return Innermost.size();
}

size_t LifetimeProfile::countOf(LifetimeClass Class) const {
  return static_cast<size_t>(
      std::ranges::count_if(Contexts, [Class](const auto &C) {
        return C.second.lifetimeClass() == Class;
      }));
}

} // namespace inmem::report
