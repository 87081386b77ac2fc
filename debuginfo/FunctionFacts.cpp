//===- FunctionFacts.cpp - facts of functions, whatever their blocks ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/ConstantSize.h"
#include "debuginfo/FrameFacts.h"
#include "debuginfo/LibraryRules.h"
#include "report/names/TypeName.h"

#include <algorithm>
#include <cstring>
#include <dwarf.h>
#include <elf.h>

namespace inmem::debuginfo {

/// True if C++ functions of different names begin at \p Function. Constructors
/// of one class have one name. In C, a second name is the program's own alias.
bool FactReader::isFolded(uint64_t Function) {
  std::string First;
  for (const char *Symbol : File.symbolsStartingAt(Function)) {
    if (std::strncmp(Symbol, "_Z", 2) != 0)
      continue;
    std::string Name = report::demangle(Symbol);
    if (First.empty())
      First = std::move(Name);
    else if (Name != First)
      return true;
  }
  return false;
}

bool FactReader::mayBeFolded(Dwarf_Die *Unit, uint64_t Function) {
  if (!LinkerFolds)
    LinkerFolds = File.linkerMayFold();
  if (*LinkerFolds || File.symbolsStartingAt(Function).size() > 1)
    return true;
  Dwarf_Attribute Attribute;
  const char *Text = dwarf_attr_integrate(Unit, DW_AT_producer, &Attribute)
                         ? dwarf_formstring(&Attribute)
                         : nullptr;
  const std::string_view Producer = Text ? Text : "";
  if (Producer.find("clang") != Producer.npos)
    return false;
  if (Producer.find("-fno-ipa-icf") != Producer.npos)
    return false;
  for (const std::string_view Option :
       {" -O2", " -O3", " -Os", " -Ofast", " -Oz", "-fipa-icf", "GIMPLE"})
    if (Producer.find(Option) != Producer.npos)
      return true;
  return Producer.empty();
}

/// The name of the function that a call enters; null if unknown.
const char *FactReader::calleeOf(uint64_t Call) {
  // The starts of a call with its target in it, and of one through a slot.
  const uint64_t Starts[] = {File.machine() == EM_AARCH64 ? Call - 3 : Call - 4,
                             Call - 5};
  for (const uint64_t Start : Starts) {
    const auto Bytes = File.bytesAt(Start);
    const auto I = Bytes.empty() || !Decode.works()
                       ? std::nullopt
                       : Decode.decode(Bytes, Start);
    if (!I || I->Does != Instruction::Kind::Call || !I->Value ||
        Start + I->Length != Call + 1)
      continue;
    if (I->Offset == 1)
      return File.storedAt(I->Value).Symbol;
    if (const char *Import = File.importAt(I->Value))
      return Import;
    const auto *Symbol = File.symbolAt(I->Value);
    return Symbol && Symbol->Start == I->Value ? Symbol->Name : nullptr;
  }
  return nullptr;
}

/// True if a parameter that may be a size is constant in \p Function, because
/// all callers pass the same value.
static bool hasConstantParameter(Dwarf_Die Function) {
  return std::ranges::any_of(childrenOf(Function), [](Dwarf_Die Child) {
    if (dwarf_tag(&Child) != DW_TAG_formal_parameter ||
        !dwarf_hasattr(&Child, DW_AT_const_value))
      return false;
    const auto Type = stripped(typeOf(Child));
    const auto Encoding = Type ? numberOf(*Type, DW_AT_encoding) : std::nullopt;
    return (Encoding == DW_ATE_unsigned || Encoding == DW_ATE_signed) &&
           sizeOf(Type) >= 4;
  });
}

/// See FrameFacts::HasConstantSize.
bool FactReader::hasOwnSize(uint64_t Call,
                            const std::vector<Dwarf_Die> &Scopes) {
  if (Scopes.empty()) {
    const auto *Symbol = File.symbolAt(Call);
    if (!File.isProgram() ||
        (Symbol && isLibraryName(report::demangle(Symbol->Name))))
      return false;
  } else if (hasConstantParameter(Scopes.front())) {
    return false;
  }
  return hasConstantSize(File, Decode, Call, calleeOf(Call));
}

/// Sets the facts of a function that do not depend on the block.
void FactReader::describeFunction(FrameFacts &Out, Dwarf_Die *Unit,
                                  const std::vector<Dwarf_Die> &Scopes,
                                  uint64_t Call) {
  Dwarf_Die Function = Scopes.front();
  if (const auto By = libraryType(Names, Scopes)) {
    Out.Library = ofType(FoundBy::Library, By->Type);
    if (!By->Instead.empty()) {
      // The types have one size, or the function's body would not be shared.
      Out.Library->Name = By->Instead;
      Out.Library->Class.reset();
    }
    Out.LibraryIsOutOfLine = isLibraryFunction(Names, Function);
  }
  Out.IsLibrary = isLibraryFunction(Names, Function) ||
                  isLibraryHeader(Names.declaredIn(declarationOf(Function)));
  for (size_t I = Scopes.size(); I-- > 0;)
    if (const auto Class = Names.classAround(declarationOf(Scopes[I]))) {
      Out.IsInMember |= I + 1 == Scopes.size();
      Out.Classes.push_back(Names.name(Class));
    }
  Dwarf_Addr Start = Call;
  dwarf_lowpc(&Function, &Start);
  Out.IsUnique = Names.functionName(Function) == "main";
  Out.MayBeFolded = mayBeFolded(Unit, Start);
  Out.IsFolded = Out.MayBeFolded && !Out.IsUnique && isFolded(Start);
  addRust(Out, File.functionsOf(Unit).unit(), Scopes);
}

} // namespace inmem::debuginfo
