//===- CounterRecords.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/CounterRecords.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace inmem {

static constexpr StringLiteral kCellPrefix = "__inmem_c.",
                               kRecordPrefix = "__inmem_o.";

static bool isField(const ObjectInfo &Object) {
  return Object.Event >= INMEM_OBJECT_FIELD_READ;
}

/// The value of inmem_object.key for an access to a field.
static uint64_t bitsOf(const ObjectInfo &Object) {
  constexpr uint64_t kMost = 0xffffffff;
  return std::min(Object.FirstBit, kMost) | std::min(Object.Bits, kMost) << 32;
}

CounterRecords::CounterRecords(Module &M, DescriptorEmitter &Emitter,
                               CountedObjects &Counted)
    : M(M), Emitter(Emitter), Counted(Counted),
      I8(Type::getInt8Ty(M.getContext())),
      I16(Type::getInt16Ty(M.getContext())),
      I32(Type::getInt32Ty(M.getContext())),
      I64(Type::getInt64Ty(M.getContext())),
      Layout(StructType::get(M.getContext(),
                             {I32, I32, I32, I32, I32, I32, I16, I8, I8, I8, I8,
                              I8, I8, I64, I64})) {}

GlobalVariable *CounterRecords::add(const ObjectInfo &Object, Function &F) {
  std::string Identity = Object.Function + "|" + Object.ClassName + "|" +
                         Object.TypeKey + "|" + utostr(Object.Event) + "|" +
                         utostr(Object.Storage) + "|" + utostr(Object.Manner);
  if (isField(Object))
    Identity += "|" + utostr(Object.FirstBit) + "+" + utostr(Object.Bits);
  // Generated code may have ten thousand in one function, and reports need not
  // distinguish them.
  constexpr unsigned kMostSites = 256;
  Group &Same = Groups[Identity];
  if (Same.Sites == kMostSites)
    return Same.Last;
  ++Same.Sites;
  // The name identifies the count: if units have different counters for an
  // inline function, they must not share cells.
  std::string Exact = Identity + "|" + Object.Where.File + ":" +
                      utostr(Object.Where.Line) + ":" +
                      utostr(Object.Where.Column);
  Exact += "|" + utostr(Numbers[Exact]++);
  auto *Cell =
      new GlobalVariable(M, I64, /*isConstant=*/false,
                         GlobalValue::InternalLinkage, ConstantInt::get(I64, 0),
                         kCellPrefix + Emitter.uniqueName("", F) + "." +
                             utohexstr(stableHash(Exact), /*LowerCase=*/true));
  Cell->setSection(INMEM_SECTION_COUNTERS);
  Cell->setAlignment(Align(8));
  Emitter.shareAcrossFunctions(*Cell, F, M.getOrInsertComdat(Cell->getName()));
  Identity += "|" + utostr(Ordinals[Identity]++);
  Counted[Cell->getName()] = {Object, stableHash(Identity)};
  Same.Last = Cell;
  return Cell;
}

Constant *CounterRecords::record(const CountedObject &Of, Constant *Cell,
                                 GlobalVariable *Base, uint64_t At,
                                 unsigned Times) {
  using O = inmem_object;
  const ObjectInfo &Object = Of.Object;
  Constant *Zero = ConstantInt::get(I8, 0);
  return ConstantStruct::get(
      Layout,
      {Emitter.relative(Cell, Base, At + offsetof(O, cell)),
       Emitter.relative(Emitter.type(Object.TypeKey), Base,
                        At + offsetof(O, type)),
       Emitter.relative(Emitter.string(Object.ClassName), Base,
                        At + offsetof(O, class_name)),
       Emitter.relative(Emitter.string(Object.Function), Base,
                        At + offsetof(O, function)),
       Emitter.relative(Emitter.string(Object.Where.File), Base,
                        At + offsetof(O, file)),
       ConstantInt::get(I32, Object.Where.Line),
       ConstantInt::get(I16, std::min(Object.Where.Column, 0xffffu)),
       ConstantInt::get(I8, Object.Event), ConstantInt::get(I8, Object.Storage),
       ConstantInt::get(I8, Object.Manner),
       ConstantInt::get(I8, Times == 1 ? 0 : Times), Zero, Zero,
       ConstantInt::get(I64, isField(Object) ? bitsOf(Object) : Of.Id),
       ConstantInt::get(I64, 0)});
}

void CounterRecords::describe(GlobalVariable &Cell) {
  StringRef Name = Cell.getName();
  auto Found = Counted.find(Name);
  if (!Name.consume_front(kCellPrefix) || Found == Counted.end() ||
      M.getNamedGlobal((kRecordPrefix + Name).str()))
    return;
  auto *Record =
      new GlobalVariable(M, Layout, /*isConstant=*/true, Cell.getLinkage(),
                         nullptr, kRecordPrefix + Name);
  Record->setSection(INMEM_SECTION_OBJECTS);
  Record->setAlignment(Align(8));
  Record->setComdat(Cell.getComdat());
  Record->setVisibility(Cell.getVisibility());
  Record->setDSOLocal(true);
  Record->setInitializer(
      record(Found->second, &Cell, Record, /*At=*/0, /*Times=*/1));
}

GlobalVariable *CounterRecords::addUncounted(const ObjectInfo &Object) {
  const std::string Content = Object.TypeKey + "|" + utostr(Object.Event) +
                              "|" + utostr(Object.FirstBit) + "+" +
                              utostr(Object.Bits) + "|" + Object.Where.File +
                              ":" + utostr(Object.Where.Line);
  const std::string Name =
      "uncounted." + utohexstr(stableHash(Content), /*LowerCase=*/true);
  if (M.getNamedGlobal((kRecordPrefix + Name).str()))
    return nullptr;
  auto *Cell = new GlobalVariable(M, I64, /*isConstant=*/false,
                                  GlobalValue::LinkOnceODRLinkage,
                                  ConstantInt::get(I64, 0), kCellPrefix + Name);
  Cell->setSection(INMEM_SECTION_COUNTERS);
  Cell->setAlignment(Align(8));
  Cell->setComdat(M.getOrInsertComdat(Cell->getName()));
  Cell->setVisibility(GlobalValue::HiddenVisibility);
  Cell->setDSOLocal(true);
  Counted[Cell->getName()] = {Object, 0};
  describe(*Cell);
  return M.getNamedGlobal((kRecordPrefix + Name).str());
}

GlobalVariable *CounterRecords::addCombined(ArrayRef<CombinedCell> Cells,
                                            Function &F) {
  std::string Content;
  size_t Count = 0;
  constexpr unsigned kMost = std::numeric_limits<uint8_t>::max();
  for (const CombinedCell &Cell : Cells) {
    for (auto [Original, Times] : Cell) {
      Content += (Original->getName() + "*" + Twine(Times) + "+").str();
      Count += divideCeil(Times, kMost);
    }
    Content += "|";
  }
  std::string Suffix = Emitter.uniqueName("", F) + "." +
                       utohexstr(stableHash(Content), /*LowerCase=*/true);
  auto *CellLayout = ArrayType::get(I64, Cells.size());
  auto *Array = new GlobalVariable(
      M, CellLayout, /*isConstant=*/false, GlobalValue::InternalLinkage,
      Constant::getNullValue(CellLayout), "__inmem_n." + Suffix);
  Comdat *Group = M.getOrInsertComdat(Array->getName());
  Array->setSection(INMEM_SECTION_COUNTERS);
  Array->setAlignment(Align(8));
  Emitter.shareAcrossFunctions(*Array, F, Group);

  auto *ArrayLayout = ArrayType::get(Layout, Count);
  auto *Records = new GlobalVariable(M, ArrayLayout, /*isConstant=*/true,
                                     GlobalValue::InternalLinkage, nullptr,
                                     "__inmem_m." + Suffix);
  Records->setSection(INMEM_SECTION_OBJECTS);
  Records->setAlignment(Align(8));
  Emitter.shareAcrossFunctions(*Records, F, Group);
  std::vector<Constant *> Elements;
  for (auto [I, Cell] : enumerate(Cells)) {
    // "In bounds" as in DescriptorEmitter::relative().
    Constant *Element = ConstantExpr::getInBoundsGetElementPtr(
        I8, Array, ConstantInt::get(I64, I * sizeof(uint64_t)));
    for (auto [Original, Times] : Cell)
      for (unsigned Left = Times; Left; Left -= std::min(Left, kMost))
        Elements.push_back(record(
            Counted[Original->getName()], Element, Records,
            Elements.size() * sizeof(inmem_object), std::min(Left, kMost)));
  }
  Records->setInitializer(ConstantArray::get(ArrayLayout, Elements));
  return Array;
}

} // namespace inmem
