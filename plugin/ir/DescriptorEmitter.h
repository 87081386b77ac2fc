//===- DescriptorEmitter.h - abi.h's records as constants -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds sites, types and the registration of a module. All layouts and section
// names match abi.h. Linkage is chosen so that the linker keeps one copy of
// each type (docs/abi.md).
#ifndef INMEM_PLUGIN_IR_DESCRIPTOREMITTER_H
#define INMEM_PLUGIN_IR_DESCRIPTOREMITTER_H

#include "SiteTable.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"

namespace inmem {

/// Prefix of variables that hold the texts of records.
inline constexpr llvm::StringLiteral kTextPrefix = "__inmem_str",
                                     kPackedPrefix = "__inmem_texts";
/// Section of constants that records lead to, besides texts.
inline constexpr llvm::StringLiteral kRecordSection = ".rodata.inmem";

/// One caller in the chain inlined around a site.
struct FrameInfo {
  std::string Function;
  SourceLoc Where;
  uint16_t Flags = 0; ///< for inmem_frame
};

/// Contents of a site record; see struct inmem_site.
struct SiteInfo {
  std::string TypeKey;
  std::string Function;
  SourceLoc Where;
  uint8_t Kind = INMEM_SITE_UNKNOWN;
  uint8_t Cookie = 0;
  uint8_t Rule = INMEM_RULE_NONE;
  uint8_t Flags = 0;
  uint64_t Unit = 1; ///< for __inmem_retag_sized; not in the record
  std::vector<FrameInfo> Inlined;
};

/// Contents of a counter's record; see struct inmem_object.
struct ObjectInfo {
  std::string TypeKey;
  std::string ClassName;
  std::string Function;
  SourceLoc Where;
  uint8_t Event = INMEM_OBJECT_CONSTRUCTED;
  uint8_t Storage = INMEM_STORAGE_UNKNOWN;
  uint8_t Manner = INMEM_MANNER_OTHER;
  /// Bits of the object (INMEM_OBJECT_FIELD_...).
  uint64_t FirstBit = 0, Bits = 0;
};

class DescriptorEmitter {
public:
  DescriptorEmitter(llvm::Module &M, bool LTOPreLink);

  /// Adds a site record for a call inside \p F.
  llvm::GlobalVariable *addSite(const SiteInfo &Site, llvm::Function &F);
  /// An array of inmem_frame, or null if empty.
  llvm::GlobalVariable *frames(llvm::ArrayRef<FrameInfo> Frames);
  /// As frames(), for frames shared by the unit's functions.
  llvm::GlobalVariable *sharedFrames(llvm::ArrayRef<FrameInfo> Frames,
                                     llvm::StringRef Name);
  /// The record of a type in the table; null for an unknown key. A mangled name
  /// that is not in the table gives a record without a size.
  llvm::GlobalVariable *type(llvm::StringRef Key);
  /// The spelling of a type in the table, for remarks.
  std::string typeName(llvm::StringRef Key);
  /// Adds a site record for the objects that a constructor call in \p F
  /// constructs (objects=lifetime).
  llvm::GlobalVariable *addObjectSite(const ObjectInfo &Object,
                                      llvm::Function &F);
  /// The record of a class for its objects, not for blocks.
  llvm::GlobalVariable *objectType(llvm::StringRef Key);
  /// The record of a string that is only read; null if it already exists.
  llvm::GlobalVariable *addStringCopy(const StringCopyFact &Copy);
  /// The record of a variable; null if it already exists.
  llvm::GlobalVariable *addVariable(const VariableFact &Variable);
  /// Adds the records of the user's source files in SiteTable::current().
  void addSources();
  /// Adds the constructor and destructor that register the module's shared
  /// object with the runtime. Idempotent.
  void addRegistration();
  /// If the module has functions in .preinit_array, calls that constructor
  /// before them. \returns true if it has some.
  bool addEarlyRegistration();

  /// The thread's displacement for counters of this module: a thread-local of
  /// the shared object, or null if the table form is used (-fPIC).
  llvm::GlobalVariable *deltaVariable();
  /// The shared object's index into __inmem_displacement_table (-fPIC).
  llvm::GlobalVariable *tableIndex();
  bool usesTable() const;
  llvm::StringRef registrationName() const;
  /// A signed 32-bit distance from byte \p Offset of \p Base to \p Target; 0 if
  /// \p Target is null. Records hold distances instead of addresses, so that
  /// they need no dynamic relocation (docs/abi.md).
  llvm::Constant *relative(llvm::Constant *Target, llvm::GlobalVariable *Base,
                           uint64_t Offset);
  /// A constant for each distinct text; null if \p Text is empty.
  llvm::Constant *string(llvm::StringRef Text);
  /// Lets inlined copies of \p F in other code refer to \p Variable, which was
  /// created for \p F.
  void shareAcrossFunctions(llvm::GlobalVariable &Variable, llvm::Function &F,
                            llvm::Comdat *Group);
  /// A name that starts with \p Prefix. Differs from names that other units use
  /// for a function with the same name, unless it is the same function.
  std::string uniqueName(llvm::StringRef Prefix, llvm::Function &F);

private:
  /// A record of \p Layout in \p Section, shared by all units with the same
  /// contents; null if the module already has it.
  llvm::GlobalVariable *sharedRecord(llvm::StructType *Layout,
                                     llvm::StringRef Name,
                                     llvm::StringRef Section);
  static TypeInfo describe(llvm::StringRef Key);
  llvm::GlobalVariable *emitType(const TypeInfo &Type);
  /// The type that a field of type \p Object (INMEM_TYPE_OBJECT) leads to.
  llvm::GlobalVariable *blockType(const TypeInfo &Object, llvm::Comdat *Group);
  const std::string &moduleHash();

  llvm::Module &M;
  llvm::LLVMContext &Context;
  bool LTOPreLink;
  llvm::IntegerType *I8, *I16, *I32, *I64;
  llvm::PointerType *Ptr;
  llvm::StringMap<llvm::GlobalVariable *> Strings, Types;
  llvm::StringMap<unsigned> Ordinals, Numbers;
  std::string ModuleHash;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_DESCRIPTOREMITTER_H
