//===- DescriptorEmitter.cpp - abi.h's records as constants ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/DescriptorEmitter.h"
#include "Compat.h"
#include "PluginOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace inmem {

DescriptorEmitter::DescriptorEmitter(Module &M, bool LTOPreLink)
    : M(M), Context(M.getContext()), LTOPreLink(LTOPreLink),
      I8(Type::getInt8Ty(Context)), I16(Type::getInt16Ty(Context)),
      I32(Type::getInt32Ty(Context)), I64(Type::getInt64Ty(Context)),
      Ptr(PointerType::getUnqual(Context)) {}

Constant *DescriptorEmitter::string(StringRef Text) {
  if (Text.empty())
    return nullptr;
  GlobalVariable *&Entry = Strings[Text];
  if (!Entry) {
    // Only a file name can start like packed texts do.
    std::string Path;
    if (static_cast<unsigned char>(Text.front()) == INMEM_PACKED_TEXT)
      Path = ("./" + Text).str();
    Constant *Data =
        ConstantDataArray::getString(Context, Path.empty() ? Text : Path);
    Entry = new GlobalVariable(M, Data->getType(), /*isConstant=*/true,
                               GlobalValue::PrivateLinkage, Data, kTextPrefix);
    Entry->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    Entry->setAlignment(Align(1));
  }
  return Entry;
}

Constant *DescriptorEmitter::relative(Constant *Target, GlobalVariable *Base,
                                      uint64_t Offset) {
  if (!Target)
    return ConstantInt::get(I32, 0);
  // Without "in bounds", LLVM assumes that the dynamic linker must relocate the
  // value, and makes the section writable, along with all of .rodata.
  Constant *Member = ConstantExpr::getInBoundsGetElementPtr(
      I8, Base, ConstantInt::get(I64, Offset));
  return ConstantExpr::getTrunc(
      ConstantExpr::getSub(ConstantExpr::getPtrToInt(Target, I64),
                           ConstantExpr::getPtrToInt(Member, I64)),
      I32);
}

const std::string &DescriptorEmitter::moduleHash() {
  if (ModuleHash.empty()) {
    std::string Text = getUniqueModuleId(&M) + M.getSourceFileName();
    if (NamedMDNode *Units = M.getNamedMetadata("llvm.dbg.cu"))
      if (Units->getNumOperands())
        if (auto *Unit = dyn_cast<DICompileUnit>(Units->getOperand(0)))
          Text += Unit->getDirectory();
    ModuleHash = utohexstr(stableHash(Text), /*LowerCase=*/true);
  }
  return ModuleHash;
}

std::string DescriptorEmitter::uniqueName(StringRef Prefix, Function &F) {
  StringRef FunctionName = F.getName();
  FunctionName.consume_front("\01");
  std::string Name = (Prefix + FunctionName).str();
  if (F.hasLocalLinkage())
    Name += "." + moduleHash();
  return Name;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

GlobalVariable *DescriptorEmitter::type(StringRef Key) {
  if (Key.empty())
    return nullptr;
  auto It = Types.find(Key);
  if (It != Types.end())
    return It->second;
  return emitType(describe(Key));
}

std::string DescriptorEmitter::typeName(StringRef Key) {
  return describe(Key).Name;
}

TypeInfo DescriptorEmitter::describe(StringRef Key) {
  if (const TypeInfo *Known = SiteTable::current().findType(Key))
    return *Known;
  if (Key == "_ZTSc")
    return scalarType(Key, "char", 1);
  if (Key == "_ZTSw")
    return scalarType(Key, "wchar_t", 4);
  // The input was compiled by another process (opt, a .bc file), so only the
  // mangled name is available.
  TypeInfo Unlisted;
  Unlisted.Key = Key.str();
  Unlisted.Name = demangle(Unlisted.Key);
  StringRef Demangled = Unlisted.Name;
  if (Demangled.consume_front("typeinfo name for "))
    Unlisted.Name = Demangled.str();
  Unlisted.Flags = INMEM_TYPE_OPAQUE;
  Unlisted.Id = typeId(Unlisted);
  return Unlisted;
}

GlobalVariable *DescriptorEmitter::emitType(const TypeInfo &Info) {
  std::string Name = "__inmem_t." + utohexstr(Info.Id, /*LowerCase=*/true);
  if (GlobalVariable *Existing = M.getNamedGlobal(Name)) // an earlier pass's
    return Types[Info.Key] = Existing;
  StructType *Layout =
      StructType::get(Context, {I64, I64, I32, I32, I32, I16, I16});
  auto *Record =
      new GlobalVariable(M, Layout, /*isConstant=*/true,
                         GlobalValue::LinkOnceODRLinkage, nullptr, Name);
  Types[Info.Key] = Record; // before the fields: classes may be recursive
  Comdat *Group = M.getOrInsertComdat(Record->getName());
  Record->setComdat(Group);
  Record->setVisibility(GlobalValue::HiddenVisibility);
  Record->setDSOLocal(true);
  Record->setSection(INMEM_SECTION_TYPES);
  Record->setAlignment(Align(8));

  GlobalVariable *Fields = nullptr;
  if (Info.Flags & INMEM_TYPE_OBJECT)
    Fields = blockType(Info, Group);
  if (!Info.Fields.empty()) {
    StructType *FieldLayout =
        StructType::get(Context, {I64, I32, I32, I32, I32, I8, I8, I16, I32});
    // Relative references after the end of the array keep embedded classes
    // alive: the linker then keeps their records as long as this one.
    SmallVector<GlobalVariable *, 8> Embedded;
    for (const FieldInfo &Field : Info.Fields)
      if (Field.Kind != INMEM_FIELD_POINTER &&
          Field.Kind != INMEM_FIELD_REFERENCE && !Field.TypeKey.empty() &&
          SiteTable::current().findType(Field.TypeKey))
        Embedded.push_back(type(Field.TypeKey));
    auto *ArrayLayout = ArrayType::get(FieldLayout, Info.Fields.size());
    auto *TailLayout = ArrayType::get(I32, Embedded.size());
    StructType *Whole = StructType::get(Context, {ArrayLayout, TailLayout});
    Fields = new GlobalVariable(
        M, Whole, /*isConstant=*/true, GlobalValue::LinkOnceODRLinkage, nullptr,
        "__inmem_f." + utohexstr(Info.Id, /*LowerCase=*/true));
    Fields->setComdat(Group);
    Fields->setVisibility(GlobalValue::HiddenVisibility);
    Fields->setDSOLocal(true);
    Fields->setSection(kRecordSection);
    Fields->setAlignment(Align(8));

    SmallVector<Constant *, 16> Records, Tail;
    uint64_t At = 0;
    for (const FieldInfo &Field : Info.Fields) {
      using F = inmem_field;
      Records.push_back(ConstantStruct::get(
          FieldLayout,
          {ConstantInt::get(I64, Field.TypeId),
           ConstantInt::get(I32, Field.Offset),
           ConstantInt::get(I32, Field.Size),
           relative(string(Field.Name), Fields, At + offsetof(F, name)),
           relative(string(Field.TypeName), Fields,
                    At + offsetof(F, type_name)),
           ConstantInt::get(I8, Field.Kind), ConstantInt::get(I8, Field.Bit),
           ConstantInt::get(I16, 0), ConstantInt::get(I32, 0)}));
      At += sizeof(F);
    }
    for (GlobalVariable *Type : Embedded) {
      Tail.push_back(relative(Type, Fields, At));
      At += sizeof(int32_t);
    }
    Fields->setInitializer(
        ConstantStruct::get(Whole, {ConstantArray::get(ArrayLayout, Records),
                                    ConstantArray::get(TailLayout, Tail)}));
  }

  Record->setInitializer(ConstantStruct::get(
      Layout,
      {ConstantInt::get(I64, Info.Id), ConstantInt::get(I64, Info.Size),
       relative(string(Info.Name), Record, offsetof(inmem_type, name)),
       relative(Fields, Record, offsetof(inmem_type, fields)),
       ConstantInt::get(I32, Info.Fields.size()),
       ConstantInt::get(I16, Info.Align), ConstantInt::get(I16, Info.Flags)}));
  return Record;
}

static constexpr StringLiteral kObjectKey = "object ";

GlobalVariable *DescriptorEmitter::blockType(const TypeInfo &Object,
                                             Comdat *Group) {
  GlobalVariable *Block =
      type(StringRef(Object.Key).drop_front(kObjectKey.size()));
  auto *Link = new GlobalVariable(
      M, I32, /*isConstant=*/true, GlobalValue::LinkOnceODRLinkage, nullptr,
      "__inmem_f." + utohexstr(Object.Id, /*LowerCase=*/true));
  Link->setComdat(Group);
  Link->setVisibility(GlobalValue::HiddenVisibility);
  Link->setDSOLocal(true);
  Link->setSection(kRecordSection);
  Link->setAlignment(Align(4));
  Link->setInitializer(relative(Block, Link, 0));
  return Link;
}

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

static std::string chainText(const SiteInfo &Site) {
  std::string Text = Site.Function;
  for (const FrameInfo &Frame : Site.Inlined)
    Text += "<" + Frame.Function;
  return Text + "|" + Site.TypeKey + "|" + utostr(Site.Kind);
}

GlobalVariable *DescriptorEmitter::frames(ArrayRef<FrameInfo> Inlined) {
  if (Inlined.empty())
    return nullptr;
  StructType *Layout = StructType::get(Context, {I32, I32, I32, I16, I16});
  auto *Array = ArrayType::get(Layout, Inlined.size());
  auto *Frames = new GlobalVariable(M, Array, /*isConstant=*/true,
                                    GlobalValue::PrivateLinkage, nullptr,
                                    "__inmem_frames");
  Frames->setSection(kRecordSection); // no dynamic relocations in it
  Frames->setAlignment(Align(4));
  SmallVector<Constant *, 8> Records;
  uint64_t At = 0;
  for (const FrameInfo &Frame : Inlined) {
    using F = inmem_frame;
    Records.push_back(ConstantStruct::get(
        Layout,
        {relative(string(Frame.Function), Frames, At + offsetof(F, function)),
         relative(string(Frame.Where.File), Frames, At + offsetof(F, file)),
         ConstantInt::get(I32, Frame.Where.Line),
         ConstantInt::get(I16, std::min(Frame.Where.Column, 0xffffu)),
         ConstantInt::get(I16, Frame.Flags)}));
    At += sizeof(F);
  }
  Frames->setInitializer(ConstantArray::get(Array, Records));
  return Frames;
}

GlobalVariable *DescriptorEmitter::sharedFrames(ArrayRef<FrameInfo> Frames,
                                                StringRef Name) {
  GlobalVariable *Array = frames(Frames);
  // Same linkage as in addSite().
  Array->setLinkage(LTOPreLink ? GlobalValue::ExternalLinkage
                               : GlobalValue::InternalLinkage);
  if (LTOPreLink)
    Array->setVisibility(GlobalValue::HiddenVisibility);
  Array->setDSOLocal(true);
  Array->setName(Name + "." + moduleHash());
  return Array;
}

GlobalVariable *DescriptorEmitter::addSite(const SiteInfo &Site, Function &F) {
  StructType *Layout = StructType::get(
      Context, {I32, I32, I32, I32, I32, I16, I8, I8, I32, I16, I8, I8, I64});
  std::string Name = uniqueName("__inmem_site.", F);
  Name += "." + utostr(Numbers[Name]++);
  // Internal variables in a named section prevent ThinLTO from importing their
  // function, so there they get external names.
  auto *Record = new GlobalVariable(M, Layout, /*isConstant=*/false,
                                    LTOPreLink ? GlobalValue::ExternalLinkage
                                               : GlobalValue::InternalLinkage,
                                    nullptr, Name);
  if (LTOPreLink)
    Record->setVisibility(GlobalValue::HiddenVisibility);
  Record->setDSOLocal(true);
  // Site records are created after inlining, so only the function refers to
  // them.
  if (Comdat *Group = F.getComdat())
    Record->setComdat(Group);
  Record->setSection(INMEM_SECTION_SITES);
  Record->setAlignment(Align(8));

  using S = inmem_site;
  std::string Identity = chainText(Site);
  Identity += "|" + utostr(Ordinals[Identity]++);
  size_t Depth = std::min<size_t>(Site.Inlined.size(), 0xffff);
  Record->setInitializer(ConstantStruct::get(
      Layout,
      {ConstantInt::get(I32, 0),
       relative(type(Site.TypeKey), Record, offsetof(S, type)),
       relative(string(Site.Function), Record, offsetof(S, function)),
       relative(string(Site.Where.File), Record, offsetof(S, file)),
       ConstantInt::get(I32, Site.Where.Line),
       ConstantInt::get(I16, std::min(Site.Where.Column, 0xffffu)),
       ConstantInt::get(I8, Site.Kind), ConstantInt::get(I8, Site.Cookie),
       relative(frames(ArrayRef(Site.Inlined).take_front(Depth)), Record,
                offsetof(S, inlined)),
       ConstantInt::get(I16, Depth),
       ConstantInt::get(I8, Site.TypeKey.empty() ? uint8_t(INMEM_RULE_NONE)
                                                 : Site.Rule),
       ConstantInt::get(I8, Site.Flags),
       ConstantInt::get(I64, stableHash(Identity))}));
  return Record;
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// Uses a comdat separate from the function's. Other functions may refer to a
/// record created before inlining, and must not refer to a discarded group.
void DescriptorEmitter::shareAcrossFunctions(GlobalVariable &Variable,
                                             Function &F, Comdat *Group) {
  bool Named = !F.hasLocalLinkage() || LTOPreLink;
  Variable.setLinkage(!Named                ? GlobalValue::InternalLinkage
                      : F.hasLocalLinkage() ? GlobalValue::ExternalLinkage
                                            : GlobalValue::LinkOnceODRLinkage);
  if (!Named || F.hasLocalLinkage())
    Group->setSelectionKind(Comdat::NoDeduplicate);
  Variable.setComdat(Group);
  if (Named)
    Variable.setVisibility(GlobalValue::HiddenVisibility);
  Variable.setDSOLocal(true);
}

GlobalVariable *DescriptorEmitter::objectType(StringRef Key) {
  TypeInfo Info = describe(Key);
  Info.Key = kObjectKey.str() + Info.Key;
  Info.Fields.clear();
  Info.Flags |= INMEM_TYPE_OBJECT;
  Info.Id = typeId(Info);
  auto It = Types.find(Info.Key);
  return It != Types.end() ? It->second : emitType(Info);
}

GlobalVariable *DescriptorEmitter::addObjectSite(const ObjectInfo &Object,
                                                 Function &F) {
  objectType(Object.TypeKey);
  SiteInfo Site;
  Site.TypeKey = kObjectKey.str() + Object.TypeKey;
  Site.Function = Object.Function;
  Site.Where = Object.Where;
  Site.Kind = INMEM_SITE_OBJECT;
  Site.Cookie = Object.Storage | Object.Manner << 4;
  GlobalVariable *Record = addSite(Site, F);
  // The name is derived from the contents, as for a counter's cell.
  std::string Exact = Object.ClassName + "|" + utostr(Site.Cookie) + "|" +
                      Object.Where.File + ":" + utostr(Object.Where.Line) +
                      ":" + utostr(Object.Where.Column);
  Exact += "|" + utostr(Numbers["l|" + Object.Function + Exact]++);
  Record->setName(uniqueName("__inmem_l.", F) + "." +
                  utohexstr(stableHash(Exact), /*LowerCase=*/true));
  shareAcrossFunctions(*Record, F, M.getOrInsertComdat(Record->getName()));
  return Record;
}

//===----------------------------------------------------------------------===//
// Strings that are only read, variables, and source files
//===----------------------------------------------------------------------===//

GlobalVariable *DescriptorEmitter::sharedRecord(StructType *Layout,
                                                StringRef Name,
                                                StringRef Section) {
  if (M.getNamedGlobal(Name))
    return nullptr;
  auto *Record =
      new GlobalVariable(M, Layout, /*isConstant=*/true,
                         GlobalValue::LinkOnceODRLinkage, nullptr, Name);
  Record->setComdat(M.getOrInsertComdat(Name));
  Record->setVisibility(GlobalValue::HiddenVisibility);
  Record->setDSOLocal(true);
  Record->setSection(Section);
  Record->setAlignment(Align(8));
  return Record;
}

GlobalVariable *DescriptorEmitter::addStringCopy(const StringCopyFact &Copy) {
  const SourceLoc &Where = Copy.Where;
  std::string Content;
  for (StringRef Part :
       {StringRef(Copy.Function), StringRef(Copy.Name), StringRef(Where.File)})
    Content += (Part + "|").str();
  for (uint64_t Part : {uint64_t(Where.Line), uint64_t(Where.Column), Copy.Key,
                        uint64_t(Copy.Kind), uint64_t(Copy.Flags)})
    Content += utostr(Part) + "|";
  std::string Name =
      "__inmem_copy." + utohexstr(stableHash(Content), /*LowerCase=*/true);
  StructType *Layout =
      StructType::get(Context, {I64, I32, I32, I32, I32, I16, I8, I8, I32});
  GlobalVariable *Record = sharedRecord(Layout, Name, INMEM_SECTION_COPIES);
  if (!Record)
    return nullptr;
  using S = inmem_string_copy;
  Record->setInitializer(ConstantStruct::get(
      Layout, {ConstantInt::get(I64, Copy.Key),
               relative(string(Copy.Function), Record, offsetof(S, function)),
               relative(string(Where.File), Record, offsetof(S, file)),
               relative(string(Copy.Name), Record, offsetof(S, name)),
               ConstantInt::get(I32, Where.Line),
               ConstantInt::get(I16, std::min(Where.Column, 0xffffu)),
               ConstantInt::get(I8, Copy.Kind),
               ConstantInt::get(I8, Copy.Flags), ConstantInt::get(I32, 0)}));
  return Record;
}

GlobalVariable *DescriptorEmitter::addVariable(const VariableFact &Fact) {
  GlobalVariable *Of = type(Fact.TypeKey);
  std::string Content =
      Fact.Name + "|" + Fact.TypeKey + "|" + utostr(Fact.Size);
  StructType *Layout = StructType::get(Context, {I64, I32, I32});
  GlobalVariable *Record = sharedRecord(
      Layout, "__inmem_v." + utohexstr(stableHash(Content), /*LowerCase=*/true),
      INMEM_SECTION_VARIABLES);
  if (!Record)
    return nullptr;
  using V = inmem_variable;
  Record->setInitializer(ConstantStruct::get(
      Layout, {ConstantInt::get(I64, Fact.Size),
               relative(string(Fact.Name), Record, offsetof(V, name)),
               relative(Of, Record, offsetof(V, type))}));
  return Record;
}

void DescriptorEmitter::addSources() {
  SmallVector<GlobalValue *, 8> Records;
  StructType *Layout = StructType::get(Context, {I64, I32, I32});
  const unsigned Flags =
      Options::current().Accesses ? INMEM_SOURCE_ACCESSES : 0;
  for (const auto &[File, Hash] : SiteTable::current().Sources) {
    // Units compiled with other options must not share a header's records.
    const uint64_t Content =
        stableHash(File + "|" + utostr(Hash) + "|" + utostr(Flags));
    GlobalVariable *Record = sharedRecord(
        Layout, "__inmem_src." + utohexstr(Content, /*LowerCase=*/true),
        INMEM_SECTION_SOURCES);
    if (!Record)
      continue;
    Record->setInitializer(ConstantStruct::get(
        Layout, {ConstantInt::get(I64, Hash),
                 relative(string(File), Record, offsetof(inmem_source, file)),
                 ConstantInt::get(I32, Flags)}));
    Records.push_back(Record);
  }
  // No code refers to the records, so --gc-sections would drop them.
  appendToUsed(M, Records);
}

} // namespace inmem
