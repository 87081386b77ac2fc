//===- TypeLayout.cpp - from clang's types to the table's -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/TypeLayout.h"
#include "Compat.h"
#include "ast/AllocTypeInference.h"
#include "ast/Filter.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;
using llvm::raw_string_ostream;

namespace inmem {

/// The pointee of a smart pointer of the standard library, of Boost, or of a
/// class with the same name; null for other types.
static QualType smartPointee(const CXXRecordDecl &Record) {
  auto *Special = dyn_cast<ClassTemplateSpecializationDecl>(&Record);
  if (!Special || !Special->getIdentifier())
    return {};
  StringRef Name = Special->getName();
  if (Name != "unique_ptr" && Name != "shared_ptr" && Name != "weak_ptr" &&
      Name != "auto_ptr" && Name != "intrusive_ptr" && Name != "scoped_ptr")
    return {};
  const TemplateArgumentList &Args = Special->getTemplateArgs();
  if (!Args.size() || Args[0].getKind() != TemplateArgument::Type)
    return {};
  return Args[0].getAsType();
}

/// The object that libc++'s make_shared constructs in its block, in the bytes
/// reserved for the allocator and the object; null for other classes.
static QualType emplacedType(const RecordDecl &Record) {
  auto *Block = dyn_cast<CXXRecordDecl>(Record.getDeclContext());
  if (!Block || !Block->isInStdNamespace() || !Block->getIdentifier() ||
      Block->getName() != "__shared_ptr_emplace" || !Record.getIdentifier() ||
      Record.getName() != "_Storage")
    return {};
  for (const Decl *D : Record.decls()) {
    auto *Inner = dyn_cast<TypeDecl>(D);
    // Before LLVM 20, a pair with that name.
    if (!Inner || !Inner->getIdentifier() ||
        (Inner->getName() != "_Data" && Inner->getName() != "_CompressedPair"))
      continue;
    QualType Type = Record.getASTContext().getTypeDeclType(Inner);
    if (!Type->isIncompleteType())
      return Type;
  }
  return {};
}

/// The object constructed in the raw storage of libstdc++'s container nodes and
/// make_shared blocks; null for any other class.
static QualType storedType(const RecordDecl &Record) {
  if (QualType Emplaced = emplacedType(Record); !Emplaced.isNull())
    return Emplaced;
  auto *Special = dyn_cast<ClassTemplateSpecializationDecl>(&Record);
  if (!Special || !Special->getIdentifier())
    return {};
  StringRef Name = Special->getName();
  if (Name != "__aligned_membuf" && Name != "__aligned_buffer")
    return {};
  const TemplateArgumentList &Args = Special->getTemplateArgs();
  if (!Args.size() || Args[0].getKind() != TemplateArgument::Type ||
      Args[0].getAsType()->isIncompleteType())
    return {};
  return Args[0].getAsType();
}

std::string TypeLayouts::add(QualType Type) {
  if (Type.isNull())
    return {};
  Entry *E = shallow(Type);
  if (!E)
    return {};
  publish(*E);
  return E->Info.Key;
}

std::vector<std::string> TypeLayouts::addReachable(QualType Type) {
  // More than any real program has. Further types are walked without adding
  // their names.
  constexpr size_t kMost = 20000;
  std::vector<std::string> Keys;
  llvm::SmallVector<Entry *, 16> Open;
  llvm::DenseSet<const Entry *> Seen;
  auto Note = [&](QualType Found) {
    Entry *E = Found.isNull() ? nullptr : shallow(Found);
    if (!E || Keys.size() >= kMost || !Seen.insert(E).second)
      return;
    publish(*E);
    Keys.push_back(E->Info.Key);
    Open.push_back(E);
  };
  Note(Type);
  while (!Open.empty()) {
    Entry *E = Open.pop_back_val();
    // Pointers have no entry, but their pointees do.
    QualType Pointee = E->Self->getPointeeType();
    if (!Pointee.isNull())
      Note(Pointee);
    // Copy: recursion may reallocate the entry's fields.
    llvm::SmallVector<QualType, 8> Fields = E->FieldTypes;
    for (QualType Field : Fields)
      Note(Field);
  }
  return Keys;
}

std::string TypeLayouts::key(QualType Type, StringRef Name) {
  if (isExternallyVisible(Type->getLinkage())) {
    std::string Mangled;
    raw_string_ostream OS(Mangled);
    compat::mangleTypeName(Mangler, Type, OS);
    return OS.str();
  }
  // The name may denote a different type in each TU.
  std::string Key = Name.str();
  if (const TagDecl *Tag = Type->getAsTagDecl())
    Key += "@" + Namer.location(Tag->getLocation());
  return Key;
}

TypeLayouts::Entry *TypeLayouts::shallow(QualType Type) {
  QualType Canonical =
      Context.getBaseElementType(Context.getCanonicalType(Type))
          .getCanonicalType()
          .getUnqualifiedType();
  if (Canonical->isVoidType() || Canonical->isFunctionType() ||
      Canonical->isDependentType() || Canonical->isReferenceType() ||
      Canonical->isPlaceholderType() || Canonical->isUndeducedType() ||
      Canonical->isSizelessType())
    return nullptr;
  const clang::Type *T = Canonical.getTypePtr();
  auto It = Entries.find(T);
  if (It != Entries.end())
    return It->second.get();

  auto Owned = std::make_unique<Entry>();
  Entry &E = *Owned;
  E.Self = Canonical;
  TypeInfo &Info = E.Info;
  Info.Name = Namer.name(Canonical);
  Info.Key = key(Canonical, Info.Name);
  const RecordDecl *Record = T->getAsRecordDecl();
  if (Record)
    Info.Flags |= INMEM_TYPE_CLASS;
  Info.Ignored = Record && Filter::isAnnotated(*Record);
  if (T->isUnionType())
    Info.Flags |= INMEM_TYPE_UNION;
  if (isRawStorage(Canonical))
    Info.Flags |= INMEM_TYPE_RAW;
  if (T->isIncompleteType() || (Record && Record->isInvalidDecl())) {
    Info.Flags |= INMEM_TYPE_OPAQUE;
  } else {
    Info.Size = Context.getTypeSizeInChars(Canonical).getQuantity();
    Info.Align = Context.getTypeAlignInChars(Canonical).getQuantity();
    if (!Canonical.isDestructedType())
      Info.Flags |= INMEM_TYPE_TRIVIAL_DTOR;
    if (Record)
      addFields(*Record, E);
  }
  Info.Id = typeId(Info);
  return Entries.try_emplace(T, std::move(Owned)).first->second.get();
}

void TypeLayouts::publish(Entry &E) {
  if (E.Published)
    return;
  E.Published = true;
  for (size_t I = 0; I < E.FieldTypes.size(); ++I) {
    if (E.FieldTypes[I].isNull())
      continue;
    Entry *FieldEntry = shallow(E.FieldTypes[I]);
    if (!FieldEntry)
      continue;
    FieldInfo &Field = E.Info.Fields[I];
    // Embedded scalars have no record.
    if (!(FieldEntry->Info.Flags & INMEM_TYPE_CLASS) &&
        (Field.Kind == INMEM_FIELD_VALUE ||
         (Field.Kind == INMEM_FIELD_ARRAY && E.FieldTypes[I]->isArrayType() &&
          !Context.getBaseElementType(E.FieldTypes[I])->isAnyPointerType())))
      continue;
    Field.TypeId = FieldEntry->Info.Id;
    Field.TypeKey = FieldEntry->Info.Key;
    // Pointees are described where they are allocated.
    bool Embedded = Field.Kind == INMEM_FIELD_VALUE ||
                    Field.Kind == INMEM_FIELD_ARRAY ||
                    Field.Kind == INMEM_FIELD_BASE ||
                    Field.Kind == INMEM_FIELD_VIRTUAL_BASE;
    if (Embedded && (FieldEntry->Info.Flags & INMEM_TYPE_CLASS))
      publish(*FieldEntry);
  }
  Table.addType(E.Info);
}

void TypeLayouts::addFields(const RecordDecl &Record, Entry &E) {
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(&Record);
  if (auto *Class = dyn_cast<CXXRecordDecl>(&Record)) {
    if (Class->isPolymorphic())
      E.Info.Flags |= INMEM_TYPE_POLYMORPHIC;
    if (Class->isLambda())
      E.Info.Flags |= INMEM_TYPE_CLOSURE;
    if (Layout.hasOwnVFPtr()) {
      FieldInfo Field;
      Field.Name = "(vptr)";
      Field.TypeName = "void **";
      Field.Size = Context.getTypeSizeInChars(Context.VoidPtrTy).getQuantity();
      Field.Kind = INMEM_FIELD_VPTR;
      E.Info.Fields.push_back(Field);
      E.FieldTypes.push_back({});
    }
    for (const CXXBaseSpecifier &Base : Class->bases())
      if (!Base.isVirtual())
        if (const CXXRecordDecl *D = Base.getType()->getAsCXXRecordDecl())
          addBase(*D, Base.getType(),
                  Layout.getBaseClassOffset(D).getQuantity(), false, E);
    for (const CXXBaseSpecifier &Base : Class->vbases())
      if (const CXXRecordDecl *D = Base.getType()->getAsCXXRecordDecl())
        addBase(*D, Base.getType(), Layout.getVBaseClassOffset(D).getQuantity(),
                true, E);
  }
  // In the AST these are raw bytes, but the object in them has a type.
  if (QualType Stored = storedType(Record); !Stored.isNull())
    return addMember({}, Stored, E);
  for (const FieldDecl *Field : Record.fields())
    addField(*Field, Layout.getFieldOffset(Field->getFieldIndex()), E);
}

void TypeLayouts::addBase(const CXXRecordDecl &Base, QualType Type,
                          uint64_t Offset, bool Virtual, Entry &E) {
  if (Base.isEmpty())
    return; // takes up no space in the object
  FieldInfo Field;
  Field.TypeName = Namer.name(Type);
  Field.Offset = Offset;
  Field.Size =
      Context.getASTRecordLayout(&Base).getNonVirtualSize().getQuantity();
  Field.Kind = Virtual ? INMEM_FIELD_VIRTUAL_BASE : INMEM_FIELD_BASE;
  E.Info.Fields.push_back(Field);
  E.FieldTypes.push_back(Type);
}

void TypeLayouts::addField(const FieldDecl &Decl, uint64_t OffsetBits,
                           Entry &E) {
  if (Decl.isBitField() && !Decl.getDeclName())
    return;
  FieldInfo Field;
  Field.Name = Decl.getName().str();
  Field.Offset = OffsetBits / 8;
  if (!Decl.isBitField())
    return addMember(std::move(Field), Decl.getType(), E);
  Field.TypeName = Namer.name(Decl.getType().getUnqualifiedType());
  Field.Kind = INMEM_FIELD_BITFIELD;
  Field.Size = compat::bitWidth(Decl, Context);
  Field.Bit = OffsetBits % 8;
  E.Info.Fields.push_back(Field);
  E.FieldTypes.push_back({});
}

void TypeLayouts::addMember(FieldInfo Field, QualType Type, Entry &E) {
  Field.TypeName = Namer.name(Type.getUnqualifiedType());
  uint64_t PointerBytes =
      Context.getTypeSizeInChars(Context.VoidPtrTy).getQuantity();
  if (auto *Atomic = Type->getAs<AtomicType>())
    if (Atomic->getValueType()->isPointerType())
      Type = Atomic->getValueType();
  QualType Named = Type;
  if (Type->isReferenceType()) {
    Field.Kind = INMEM_FIELD_REFERENCE;
    Named = Type.getNonReferenceType();
    Field.Size = PointerBytes;
  } else {
    Field.Size = Type->isIncompleteType()
                     ? 0 // flexible array member
                     : Context.getTypeSizeInChars(Type).getQuantity();
    if (Type->isArrayType()) {
      Field.Kind = INMEM_FIELD_ARRAY;
    } else if (Type->isPointerType()) {
      Field.Kind = INMEM_FIELD_POINTER;
      Named = Type->getPointeeType();
    } else if (const CXXRecordDecl *Record = Type->getAsCXXRecordDecl()) {
      QualType Pointee = smartPointee(*Record);
      // A non-empty deleter leaves the pointer's offset unknown.
      if (!Pointee.isNull() &&
          (Field.Size == PointerBytes || Record->getName() != "unique_ptr")) {
        Field.Kind = INMEM_FIELD_SMART;
        Named = Pointee;
      }
    }
  }
  E.Info.Fields.push_back(Field);
  E.FieldTypes.push_back(Named);
}

} // namespace inmem
