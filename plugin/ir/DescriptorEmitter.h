//===- DescriptorEmitter.h - abi.h's records as constants -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds sites, types and the registration of a module. All layouts and section
// names are as in abi.h; linkage is chosen so that the linker keeps one copy
// of each type (docs/abi.md).
#ifndef INMEM_PLUGIN_IR_DESCRIPTOREMITTER_H
#define INMEM_PLUGIN_IR_DESCRIPTOREMITTER_H

#include "SiteTable.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"

namespace inmem {

/// Names of variables that hold the texts of records begin with it.
inline constexpr llvm::StringLiteral kTextPrefix = "__inmem_str",
                                     kPackedPrefix = "__inmem_texts";
/// Section of constants that records lead to, besides texts.
inline constexpr llvm::StringLiteral kRecordSection = ".rodata.inmem";

/// One caller in the chain that was inlined around a site.
struct FrameInfo {
  std::string Function;
  SourceLoc Where;
  uint16_t Flags = 0; ///< of inmem_frame
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
  uint64_t Unit = 1; ///< of __inmem_retag_sized; not in the record
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

  /// A new site record for a call inside \p F.
  llvm::GlobalVariable *addSite(const SiteInfo &Site, llvm::Function &F);
  /// An array of inmem_frame, or null if empty.
  llvm::GlobalVariable *frames(llvm::ArrayRef<FrameInfo> Frames);
  /// As above, for frames that a unit's functions refer to.
  llvm::GlobalVariable *sharedFrames(llvm::ArrayRef<FrameInfo> Frames,
                                     llvm::StringRef Name);
  /// The record of a type of the table; null for an unknown key. A key that
  /// is a mangled name but not in the table gives a record without size.
  llvm::GlobalVariable *type(llvm::StringRef Key);
  /// The spelling of a type of the table, for remarks.
  std::string typeName(llvm::StringRef Key);
  /// A new site record for the objects that a constructor's call in \p F makes
  /// (objects=lifetime).
  llvm::GlobalVariable *addObjectSite(const ObjectInfo &Object,
                                      llvm::Function &F);
  /// The record of a class as that of objects rather than of blocks.
  llvm::GlobalVariable *objectType(llvm::StringRef Key);
  /// The record of a string that is only read; null if it exists already.
  llvm::GlobalVariable *addStringCopy(const StringCopyFact &Copy);
  /// The record of a variable; null if it exists already.
  llvm::GlobalVariable *addVariable(const VariableFact &Variable);
  /// The records of the user's source files of SiteTable::current().
  void addSources();
  /// The constructor and destructor that register the module's shared object
  /// with the runtime. Idempotent.
  void addRegistration();
  /// Calls that constructor in .preinit_array, in front of functions that the
  /// module has there. True if it has some.
  bool addEarlyRegistration();

  /// The thread's displacement for counters of this module: a thread-local
  /// of the shared object, or null where the table form is used (-fPIC).
  llvm::GlobalVariable *deltaVariable();
  /// The shared object's index into __inmem_displacement_table (-fPIC).
  llvm::GlobalVariable *tableIndex();
  bool usesTable() const;
  llvm::StringRef registrationName() const;
  /// A signed 32-bit distance from byte \p Offset of \p Base to \p Target; 0
  /// if \p Target is null.
  llvm::Constant *relative(llvm::Constant *Target, llvm::GlobalVariable *Base,
                           uint64_t Offset);
  /// A constant, one for each text; null if it is empty.
  llvm::Constant *string(llvm::StringRef Text);
  /// Makes \p Variable, which is made for \p F, one that code inlined elsewhere
  /// may refer to.
  void shareAcrossFunctions(llvm::GlobalVariable &Variable, llvm::Function &F,
                            llvm::Comdat *Group);
  /// Begins with \p Prefix. Differs from the names that other units give to a
  /// function of that name, unless it is the same function.
  std::string uniqueName(llvm::StringRef Prefix, llvm::Function &F);

private:
  /// A record of \p Layout for all units that have the same, in \p Section;
  /// null if the module has it already.
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
