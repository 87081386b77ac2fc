//===- TypedPprof.cpp - Types in pprof's profiles -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profiles/TypedProfile.h"

#include "formats/pprof.pb.h"

#include <algorithm>

namespace inmem::tools {

namespace {

class PprofTyper {
public:
  PprofTyper(pprof::Profile &Of, SampleTypes &By) : P(Of), Types(By) {}

  TypedCounts run(bool Frames);

private:
  std::string_view text(int64_t Index) const {
    return Index >= 0 && Index < P.string_table_size()
               ? std::string_view(P.string_table(static_cast<int>(Index)))
               : std::string_view();
  }
  int64_t textOf(const std::string &Text) {
    const auto [At, IsNew] = Texts.try_emplace(Text, P.string_table_size());
    if (IsNew)
      P.add_string_table(Text);
    return At->second;
  }
  void chooseFigures();
  void findCalls();
  debuginfo::BlockSizes sizesOf(const pprof::Sample &S) const;
  std::optional<SampleType> typeOf(const pprof::Sample &S);
  uint64_t frameOf(const std::string &Type);

  pprof::Profile &P;
  SampleTypes &Types;
  std::map<uint64_t, ProfileCall> Calls; ///< by location id
  std::map<std::string, int64_t> Texts;
  std::map<std::string, uint64_t> FrameOfType; ///< location ids
  uint64_t NextId = 1;                         ///< for locations and functions
  /// Values of samples: live and allocated memory; -1: absent.
  struct Figures {
    int Blocks = -1, Bytes = -1;
  } Live, All;
};

void PprofTyper::chooseFigures() {
  for (int I = 0; I < P.sample_type_size(); ++I) {
    const std::string_view Type = text(P.sample_type(I).type());
    const std::string_view Unit = text(P.sample_type(I).unit());
    Figures &Of = Type.starts_with("alloc") ? All : Live;
    if (Unit == "bytes")
      Of.Bytes = I;
    else if (Unit == "count" || Unit == "objects")
      Of.Blocks = I;
  }
}

/// The figures with the most blocks, since rounding affects them least.
debuginfo::BlockSizes PprofTyper::sizesOf(const pprof::Sample &S) const {
  const auto Value = [&](int Index) {
    return Index >= 0 && Index < S.value_size() && S.value(Index) > 0
               ? static_cast<uint64_t>(S.value(Index))
               : uint64_t{0};
  };
  // Go records the size of each block.
  for (const pprof::Label &L : S.label())
    if (L.num() > 0 && text(L.key()) == "bytes")
      return {1, static_cast<uint64_t>(L.num()), 0};
  const debuginfo::BlockSizes OfLive{Value(Live.Blocks), Value(Live.Bytes), 0};
  const debuginfo::BlockSizes OfAll{Value(All.Blocks), Value(All.Bytes), 0};
  return OfAll.Blocks > OfLive.Blocks ? OfAll : OfLive;
}

void PprofTyper::findCalls() {
  std::map<uint64_t, uint32_t> Modules;
  for (const pprof::Mapping &M : P.mapping())
    Modules[M.id()] = Types.addModule(
        {std::string(text(M.filename())), std::string(text(M.build_id())),
         M.memory_start(), M.memory_limit(), M.file_offset()});
  for (const pprof::Location &L : P.location()) {
    const auto At = Modules.find(L.mapping_id());
    if (At != Modules.end() && L.address() != 0)
      Calls[L.id()] = Types.callAt(At->second, L.address());
    NextId = std::max(NextId, L.id() + 1);
  }
  for (const pprof::Function &F : P.function())
    NextId = std::max(NextId, F.id() + 1);
}

std::optional<SampleType> PprofTyper::typeOf(const pprof::Sample &S) {
  std::vector<ProfileCall> Stack;
  for (const uint64_t Id : S.location_id()) {
    const auto At = Calls.find(Id);
    Stack.push_back(At == Calls.end() ? ProfileCall() : At->second);
  }
  return Types.typeOf(Stack, sizesOf(S));
}

uint64_t PprofTyper::frameOf(const std::string &Type) {
  const auto [At, IsNew] = FrameOfType.try_emplace(Type, NextId);
  if (!IsNew)
    return At->second;
  pprof::Function *F = P.add_function();
  F->set_id(NextId);
  F->set_name(textOf(Type));
  F->set_system_name(F->name());
  pprof::Location *L = P.add_location();
  L->set_id(NextId);
  L->add_line()->set_function_id(NextId);
  return NextId++;
}

TypedCounts PprofTyper::run(bool Frames) {
  TypedCounts Out;
  if (P.string_table_size() == 0)
    P.add_string_table("");
  for (int I = 0; I < P.string_table_size(); ++I)
    Texts.try_emplace(P.string_table(I), I);
  chooseFigures();
  findCalls();
  const int64_t Key = textOf(kTypeLabel);
  for (pprof::Sample &S : *P.mutable_sample()) {
    std::optional<std::string> Type;
    for (const pprof::Label &L : S.label())
      if (L.key() == Key && L.str() > 0 && text(L.str()) != kNoTypeFrame)
        Type = text(L.str());
    if (const auto Found = Type ? std::nullopt : typeOf(S)) {
      Type = Found->Name;
      pprof::Label *L = S.add_label();
      L->set_key(Key);
      L->set_str(textOf(*Type));
      for (const int Column : {Live.Bytes, All.Bytes})
        if (Column >= 0 && Column < S.value_size())
          S.set_value(Column, Found->requested(S.value(Column)));
    }
    if (Frames)
      S.add_location_id(frameOf(Type.value_or(kNoTypeFrame)));
    const Figures &Of = Live.Bytes >= 0 ? Live : All;
    const uint64_t Bytes =
        Of.Bytes >= 0 && Of.Bytes < S.value_size() && S.value(Of.Bytes) > 0
            ? static_cast<uint64_t>(S.value(Of.Bytes))
            : 0;
    Out.Samples += 1;
    Out.Bytes += Bytes;
    Out.Typed += Type ? 1 : 0;
    Out.TypedBytes += Type ? Bytes : 0;
  }
  return Out;
}

} // namespace

TypedCounts typePprof(pprof::Profile &P, SampleTypes &Types, bool Frames) {
  return PprofTyper(P, Types).run(Frames);
}

} // namespace inmem::tools
