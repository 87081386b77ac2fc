//===- TypeLayout.h - from clang's types to the table's ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies name, size and fields of types out of the AST. Each type is worked
// out once; its embedded classes come along, for whoever walks an object.
#ifndef INMEM_PLUGIN_AST_TYPELAYOUT_H
#define INMEM_PLUGIN_AST_TYPELAYOUT_H

#include "SiteTable.h"
#include "ast/TypeName.h"
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

  /// Puts \p Type (an array: its element) into the table and returns its key;
  /// empty for void, functions and types that depend on template parameters.
  std::string add(clang::QualType Type);

  /// The same with all that pointers and references lead to from there, for
  /// inmem::profile(): \returns the keys of all, that of \p Type first.
  std::vector<std::string> addReachable(clang::QualType Type);

private:
  /// A type before the ids of its fields are known; FieldTypes runs beside
  /// Info.Fields and is null where no class, pointee or element is named.
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
  /// A member that is no bit-field.
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
