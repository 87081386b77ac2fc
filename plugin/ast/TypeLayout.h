//===- TypeLayout.h - from clang's types to the table's ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies the names, sizes and fields of types from the AST to the table. Each
// type is computed once, together with the classes embedded in it, which object
// walks need.
#ifndef INMEM_PLUGIN_AST_TYPELAYOUT_H
#define INMEM_PLUGIN_AST_TYPELAYOUT_H

#include "SiteTable.h"
#include "ast/TypeNamer.h"
#include "clang/AST/Mangle.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <string>
#include <vector>

namespace inmem {

class TypeLayouts {
public:
  TypeLayouts(clang::ASTContext &Context, clang::MangleContext &Mangler,
              TypeNamer &Namer, SiteTable &Table)
      : Context(Context), Mangler(Mangler), Namer(Namer), Table(Table) {}

  /// Adds \p Type (for an array, its element type) to the table. \returns its
  /// key; empty for void, function types and dependent types
  std::string add(clang::QualType Type);

  /// As add(), but also adds all types reachable through pointers and
  /// references, for inmem::profile(). \returns all keys, with that of \p Type
  /// first
  std::vector<std::string> addReachable(clang::QualType Type);

private:
  /// A type before the ids of its fields are known. FieldTypes is parallel to
  /// Info.Fields, with null for fields without a class, pointee or element
  /// type.
  struct Entry {
    TypeInfo Info;
    clang::QualType Self;
    llvm::SmallVector<clang::QualType, 8> FieldTypes;
    bool Published = false;
  };

  Entry *shallow(clang::QualType Type);
  void publish(Entry &E);
  void addFields(const clang::RecordDecl &Record, Entry &E);
  void addBase(const clang::CXXRecordDecl &Base, clang::QualType Type,
               uint64_t Offset, bool Virtual, Entry &E);
  void addField(const clang::FieldDecl &Field, uint64_t OffsetBits, Entry &E);
  /// Adds a member that is not a bit-field.
  void addMember(FieldInfo Field, clang::QualType Type, Entry &E);
  std::string key(clang::QualType Type, llvm::StringRef Name);

  clang::ASTContext &Context;
  clang::MangleContext &Mangler;
  TypeNamer &Namer;
  SiteTable &Table;
  llvm::DenseMap<const clang::Type *, std::unique_ptr<Entry>> Entries;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_TYPELAYOUT_H
