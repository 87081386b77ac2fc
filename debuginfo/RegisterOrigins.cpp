//===- RegisterOrigins.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/RegisterOrigins.h"

#include "debuginfo/LibraryRules.h"
#include "debuginfo/TypeNames.h"

#include <set>

namespace inmem::debuginfo {

void RegisterOrigins::read() {
  constexpr size_t kMost = 20000; // instructions
  using Kind = Instruction::Kind;
  Dwarf_Addr Base = 0, Start = 0, End = 0;
  for (ptrdiff_t At = 0;
       (At = dwarf_ranges(&Function, At, &Base, &Start, &End)) > 0;)
    for (uint64_t Here = Start; Here < End && Steps.size() < kMost;) {
      const auto I = Decode.decode(File.bytesAt(Here), Here);
      if (!I || I->Length == 0)
        break;
      Steps[Here].Is = *I;
      Here += I->Length;
    }
  const auto Leads = [&](uint64_t From, uint64_t To) {
    if (const auto Next = Steps.find(To); Next != Steps.end())
      Next->second.Before.push_back(From);
  };
  for (const auto &[Here, Of] : Steps) {
    const Instruction &I = Of.Is;
    const bool IsJump = I.Does == Kind::Jump || I.Does == Kind::Branch;
    if (IsJump && I.Value)
      Leads(Here, I.Value);
    if (I.Does == Kind::Jump || I.Does == Kind::Return)
      continue;
    const char *Callee = I.Does != Kind::Call ? nullptr
                         : I.Offset == 1      ? File.storedAt(I.Value).Symbol
                         : I.Value            ? File.importAt(I.Value)
                                              : nullptr;
    if (!Callee || !neverReturns(Callee))
      Leads(Here, Here + I.Length);
  }
}

std::optional<RegisterOrigins::Object>
RegisterOrigins::variableIn(uint8_t Register, uint64_t Address) const {
  using Kind = VariablePlace::Kind;
  for (const uint32_t Number : Places.near(Address)) {
    const VariablePlace &Place = Places[Number];
    if ((Place.How != Kind::Register && Place.How != Kind::Sum) ||
        Place.Register != Register || !Place.covers(Address))
      continue;
    const auto To = pointee(typeOf(Place.Variable), /*References=*/true);
    const auto Class = To ? stripped(*To) : std::nullopt;
    if (Class && isClassType(*Class))
      return Object{*Class, Place.How == Kind::Sum ? -Place.Offset : 0};
  }
  return std::nullopt;
}

/// True if the instructions have no effect and no other instruction leads to
/// them.
bool RegisterOrigins::isPadding(uint64_t Address) const {
  const auto Here = Steps.find(Address);
  return Here != Steps.end() && Here != Steps.begin() &&
         Here->second.Before.empty() &&
         Here->second.Is.Does == Instruction::Kind::Other &&
         Here->second.Is.Written == 0;
}

std::optional<RegisterOrigins::Object>
RegisterOrigins::objectIn(uint8_t Register, uint64_t Address) {
  if (Steps.empty())
    read();
  return search(Register, Address, 0);
}

std::optional<RegisterOrigins::Object>
RegisterOrigins::search(uint8_t Register, uint64_t Address, unsigned Loads) {
  constexpr size_t kMost = 3000; // instructions
  constexpr unsigned kMostLoads = 3;
  using Kind = Instruction::Kind;
  struct Wanted {
    uint64_t At;
    uint8_t Register;
    int64_t Offset; ///< the wanted address's offset from the register
  };
  const uint32_t Kept = Decode.convention().Kept;
  std::vector<Wanted> Waiting = {{Address, Register, 0}};
  std::set<std::tuple<uint64_t, uint8_t, int64_t>> Seen;
  std::optional<Object> Found;
  while (!Waiting.empty()) {
    const Wanted Now = Waiting.back();
    Waiting.pop_back();
    if (!Seen.emplace(Now.At, Now.Register, Now.Offset).second)
      continue;
    std::optional<Object> One = variableIn(Now.Register, Now.At);
    const auto Here = Steps.find(Now.At);
    if (!One && isPadding(Now.At))
      continue;
    if (Seen.size() > kMost || Here == Steps.end() ||
        (!One && Here->second.Before.empty()))
      return std::nullopt;
    for (const uint64_t Last : Here->second.Before) {
      if (One)
        break;
      const Instruction &I = Steps.find(Last)->second.Is;
      const bool Changes =
          I.To == Now.Register || (I.Written >> Now.Register & 1) != 0 ||
          (I.Does == Kind::Call && !(Kept >> Now.Register & 1));
      if (Now.Register == Decode.convention().StackPointer) {
        return std::nullopt;
      }
      if (!Changes) {
        Waiting.push_back({Last, Now.Register, Now.Offset});
      } else if (I.Does == Kind::Copy) {
        Waiting.push_back({Last, I.From, Now.Offset});
      } else if (I.Does == Kind::Sum) {
        Waiting.push_back({Last, I.Base, Now.Offset + I.Offset});
      } else if (I.Does == Kind::Load && I.Base != kNoRegister &&
                 Loads < kMostLoads) {
        const auto From = search(I.Base, Last, Loads + 1);
        const int64_t At = From ? From->Offset + I.Offset : -1;
        const auto Pointer =
            At < 0 ? std::nullopt
                   : pointerAt(From->Class, static_cast<uint64_t>(At));
        const auto To = pointee(Pointer, /*References=*/true);
        const auto Class = To ? stripped(*To) : std::nullopt;
        if (!Class || !isClassType(*Class))
          return std::nullopt;
        const Object Loaded{*Class, Now.Offset};
        if (Found && (Found->Class.addr != Loaded.Class.addr ||
                      Found->Offset != Loaded.Offset))
          return std::nullopt;
        Found = Loaded;
      } else {
        return std::nullopt;
      }
    }
    if (!One)
      continue;
    One->Offset += Now.Offset;
    if (Found &&
        (Found->Class.addr != One->Class.addr || Found->Offset != One->Offset))
      return std::nullopt;
    Found = One;
  }
  return Found;
}

} // namespace inmem::debuginfo
