//===- SiteTable.cpp - the bridge from the AST half to the IR half --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SiteTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <optional>

using namespace llvm;

namespace inmem {

/// As normalizedFunction(), but without a copy in the common case. \p Storage
/// holds the text if it differs from \p Name.
static StringRef normalized(StringRef Name, std::string &Storage) {
  Name.consume_front("\01");
  Name = withoutUniqueSuffix(Name);
  if (Name.starts_with("__cxx_global_var_init") ||
      Name.starts_with("__cxx_global_array_dtor"))
    return kGlobals;
  size_t Dollar = Name.find("$_");
  if (Dollar == StringRef::npos)
    return Name;
  for (; Dollar != StringRef::npos; Dollar = Name.find("$_")) {
    Storage += Name.take_front(Dollar + 2).str();
    Name = Name.drop_front(Dollar + 2).drop_while(isDigit);
  }
  Storage += Name.str();
  return Storage;
}

SiteTable &SiteTable::current() {
  static SiteTable Current;
  return Current;
}

void SiteTable::clear() { *this = SiteTable(); }

FunctionFacts &SiteTable::function(StringRef LinkageName) {
  return Functions[normalizedFunction(LinkageName)];
}

TypeInfo &SiteTable::addType(TypeInfo Type) {
  std::string Key = Type.Key;
  return Types.emplace(std::move(Key), std::move(Type)).first->second;
}

void SiteTable::addCoroutine(StringRef LinkageName, std::string Name) {
  Coroutines[normalizedFunction(LinkageName)] = std::move(Name);
}

void SiteTable::addPassed(StringRef LinkageName) {
  PassedOver.insert(normalizedFunction(LinkageName));
}

bool SiteTable::isPassed(StringRef LinkageName) const {
  return !PassedOver.empty() &&
         PassedOver.contains(normalizedFunction(LinkageName));
}

void SiteTable::addUnlocated(StringRef LinkageName) {
  Unlocated.insert(normalizedFunction(LinkageName));
}

bool SiteTable::isUnlocated(StringRef LinkageName) const {
  return !Unlocated.empty() &&
         Unlocated.contains(normalizedFunction(LinkageName));
}

void SiteTable::addExcluded(StringRef LinkageName) {
  Excluded.insert(normalizedFunction(LinkageName));
}

/// The number in the last "$_N" before the operator's own name.
static std::optional<unsigned> closureNumber(StringRef CallOperator) {
  size_t Operator = CallOperator.find("clE");
  size_t Dollar = CallOperator.take_front(Operator).rfind("$_");
  unsigned Number;
  if (Operator == StringRef::npos || Dollar == StringRef::npos ||
      CallOperator.slice(Dollar + 2, Operator).getAsInteger(10, Number))
    return std::nullopt;
  return Number;
}

void SiteTable::addCallOperator(StringRef LinkageName, const SourceLoc &Begin,
                                const SourceLoc &End) {
  if (std::optional<unsigned> Number = closureNumber(LinkageName))
    CallOperators[normalizedFunction(LinkageName)].push_back(
        {{Begin.Line, Begin.Column}, {End.Line, End.Column}, *Number});
}

void SiteTable::matchCallOperator(StringRef LinkageName, unsigned Line,
                                  unsigned Column) {
  std::optional<unsigned> Theirs = closureNumber(LinkageName);
  if (!Theirs || !Line)
    return;
  auto It = CallOperators.find(normalizedFunction(LinkageName));
  if (It == CallOperators.end())
    return;
  std::optional<unsigned> Ours;
  std::pair<unsigned, unsigned> At(Line, Column);
  for (const CallOperator &Known : It->second) {
    if (At < Known.Begin || Known.End < At)
      continue;
    if (Ours && *Ours != Known.Number)
      return; // nested lambdas, or lambdas from a macro
    Ours = Known.Number;
  }
  if (Ours)
    Closures[*Theirs] = *Ours;
}

std::string SiteTable::renumbered(StringRef Name) const {
  std::string Result;
  Name.consume_front("\01");
  Name = withoutUniqueSuffix(Name);
  size_t Dollar = Name.find("$_");
  if (Dollar == StringRef::npos)
    return {};
  for (; Dollar != StringRef::npos; Dollar = Name.find("$_")) {
    Result += Name.take_front(Dollar + 2).str();
    Name = Name.drop_front(Dollar + 2);
    unsigned Number;
    auto It = Name.consumeInteger(10, Number) ? Closures.end()
                                              : Closures.find(Number);
    if (It == Closures.end())
      return {};
    Result += utostr(It->second);
  }
  return Result + Name.str();
}

void SiteTable::addCallee(StringRef LinkageName) {
  Callees.insert(LinkageName);
}

void SiteTable::addDestructor(StringRef LinkageName, ClassFact Fact) {
  Destructors[normalizedFunction(LinkageName)] = std::move(Fact);
}

void SiteTable::addConstructor(StringRef Complete, StringRef Base,
                               ClassFact Fact) {
  std::string Name = normalizedFunction(Complete);
  ConstructorNames[normalizedFunction(Base)] = Name;
  ConstructorNames[Name] = Name;
  Constructors[Name] = std::move(Fact);
}

const FunctionFacts *SiteTable::findFunction(StringRef LinkageName) const {
  std::string Storage;
  StringRef Name = normalized(LinkageName, Storage);
  auto It = Functions.find(Name);
  if (It == Functions.end() && Name.contains('.'))
    It = Functions.find(Name.split('.').first);
  return It == Functions.end() ? nullptr : &It->second;
}

ArrayRef<const FunctionFacts *> SiteTable::ownersOf(unsigned Line,
                                                    unsigned Column) const {
  if (!OwnersBuilt) {
    OwnersBuilt = true;
    for (const auto &Entry : Functions) {
      auto Add = [&](const SourceLoc &Where) {
        auto &At = Owners[{Where.Line, Where.Column}];
        if (At.empty() || At.back() != &Entry.second)
          At.push_back(&Entry.second);
      };
      for (const ObjectFact &Fact : Entry.second.Objects)
        Add(Fact.Where);
      for (const ReturnFact &Fact : Entry.second.Returns)
        Add(Fact.Where);
    }
  }
  auto It = Owners.find({Line, Column});
  if (It == Owners.end())
    return {};
  return It->second;
}

static std::string lineKey(StringRef File, unsigned Line, unsigned Column,
                           StringRef Callee) {
  return (sys::path::filename(File) + ":" + Twine(Line) + ":" + Twine(Column) +
          ":" + Callee)
      .str();
}

void AllocConsensus::add(const AllocFact &Fact) {
  if (!Answer)
    Answer = &Fact;
  else if (Answer->TypeKey != Fact.TypeKey || Answer->Kind != Fact.Kind ||
           Answer->Cookie != Fact.Cookie || Answer->Role != Fact.Role)
    Disagree = true;
}

const AllocFact *AllocConsensus::get() const {
  static const AllocFact Unclear = [] {
    AllocFact Fact;
    Fact.Flags = INMEM_SITE_DISAGREE;
    return Fact;
  }();
  return Disagree ? &Unclear : Answer;
}

void StorageConsensus::add(const ObjectFact &Fact) {
  bool Differs = Answer && *Answer != Fact.Storage;
  Answer = Differs ? uint8_t(INMEM_STORAGE_UNKNOWN) : Fact.Storage;
}

void ReturnConsensus::add(const ReturnFact &Fact) {
  Disagree |= Answer && (Answer->Class.TypeKey != Fact.Class.TypeKey ||
                         Answer->Storage != Fact.Storage);
  Answer = &Fact;
}

/// The fact at the call's position, out of several about one source location;
/// null if the numbers of calls and facts differ.
template <typename Fact>
static const Fact *inOrder(ArrayRef<const Fact *> Facts, OrderOfCall Order) {
  if (Facts.size() < 2 || !Order)
    return nullptr;
  CallOrder Call = Order();
  return Call.Count == Facts.size() ? Facts[Call.Index] : nullptr;
}

const AllocFact *SiteTable::findAlloc(StringRef Function, StringRef Callee,
                                      unsigned Line, unsigned Column,
                                      StringRef File, uint64_t Bytes,
                                      OrderOfCall Order) const {
  Callee = withoutUniqueSuffix(Callee);
  auto Fits = [&](const AllocFact &Fact) {
    const TypeInfo *Type =
        Bytes && Fact.Kind == INMEM_SITE_NEW ? findType(Fact.TypeKey) : nullptr;
    return !Type || !Type->Size || Type->Size == Bytes;
  };
  if (const FunctionFacts *Facts = findFunction(Function)) {
    const std::vector<AllocFact> &Allocs = Facts->Allocs;
    std::string Numbered = renumbered(Function);
    auto IsMeant = [&](const AllocFact &Fact) {
      return Numbered.empty() || Fact.Numbered == Numbered;
    };
    AllocConsensus AtLine, InFunction;
    SmallVector<const AllocFact *, 4> InOrder;
    for (unsigned I : Facts->AllocIndex.at(Allocs, Line, Column))
      if (Allocs[I].Callee == Callee && IsMeant(Allocs[I])) {
        InOrder.push_back(&Allocs[I]);
        if (Fits(Allocs[I]))
          AtLine.add(Allocs[I]);
      }
    if (Line && AtLine.any()) {
      if (AtLine.disagrees())
        if (const AllocFact *Fact = inOrder<AllocFact>(InOrder, Order))
          return Fact;
      return AtLine.get();
    }
    if (Numbered.empty())
      InFunction = Facts->AllocIndex.shared(Allocs, Callee);
    else
      for (unsigned I : Facts->AllocIndex.of(Allocs, Callee))
        if (IsMeant(Allocs[I]))
          InFunction.add(Allocs[I]);
    // Only their location identifies indirect calls.
    if (InFunction.any() && Callee != kIndirect)
      return InFunction.get();
  }
  if (!Line)
    return nullptr;
  if (!ByLineBuilt) {
    ByLineBuilt = true;
    for (const auto &Entry : Functions)
      for (const AllocFact &Fact : Entry.second.Allocs)
        ByLine[lineKey(Fact.Where.File, Fact.Where.Line, Fact.Where.Column,
                       Fact.Callee)]
            .push_back(&Fact);
  }
  auto It = ByLine.find(lineKey(File, Line, Column, Callee));
  if (It == ByLine.end())
    return nullptr;
  AllocConsensus AtLine;
  for (const AllocFact *Fact : It->second)
    if (Fits(*Fact))
      AtLine.add(*Fact);
  return AtLine.get();
}

uint8_t SiteTable::findStorage(StringRef Function, StringRef Callee,
                               unsigned Line, unsigned Column,
                               OrderOfCall Order) const {
  StorageConsensus AtLine;
  SmallVector<const ObjectFact *, 4> InOrder;
  auto Look = [&](const FunctionFacts &Facts) {
    for (unsigned I : Facts.ObjectIndex.at(Facts.Objects, Line, Column))
      if (Facts.Objects[I].Callee == Callee) {
        AtLine.add(Facts.Objects[I]);
        InOrder.push_back(&Facts.Objects[I]);
      }
  };
  const FunctionFacts *Facts = findFunction(Function);
  if (Facts)
    Look(*Facts);
  else if (isTakenOut(Function))
    for (const FunctionFacts *Owner : ownersOf(Line, Column))
      Look(*Owner);
  if (AtLine.Answer == uint8_t(INMEM_STORAGE_UNKNOWN) && Facts)
    if (const ObjectFact *Fact = inOrder<ObjectFact>(InOrder, Order))
      return Fact->Storage;
  if (AtLine.Answer || !Facts)
    return AtLine.Answer.value_or(INMEM_STORAGE_UNKNOWN);
  const std::vector<ObjectFact> &Objects = Facts->Objects;
  return Facts->ObjectIndex.shared(Objects, Callee)
      .Answer.value_or(INMEM_STORAGE_UNKNOWN);
}

const ReturnFact *SiteTable::findReturn(StringRef Function, StringRef Callee,
                                        unsigned Line, unsigned Column,
                                        OrderOfCall Order) const {
  std::string Storage;
  StringRef Name = normalized(Callee, Storage);
  SmallVector<const ReturnFact *, 4> InOrder;
  auto Look = [&](const FunctionFacts &Facts) {
    for (unsigned I : Facts.ReturnIndex.at(Facts.Returns, Line, Column))
      if (Facts.Returns[I].Callee == Name)
        InOrder.push_back(&Facts.Returns[I]);
  };
  const FunctionFacts *Facts = findFunction(Function);
  if (Line && Facts)
    Look(*Facts);
  else if (isTakenOut(Function))
    for (const FunctionFacts *Owner : ownersOf(Line, Column))
      Look(*Owner);
  if (const ReturnFact *Fact = inOrder<ReturnFact>(InOrder, Order))
    return Fact;
  if (!InOrder.empty())
    return InOrder.front();
  if (!Facts)
    return nullptr;
  const std::vector<ReturnFact> &Returns = Facts->Returns;
  return Callee.empty() ? nullptr
                        : Facts->ReturnIndex.shared(Returns, Name).get();
}

const TypeInfo *SiteTable::findType(StringRef Key) const {
  auto It = Types.find(Key);
  return It == Types.end() ? nullptr : &It->second;
}

const std::string *SiteTable::findCoroutine(StringRef LinkageName) const {
  auto It = Coroutines.find(normalizedFunction(LinkageName));
  return It == Coroutines.end() ? nullptr : &It->second;
}

const ClassFact *SiteTable::findDestructor(StringRef LinkageName) const {
  std::string Storage;
  auto It = Destructors.find(normalized(LinkageName, Storage));
  return It == Destructors.end() ? nullptr : &It->second;
}

const ClassFact *SiteTable::findConstructor(StringRef LinkageName,
                                            std::string &Complete) const {
  std::string Storage;
  auto Name = ConstructorNames.find(normalized(LinkageName, Storage));
  if (Name == ConstructorNames.end())
    return nullptr;
  Complete = Name->second;
  auto It = Constructors.find(Complete);
  return It == Constructors.end() ? nullptr : &It->second;
}

bool SiteTable::isCallee(StringRef LinkageName) const {
  return Callees.contains(withoutUniqueSuffix(LinkageName));
}

bool SiteTable::isExcluded(StringRef LinkageName) const {
  std::string Name = normalizedFunction(LinkageName);
  return Excluded.contains(Name) ||
         Excluded.contains(StringRef(Name).split('.').first);
}

std::string normalizedFunction(StringRef Name) {
  std::string Storage;
  return normalized(Name, Storage).str();
}

uint64_t typeId(const TypeInfo &Type) {
  std::string Text = Type.Key + "|" + utostr(Type.Size);
  for (const FieldInfo &Field : Type.Fields)
    Text += "|" + Field.Name + ":" + Field.TypeName + ":" +
            utostr(Field.Offset) + ":" + utostr(Field.Size) + ":" +
            utostr(Field.Kind) + ":" + utostr(Field.Bit);
  return stableHash(Text);
}

TypeInfo scalarType(StringRef Key, StringRef Name, unsigned Size) {
  TypeInfo Type;
  Type.Key = Key.str();
  Type.Name = Name.str();
  Type.Size = Size;
  Type.Align = Size;
  Type.Flags = INMEM_TYPE_TRIVIAL_DTOR;
  Type.Id = typeId(Type);
  return Type;
}

} // namespace inmem
