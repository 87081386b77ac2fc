//===- CallStacks.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/CallStacks.h"

#include "report/model/Blame.h"
#include "report/names/TypeName.h"

#include <algorithm>
#include <cstdio>

namespace inmem::report {

using trace::Trace;

namespace {

std::string_view baseName(std::string_view Path) {
  return Path.substr(Path.rfind('/') + 1);
}

/// A function's name from the compiler, without suffixes of copies. Names in
/// other tools' files are demangled, and may contain dots.
std::string_view nameWithin(const Trace &T, std::string_view Linkage) {
  return T.Header.Flags & trace::kFlagImported ? Linkage
                                               : withoutClone(Linkage);
}

bool isThunk(std::string_view Linkage) {
  return Linkage.starts_with("_ZTh") || Linkage.starts_with("_ZTv") ||
         Linkage.starts_with("_ZTc");
}

bool callsMain(std::string_view Function) {
  constexpr std::string_view kNames[] = {"_start", "__libc_start_main",
                                         "__libc_start_main_impl",
                                         "__libc_start_call_main"};
  return std::find(std::begin(kNames), std::end(kNames), Function) !=
         std::end(kNames);
}

/// Linkage name of the function that contains a site's code.
std::string_view functionOf(const Trace &T, const trace::Site &S) {
  const std::vector<trace::Frame> Callers = T.frames(S);
  return Callers.empty() ? S.Function : Callers.back().Function;
}

} // namespace

bool isRuntime(const trace::Module &M) {
  return baseName(M.Path).starts_with("libinmem_rt.so");
}

uint32_t StackBuilder::frame(StackFrame F) {
  std::string Key = F.Where.Function + '\n' + F.Where.File + '\n' +
                    std::to_string(F.Where.Line) + '\n' + F.Module + '\n' +
                    std::to_string(static_cast<int>(F.How));
  const auto [Where, New] = Known.try_emplace(
      std::move(Key), static_cast<uint32_t>(Out.Frames.size()));
  if (New)
    Out.Frames.push_back(std::move(F));
  return Where->second;
}

const std::vector<SourceLocation> &StackBuilder::locationsOf(const Trace &T,
                                                             uint32_t Address) {
  if (Current != &T) {
    Current = &T;
    Codes.clear();
    Locations.clear();
  }
  const auto [Where, New] = Locations.try_emplace(Address);
  if (!New)
    return Where->second;
  const trace::Address &A = T.address(Address);
  const trace::Module &M = T.module(A.Module);
  std::vector<SourceLocation> &Found = Where->second;
  Found.reserve(A.Source.size());
  for (const trace::Frame &F : A.Source)
    Found.push_back(
        {std::string(F.Function), std::string(F.File), F.Line, F.Column});
  if (Resolver && !M.Path.empty()) {
    if (Found.empty())
      Found = Resolver->expand(M.Path, M.BuildId, A.Offset);
    else if (auto More =
                 Resolver->improve(M.Path, M.BuildId, A.Offset, A.Source);
             !More.empty())
      Found = std::move(More);
  }
  return Found;
}

void StackBuilder::learnFolders(const Trace &T) {
  Folders.learn(T, [&](const CompileFolders::Visit &Each) {
    for (uint32_t I = 1; I < T.Addresses.size(); ++I)
      if (!isRuntime(T.module(T.Addresses[I].Module)) &&
          !(T.Addresses[I].Flags & trace::kAddressSignal))
        for (const SourceLocation &P : locationsOf(T, I))
          Each(P.Function, P.File);
  });
}

StackBuilder::Code StackBuilder::read(const Trace &T, uint32_t Address) {
  Code Result;
  const trace::Address &A = T.address(Address);
  const trace::Module &M = T.module(A.Module);
  if (isRuntime(M))
    return Result; // the runtime is between program and C library
  const std::string Module(baseName(M.Path));
  if (A.Flags & trace::kAddressSignal) {
    Result.Frames.push_back(
        frame({{"(signal)", {}, 0, 0}, {}, StackFrame::Kind::Signal}));
    return Result;
  }
  std::vector<SourceLocation> Chain = locationsOf(T, Address);
  if (Chain.empty())
    Chain.push_back({});
  // Choose the same name for a function with several, wherever its lines come
  // from.
  if (!A.Function.empty())
    Chain.back().Function = std::string(A.Function);
  Result.Linkage = std::string(nameWithin(T, Chain.back().Function));
  for (size_t I = 0; I < Chain.size(); ++I) {
    StackFrame F;
    F.Where = std::move(Chain[I]);
    F.Where.File = std::string(Folders.shown(F.Where.File));
    F.Where.Function = Plain(nameWithin(T, F.Where.Function));
    F.Module = Module;
    F.How = I + 1 < Chain.size() ? StackFrame::Kind::Inlined
                                 : StackFrame::Kind::Call;
    if (F.Where.Function.empty()) {
      char Offset[32];
      std::snprintf(Offset, sizeof Offset, "+0x%llx",
                    static_cast<unsigned long long>(A.Offset));
      F.Where.Function = (Module.empty() ? "?" : Module) + Offset;
      F.Offset = A.Offset;
    }
    // A constructor has several variants. If one is inlined into another, they
    // are one frame.
    const StackFrame *Inner =
        Result.Frames.empty() ? nullptr : &Out.Frames[Result.Frames.back()];
    if (Inner && Inner->Where.Function == F.Where.Function) {
      F.Where = Inner->Where;
      Result.Frames.pop_back();
    }
    Result.Frames.push_back(frame(std::move(F)));
  }
  return Result;
}

const StackBuilder::Code &StackBuilder::code(const Trace &T, uint32_t Address) {
  if (Current != &T) {
    Current = &T;
    Codes.clear();
    Locations.clear();
  }
  const auto [Where, New] = Codes.try_emplace(Address);
  if (New)
    Where->second = read(T, Address);
  return Where->second;
}

/// Adds the frames that a site itself has, innermost first.
void StackBuilder::addChain(const std::vector<SourceLocation> &Chain,
                            StackFrame::Kind Last,
                            std::vector<uint32_t> &Frames) {
  for (size_t I = 0; I < Chain.size(); ++I) {
    StackFrame F;
    F.Where = Chain[I];
    F.Where.Column = 0;
    F.How = I + 1 < Chain.size() ? StackFrame::Kind::Inlined : Last;
    if (F.Where.Function.empty())
      F.Where.Function = "?";
    Frames.push_back(frame(std::move(F)));
  }
}

/// The node of the site's stack in the site's own function, whose linkage name
/// is \p Own. It is the innermost, unless the function got the block from a
/// function that it called. 0 if the function is not on the stack.
uint32_t StackBuilder::nodeOf(const Trace &T, const trace::Site &S,
                              const std::string &Own) {
  if (!S.Stack || Own.empty())
    return S.Stack;
  for (uint32_t Id = S.Stack; Id;) {
    const trace::Stack &Node = T.stack(Id);
    if (code(T, Node.Address).Linkage == Own)
      return Id;
    Id = Node.Parent;
  }
  // A function without a symbol calls the allocator itself.
  const bool Calls = S.Kind != INMEM_SITE_CUSTOM;
  return Calls && code(T, T.stack(S.Stack).Address).Linkage.empty() ? S.Stack
                                                                    : 0;
}

/// True if the site's function, which is not on the stack, ended in a jump to
/// the allocator: otherwise it would be there. It would also be missing if
/// frames were left out, or if a function of its file has no symbol or another
/// name.
bool StackBuilder::hasJumped(const Trace &T, const trace::Site &S,
                             const std::string &Own) {
  const std::string Name = Plain(Own);
  for (uint32_t Id = S.Stack; Id;) {
    const trace::Stack &Node = T.stack(Id);
    const trace::Address &A = T.address(Node.Address);
    const std::string &Linkage = code(T, Node.Address).Linkage;
    const bool Nameless = Linkage.empty() && A.Module == S.Module &&
                          !(A.Flags & trace::kAddressSignal);
    if (Nameless || Plain(Linkage) == Name ||
        Node.Flags & (trace::kStackCut | trace::kStackLost))
      return false;
    Id = Node.Parent;
  }
  return true;
}

std::vector<uint32_t>
StackBuilder::framesOf(const Trace &T, const trace::Site &S,
                       const std::vector<SourceLocation> &Chain) {
  std::vector<uint32_t> Frames; // innermost first until the end
  const std::string Own(nameWithin(T, functionOf(T, S)));
  const bool Instrumented = S.Kind != INMEM_SITE_CALLER && !Chain.empty();
  const uint32_t OwnNode = Instrumented ? nodeOf(T, S, Own) : 0;
  if (Instrumented && !S.Stack)
    addChain(Chain, StackFrame::Kind::Call, Frames);
  else if (Instrumented && !OwnNode && hasJumped(T, S, Own))
    addChain(Chain, StackFrame::Kind::TailCall, Frames);
  const std::string *Inner = Frames.empty() ? nullptr : &Own;
  for (uint32_t Id = S.Stack; Id != 0;) {
    const trace::Stack &Node = T.stack(Id);
    const Code &C = code(T, Node.Address);
    const bool Tail = Node.Flags & trace::kStackTailCall;
    // A function's cold part is entered by a jump from the function, and a
    // thunk carries no information.
    const bool Skip =
        Tail && ((Inner && *Inner == C.Linkage && !C.Linkage.empty()) ||
                 isThunk(C.Linkage));
    if (Id == OwnNode) {
      addChain(Chain,
               Tail ? StackFrame::Kind::TailCall : StackFrame::Kind::Call,
               Frames);
    } else if (!Skip) {
      for (const uint32_t F : C.Frames) {
        // The position of the tail call in the function is unknown: the address
        // is the function's start, and the functions inlined there did not
        // call.
        if (Tail && F != C.Frames.back())
          continue;
        Frames.push_back(F);
        if (Tail) {
          StackFrame Marked = Out.Frames[F];
          Marked.How = StackFrame::Kind::TailCall;
          Frames.back() = frame(std::move(Marked));
        }
      }
    }
    Inner = &C.Linkage;
    if (Node.Flags & trace::kStackCut)
      Frames.push_back(
          frame({{"(more callers)", {}, 0, 0}, {}, StackFrame::Kind::Cut}));
    if (Node.Flags & trace::kStackLost)
      Frames.push_back(
          frame({{"(callers unknown)", {}, 0, 0}, {}, StackFrame::Kind::Lost}));
    Id = Node.Parent;
  }
  std::reverse(Frames.begin(), Frames.end());
  // In a static program, main's caller is part of the program, and was walked.
  const auto CallsMain = [&](uint32_t F) {
    return callsMain(Out.Frames[F].Where.Function);
  };
  // Callers that were cut off before it are not the program's either.
  const auto Begin = Frames.size() > 1 && CallsMain(Frames[1])
                         ? Frames.begin() + 1
                         : Frames.begin();
  const auto First = std::find_if_not(Begin, Frames.end(), CallsMain);
  if (First != Frames.end() && First != Begin)
    Frames.erase(Frames.begin(), First);
  return Frames;
}

std::vector<uint32_t> StackBuilder::framesOf(const Trace &T, uint32_t Stack) {
  trace::Site Nobody;
  Nobody.Kind = INMEM_SITE_CALLER;
  Nobody.Stack = Stack;
  return framesOf(T, Nobody, {});
}

std::vector<uint32_t>
StackBuilder::byModule(const std::vector<uint32_t> &Frames) {
  std::vector<uint32_t> Result;
  for (uint32_t F : Frames) {
    if (Out.Frames[F].Offset) {
      StackFrame Whole = {{Out.Frames[F].Module, {}, 0, 0},
                          Out.Frames[F].Module,
                          StackFrame::Kind::Call,
                          {}};
      if (Whole.Module.empty())
        Whole.Where.Function = "(unknown code)";
      F = frame(std::move(Whole));
      if (!Result.empty() && Result.back() == F)
        continue;
    }
    Result.push_back(F);
  }
  return Result;
}

std::string StackBuilder::functionAt(const Trace &T, uint32_t Address) {
  const Code &C = code(T, Address);
  return C.Frames.empty() ? "" : Out.Frames[C.Frames.back()].Where.Function;
}

std::optional<SourceLocation>
StackBuilder::userFrame(const std::vector<uint32_t> &Frames) {
  while (OfUser.size() < Out.Frames.size()) {
    const StackFrame &F = Out.Frames[OfUser.size()];
    OfUser.push_back(isCode(F) && !isLibrary(F) && !isSystemPath(F.Where.File));
  }
  const auto Found =
      std::find_if(Frames.rbegin(), Frames.rend(),
                   [&](uint32_t F) { return static_cast<bool>(OfUser[F]); });
  if (Found == Frames.rend())
    return std::nullopt;
  SourceLocation Where = Out.Frames[*Found].Where;
  Where.Column = 0; // frames differ by line only
  return Where;
}

} // namespace inmem::report
