//===- FrameFacts.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/FrameFacts.h"

#include "debuginfo/LibraryRules.h"
#include "debuginfo/TemplateArguments.h"
#include "report/names/TypeName.h"

#include <algorithm>
#include <cstring>
#include <dwarf.h>

namespace inmem::debuginfo {

bool beginsWith(Dwarf_Die Outer, Dwarf_Die Inner) {
  constexpr unsigned kDeepest = 32;
  for (unsigned I = 0; I < kDeepest; ++I) {
    if (Outer.addr == Inner.addr ||
        (ownName(Outer) == ownName(Inner) && sizeOf(Outer) == sizeOf(Inner)))
      return true;
    std::optional<Dwarf_Die> First;
    for (Dwarf_Die Child : childrenOf(Outer)) {
      const int Tag = dwarf_tag(&Child);
      if ((Tag == DW_TAG_member || Tag == DW_TAG_inheritance) &&
          numberOf(Child, DW_AT_data_member_location).value_or(1) == 0) {
        First = stripped(typeOf(Child));
        break;
      }
    }
    if (!First || !isClassType(*First))
      return false;
    Outer = *First;
  }
  return false;
}

namespace {

bool isPolymorphic(Dwarf_Die Class) {
  for (const Dwarf_Die &Child : childrenOf(Class))
    if (ownName(Child).starts_with("_vptr"))
      return true;
  for (Dwarf_Die Child : childrenOf(Class))
    if (dwarf_tag(&Child) == DW_TAG_inheritance)
      if (const auto Base = stripped(typeOf(Child)))
        return isClassType(*Base) && isPolymorphic(*Base);
  return false;
}

/// True for no type, and for pointers to void and characters.
bool isUntyped(std::optional<Dwarf_Die> Type) {
  const auto To = pointee(Type);
  const auto Plain = To ? stripped(*To) : stripped(Type);
  return !Plain || (To && sizeOf(Plain) == 1);
}

std::string_view lastName(std::string_view Name) {
  int Depth = 0;
  for (size_t I = Name.size(); I-- > 0;) {
    Depth +=
        (Name[I] == '>' || Name[I] == ')') - (Name[I] == '<' || Name[I] == '(');
    if (Depth == 0 && Name[I] == ':')
      return Name.substr(I + 1);
  }
  return Name;
}

/// `ns::Foo` of `ns::Foo::Foo(int)`; empty if that is not a constructor.
std::string constructedClass(const std::string &Demangled) {
  const size_t Open = report::bareFunction(Demangled).size();
  const std::string Whole = Demangled.substr(0, Open);
  const std::string_view Last = lastName(Whole);
  if (Last.size() + 2 >= Whole.size())
    return {};
  const std::string Class = Whole.substr(0, Whole.size() - Last.size() - 2);
  const std::string_view Name = lastName(Class);
  return Name.substr(0, Name.find('<')) == Last ? canonicalText(Class)
                                                : std::string();
}

} // namespace

/// Rust's global allocator, which is an argument by default.
static void leaveOutAllocator(std::string &Name) {
  constexpr std::string_view kGlobal = ", alloc::alloc::Global>";
  for (size_t At; (At = Name.find(kGlobal)) != std::string::npos;)
    Name.replace(At, kGlobal.size(), ">");
}

Evidence FactReader::ofType(FoundBy Rule, std::optional<Dwarf_Die> Type) {
  const auto [Of, New] = OfTypes.get(Type ? Type->addr : nullptr);
  if (New)
    Of = readType(Type);
  Evidence Out = Of;
  Out.Rule = Rule;
  return Out;
}

Evidence FactReader::readType(std::optional<Dwarf_Die> Type) {
  Evidence Out;
  Out.Name = Names.name(Type);
  const auto Plain = stripped(Type);
  leaveOutAllocator(Out.Name);
  // The qualifiers of a whole block's type have no meaning.
  for (const std::string_view Qualifier : {"const ", "volatile "})
    if (Out.Name.starts_with(Qualifier) && Plain && isClassType(*Plain))
      Out.Name.erase(0, Qualifier.size());
  if (!Plain) {
    Out.IsBytes = true;
    return Out;
  }
  Out.Size = sizeOf(Plain);
  if (isClassType(*Plain)) {
    Out.Class = Plain;
    Out.OpenEnd = openEndOf(*Plain);
    Out.Polymorphic = isPolymorphic(*Plain);
    Out.HasDestructor =
        std::ranges::any_of(childrenOf(*Plain), [](Dwarf_Die Child) {
          return ownName(Child).starts_with('~');
        });
  } else if (dwarf_tag(const_cast<Dwarf_Die *>(&*Plain)) == DW_TAG_base_type ||
             Out.Name == "std::byte") {
    const auto Encoding = numberOf(*Plain, DW_AT_encoding).value_or(0);
    Out.IsBytes = Out.Size == 1 && Encoding != DW_ATE_boolean;
    if (const size_t Blank = Out.Name.rfind("const ", 0); Blank == 0)
      Out.Name.erase(0, 6);
  }
  return Out;
}

void FactReader::addPointer(FrameFacts &Out, FoundBy Rule,
                            std::optional<Dwarf_Die> Pointer) {
  auto To = pointee(Pointer);
  if (!To)
    return;
  // A pointer to an array points to its elements.
  if (auto Plain = stripped(*To);
      Plain && dwarf_tag(&*Plain) == DW_TAG_array_type)
    To = referenceOf(*Plain, DW_AT_type);
  if (auto Plain = stripped(*To);
      Plain && dwarf_tag(&*Plain) == DW_TAG_subroutine_type)
    return;
  if (*To)
    Out.All.push_back(ofType(Rule, *To));
}

/// The class that \p Function is a constructor of.
std::optional<Dwarf_Die> FactReader::constructedBy(Dwarf_Die Function) {
  const Dwarf_Die Declared = declarationOf(Function);
  const auto Class = Names.classAround(Declared);
  if (!Class)
    return std::nullopt;
  const std::string_view Name = ownName(*Class), Own = ownName(Declared);
  return !Own.empty() &&
                 Name.substr(0, Name.find('<')) == Own.substr(0, Own.find('<'))
             ? Class
             : std::nullopt;
}

void FactReader::addVariable(FrameFacts &Out, const VariablePlace &Place) {
  const bool IsThis = numberOf(Place.Variable, DW_AT_artificial).has_value();
  const auto Built =
      IsThis ? constructedBy(Place.Function) : std::optional<Dwarf_Die>();
  if (Built)
    Out.All.push_back(ofType(FoundBy::Constructor, Built));
  else
    addPointer(Out, FoundBy::Variable, typeOf(Place.Variable));
}

/// Adds a pointer to characters behind a header of any size, for blocks without
/// other evidence.
void FactReader::addCharacters(FrameFacts &Out, const VariablePlace &Place) {
  const auto To = pointee(typeOf(Place.Variable));
  if (!To || !*To)
    return;
  Evidence E = ofType(FoundBy::Bytes, *To);
  if (E.IsBytes && E.Size == 1)
    Out.All.push_back(std::move(E));
}

void FactReader::addArgument(FrameFacts &Out, const BlockFact &Fact) {
  if (Fact.Import && std::strcmp(Fact.Import, "__cxa_throw") == 0 &&
      Fact.Argument == 0 && (Fact.Second || Fact.SecondImport)) {
    Evidence E;
    E.Rule = FoundBy::Exception;
    E.Name = classOfTypeinfo(Fact.Second, Fact.SecondImport);
    if (!E.Name.empty())
      Out.All.push_back(std::move(E));
    return;
  }
  if (Fact.Import || !Fact.Address)
    return;
  Dwarf_Die *Unit = unitAt(Fact.Address);
  const auto Scopes = Unit ? File.functionsOf(Unit).scopesAt(Fact.Address)
                           : std::vector<Dwarf_Die>();
  if (Scopes.empty()) {
    const auto *Symbol = File.symbolAt(Fact.Address);
    if (!Symbol || Symbol->Start != Fact.Address || Fact.Argument != 0)
      return;
    Evidence E;
    E.Rule = FoundBy::Symbol;
    E.Name = constructedClass(report::demangle(Symbol->Name));
    if (!E.Name.empty())
      Out.All.push_back(std::move(E));
    return;
  }
  const Dwarf_Die Callee = Scopes.front();
  unsigned Argument = Fact.Argument;
  // A function with a large result takes its address as the first argument.
  const auto Result = stripped(typeOf(declarationOf(Callee)));
  if (Result && isClassType(*Result) &&
      (sizeOf(Result) > 16 ||
       numberOf(*Result, DW_AT_calling_convention) == DW_CC_pass_by_reference))
    if (Argument-- == 0)
      return;
  for (Dwarf_Die Child : childrenOf(Callee)) {
    if (dwarf_tag(&Child) != DW_TAG_formal_parameter)
      continue;
    const auto Type = stripped(typeOf(Child));
    if (Type && numberOf(*Type, DW_AT_encoding) == DW_ATE_float)
      continue; // passed in another kind of register
    if (Argument-- != 0)
      continue;
    const auto Built = numberOf(Child, DW_AT_artificial)
                           ? constructedBy(Callee)
                           : std::optional<Dwarf_Die>();
    if (Built)
      Out.All.push_back(ofType(FoundBy::Constructor, Built));
    else
      addPointer(Out, FoundBy::Parameter, typeOf(Child));
    return;
  }
}

/// The class that a typeinfo describes, from its symbol or from the name in it.
std::string FactReader::classOfTypeinfo(uint64_t Address, const char *Import) {
  std::string Mangled;
  const char *Symbol = Import ? Import : File.objectAt(Address);
  if (Symbol && std::strncmp(Symbol, "_ZTI", 4) == 0)
    Mangled.assign(Symbol, std::strcspn(Symbol, "@")); // drop the version
  if (Mangled.empty()) {
    const auto Name = File.storedAt(Address + 8);
    const auto Bytes = File.bytesAt(Name.Address);
    const auto *Text = reinterpret_cast<const char *>(Bytes.data());
    const size_t Length = Bytes.empty() ? 0 : strnlen(Text, Bytes.size());
    if (Length == 0 || Length == Bytes.size() || Length > 4096)
      return {};
    Mangled = "_ZTI" + std::string(Text + (*Text == '*'), Length);
  }
  const std::string Demangled = report::demangle(Mangled);
  constexpr std::string_view kPrefix = "typeinfo for ";
  return Demangled.starts_with(kPrefix)
             ? canonicalText(Demangled.substr(kPrefix.size()))
             : std::string();
}

std::optional<Dwarf_Die> FactReader::classNamed(const std::string &Name,
                                                Dwarf_Die Unit) {
  const auto WithoutArguments = [](std::string_view Of) {
    return Of.substr(0, Of.find('<'));
  };
  const auto [InUnit, New] = ClassesOf.get(Unit.cu);
  if (New)
    for (const Dwarf_Die &Class : Names.scopesOf(Unit).classes())
      if (sizeOf(Class) != 0)
        InUnit[WithoutArguments(ownName(Class))].All.push_back(Class);
  const auto Found = InUnit.find(WithoutArguments(lastName(Name)));
  if (Found == InUnit.end())
    return std::nullopt;
  Classes &Named = Found->second;
  if (!Named.AreSpelled)
    for (const Dwarf_Die &Class : Named.All) {
      const std::string Spelled = Names.name(Class);
      Named.ByName.try_emplace(Spelled, Class);
      // Symbols spell default arguments, which only debug information marks.
      Named.ByText.insert_or_assign(canonicalText(Spelled), Class);
    }
  Named.AreSpelled = true;
  for (const auto *By : {&Named.ByName, &Named.ByText})
    if (const auto At = By->find(Name); At != By->end())
      return At->second;
  return std::nullopt;
}

void FactReader::addVtable(FrameFacts &Out, const BlockFact &Fact,
                           Dwarf_Die *Unit) {
  // The address point is behind the offset to the top and the typeinfo.
  constexpr uint64_t kHeader = 16;
  Evidence E;
  E.Rule = FoundBy::Vtable;
  const uint64_t Address = Fact.Address;
  const char *Symbol =
      Fact.Import ? Fact.Import : File.objectAt(Address - kHeader);
  if (Symbol && std::strncmp(Symbol, "_ZTV", 4) == 0) {
    const std::string Name =
        report::demangle(std::string(Symbol, std::strcspn(Symbol, "@")));
    constexpr std::string_view kPrefix = "vtable for ";
    if (Name.starts_with(kPrefix))
      E.Name = canonicalText(Name.substr(kPrefix.size()));
  } else if (Fact.Import) {
    return;
  } else {
    // A typeinfo begins with a vtable of the C++ library's.
    const auto TypeInfo = File.storedAt(Address - 8);
    const auto Kind = File.storedAt(TypeInfo.Address);
    const char *Of =
        Kind.Symbol ? Kind.Symbol : File.objectAt(Kind.Address - kHeader);
    if (!TypeInfo.Symbol && (!TypeInfo.Address || !Of ||
                             std::strncmp(Of, "_ZTVN10__cxxabiv1", 17) != 0))
      return;
    E.Name = classOfTypeinfo(TypeInfo.Address, TypeInfo.Symbol);
  }
  if (E.Name.empty())
    return;
  if (Unit)
    if (const auto Class = classNamed(E.Name, File.functionsOf(Unit).unit()))
      E = ofType(FoundBy::Vtable, Class);
  Out.All.push_back(std::move(E));
}

const FrameFacts &FactReader::factsOf(uint64_t Call, int64_t Offset,
                                      std::optional<unsigned> StoredTo) {
  const auto [Where, New] = Known.try_emplace({Call, Offset, StoredTo});
  if (New)
    Where->second = read(Where->first);
  return Where->second;
}

void FactReader::trim() {
  constexpr size_t kMostUnits = 32, kMostFunctions = 256, kMostTypes = 4096;
  Globals.trim(kMostUnits);
  ClassesOf.trim(kMostUnits);
  VariablesOf.trim(kMostFunctions);
  OfTypes.trim(kMostTypes);
}

void FactReader::addRust(FrameFacts &Out, Dwarf_Die Unit,
                         const std::vector<Dwarf_Die> &Scopes) {
  if (!isRustUnit(Unit))
    return;
  const RustType Found = rustType(Names, Scopes);
  Out.IsRustLibrary = Found.OnlyLibrary;
  Out.InRust = true;
  Out.MayBeFolded = true; // rustc merges functions
  if (!Found.Type)
    return;
  Out.Library = ofType(FoundBy::Library, Found.Type);
  Out.Library->Name = Found.Name;
  leaveOutAllocator(Out.Library->Name);
  Out.Library->IsBytes = false;
}

/// The unit that has full names for code at \p Address; null if none does.
Dwarf_Die *FactReader::unitAt(uint64_t Address) {
  Dwarf_Die *Unit = File.unitAt(Address);
  if (!Unit)
    return nullptr;
  const auto [Where, New] = Unnamed.try_emplace(Unit->cu);
  if (New)
    Where->second = UnitScopes::lacksNamespaces(*Unit);
  return Where->second ? nullptr : Unit;
}

const std::map<Dwarf_Addr, Dwarf_Die> &FactReader::globalsOf(Dwarf_Die *Unit) {
  const auto [All, New] = Globals.get(Unit->cu);
  if (!New)
    return All;
  const Dwarf_Die Of = File.functionsOf(Unit).unit();
  All = debuginfo::globalsOf(Of);
  for (Dwarf_Die Declared : declaredGlobals(Of)) {
    Dwarf_Attribute Linkage;
    const char *Name = dwarf_attr(&Declared, DW_AT_linkage_name, &Linkage)
                           ? dwarf_formstring(&Linkage)
                           : dwarf_diename(&Declared);
    if (const auto Address = Name ? File.objectNamed(Name) : std::nullopt)
      All.try_emplace(*Address, Declared);
  }
  return All;
}

/// Adds the code's use of the block that it received at \p Offset.
void FactReader::addFact(FrameFacts &Out, const BlockFact &Fact, int64_t Offset,
                         Dwarf_Die *Unit) {
  if (Fact.Within)
    addCharacters(Out, *Fact.Variable);
  if (Fact.Within || Fact.Offset != Offset)
    return;
  switch (Fact.What) {
  case BlockFact::Kind::Variable:
    return addVariable(Out, *Fact.Variable);
  case BlockFact::Kind::Member: {
    const size_t Before = Out.All.size();
    addPointer(Out, FoundBy::Member, Fact.Type);
    if (Out.All.size() > Before)
      Out.All.back().Alternatives = Fact.Alternatives;
    return;
  }
  case BlockFact::Kind::Argument:
    return addArgument(Out, Fact);
  case BlockFact::Kind::Stored:
    if (!Out.StoredTo)
      Out.StoredTo = Fact.Argument;
    if (!Out.Returned)
      Out.HandsOut = isUntyped(Fact.Type);
    return;
  case BlockFact::Kind::Vtable:
    if (Offset == 0 && Fact.Address)
      addVtable(Out, Fact, Unit);
    return;
  case BlockFact::Kind::Kept:
  case BlockFact::Kind::Returned:
    return;
  }
}

FrameFacts FactReader::read(const Place &Of) {
  auto [Call, Offset, StoredTo] = Of;
  FrameFacts Out;
  Dwarf_Die *Unit = unitAt(Call);
  std::vector<Dwarf_Die> Scopes;
  Variables None;
  static const std::map<Dwarf_Addr, Dwarf_Die> kNoGlobals;
  Variables *Places = &None;
  const std::map<Dwarf_Addr, Dwarf_Die> *Fixed = &kNoGlobals;
  const auto *Symbol = File.symbolAt(Call);
  Dwarf_Addr Start = Symbol ? Symbol->Start : Call;
  if (Unit)
    Scopes = File.functionsOf(Unit).scopesAt(Call);
  if (!Scopes.empty()) {
    Dwarf_Die &Function = Scopes.front();
    const auto [Here, New] = VariablesOf.get(Function.addr);
    if (New)
      Here = Variables(Function);
    Places = &Here;
    Fixed = &globalsOf(Unit);
    describeFunction(Out, Unit, Scopes, Call);
    if (!Symbol)
      dwarf_entrypc(&Function, &Start);
  } else if (Symbol) {
    Out.IsRustLibrary = isRustAllocator(Symbol->Name);
    Evidence E;
    E.Rule = FoundBy::Symbol;
    E.Name = typeOfSymbol(report::demangle(
        std::string(Symbol->Name, std::strcspn(Symbol->Name, "@"))));
    if (!E.Name.empty())
      Out.All.push_back(std::move(E));
  }
  std::optional<RegisterOrigins> Origins;
  if (!Scopes.empty())
    Origins.emplace(File, Decode, Scopes.front(), *Places);
  const ReceivingCode Code{File,
                           Decode,
                           Scopes.empty() ? nullptr : &Scopes.front(),
                           *Places,
                           *Fixed,
                           Returned,
                           Origins ? &*Origins : nullptr};
  Out.HasNoResult = !Scopes.empty() && !typeOf(Scopes.front());
  const char *Callee = calleeOf(Call);
  Out.OfArrayNew = Callee && std::strncmp(Callee, "_Zna", 4) == 0;
  if (Callee && std::strcmp(Callee, "posix_memalign") == 0)
    StoredTo = 0;
  std::vector<BlockFact> Facts;
  if (const auto Where =
          StoredTo ? framePlaceOf(File, Decode, Start, Call, *StoredTo)
                   : std::nullopt;
      Where || !StoredTo)
    Facts = followBlock(Code, Call + 1, Where ? &*Where : nullptr, Offset);
  for (const BlockFact &Fact : Facts) {
    Out.IsStored |= Fact.What == BlockFact::Kind::Kept;
    // A function without a result leaves any value in the result register.
    if (Fact.What != BlockFact::Kind::Returned || Out.HasNoResult) {
      addFact(Out, Fact, Offset, Unit);
      continue;
    }
    if (!Out.Returned)
      Out.Returned = Fact.Offset;
    Out.HandsOut = Scopes.empty() || isUntyped(typeOf(Scopes.front()));
    if (!Scopes.empty() && Fact.Offset == Offset)
      addPointer(Out, FoundBy::Result, typeOf(Scopes.front()));
  }
  // The innermost inlined function probably returns the block it allocates.
  if (Scopes.size() > 1) {
    const size_t Before = Out.All.size();
    addPointer(Out, FoundBy::Result, typeOf(declarationOf(Scopes.back())));
    for (size_t I = Before; I < Out.All.size(); ++I)
      Out.All[I].OnlyExact = true;
  }
  Out.HasConstantSize = (Out.Returned || Out.StoredTo) &&
                        (Scopes.empty() || !Out.IsLibrary) &&
                        hasOwnSize(Call, Scopes);
  Out.HandsOut &= !Out.IsStored && !Out.HasConstantSize;
  return Out;
}

} // namespace inmem::debuginfo
