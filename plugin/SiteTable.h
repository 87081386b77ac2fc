//===- SiteTable.h - the bridge from the AST half to the IR half ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The AST half writes its facts about allocations, objects and types; the
// passes read them. Only strings and integers: the AST no longer exists when
// the passes run. Unknown is a value (an empty type key), never an error.
#ifndef INMEM_PLUGIN_SITETABLE_H
#define INMEM_PLUGIN_SITETABLE_H

#include "FactIndex.h"
#include "StableHash.h"
#include "inmem/abi.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace inmem {

/// One field or base of a type; see struct inmem_field.
struct FieldInfo {
  std::string Name;
  std::string TypeName;
  /// Key of the field's class, pointee or element; empty if none.
  std::string TypeKey;
  uint64_t TypeId = 0;
  uint32_t Offset = 0;
  uint32_t Size = 0;
  uint8_t Kind = INMEM_FIELD_VALUE;
  uint8_t Bit = 0;
};

/// One type; see struct inmem_type. Key identifies it within a compilation: its
/// mangled name if that is the same in all translation units, otherwise a
/// spelling with file and line.
struct TypeInfo {
  std::string Key;
  std::string Name;
  uint64_t Id = 0;
  uint64_t Size = 0;
  uint16_t Align = 1;
  uint16_t Flags = 0;
  std::vector<FieldInfo> Fields;
  bool Ignored = false; ///< marked in the source; not in the record
};

/// Certainty that a call returns a new block.
enum class AllocRole : uint8_t {
  Known,    ///< a function in our lists
  Declared, ///< by attribute, by option, or a class's operator new
  Possible  ///< an allocation if the callee is found to be a wrapper
};

/// A source location. File is the name passed to the compiler.
struct SourceLoc {
  std::string File;
  unsigned Line = 0;
  unsigned Column = 0;
};

/// Facts of the AST half about one call.
struct AllocFact {
  std::string Callee; ///< linkage name
  /// The function's linkage name with the AST half's numbers of internal
  /// closures; empty if it contains none.
  std::string Numbered;
  std::string TypeKey;
  SourceLoc Where;
  uint8_t Kind = INMEM_SITE_UNKNOWN;
  uint8_t Cookie = 0;
  AllocRole Role = AllocRole::Known;
  uint8_t Rule = INMEM_RULE_NONE; ///< enum inmem_type_rule
  uint8_t Flags = 0;              ///< enum inmem_site_flags
  /// For calls that may allocate: accept any size, even if it is not a multiple
  /// of the type's size. Set if the call names the type, or the type has an
  /// open end.
  bool AnySize = false;
  /// For calls that may allocate: the number of arguments that are numbers, and
  /// the one that names the type (from 1; 0: none).
  uint8_t Numbers = 0, NamedBy = 0;
  /// The argument (from 1) that points to where the block's address is stored,
  /// out of Arguments, as the passes count them; 0 if the address is returned.
  unsigned StoredBy = 0, Arguments = 0;
};

/// Integer widths of arguments that count as numbers in calls that may
/// allocate.
inline constexpr unsigned kLeastBitsOfNumber = 32, kMostBitsOfNumber = 64;

/// Linkage name of all functions that initialise globals.
inline constexpr llvm::StringLiteral kGlobals = "@globals";

/// Prefix of the annotation that identifies a function of addDescribed() if its
/// linkage name differs between AST and IR.
inline constexpr llvm::StringLiteral kDescribedAnnotation = "inmem described ";

/// The callee's name for calls through a pointer and virtual calls.
inline constexpr llvm::StringLiteral kIndirect = "*";

/// Facts of the AST half about a class with counted objects.
struct ClassFact {
  std::string TypeKey;
  std::string ClassName;
  SourceLoc Where;                     ///< of the destructor or constructor
  uint8_t Manner = INMEM_MANNER_OTHER; ///< for a constructor
  bool Destroyed = false;              ///< has a destructor that does something
};

/// Facts of the AST half about one constructor call.
struct ObjectFact {
  std::string Callee; ///< linkage name of the C1 constructor
  SourceLoc Where;
  uint8_t Storage = INMEM_STORAGE_UNKNOWN; ///< BASE also for delegation
};

/// Objects of one class in a larger object that is not constructed by code: a
/// constant-initialised variable, or a trivial copy.
struct PartFact {
  ClassFact Class;
  uint8_t Storage = INMEM_STORAGE_STATIC;
  uint64_t Offset = 0; ///< byte offset of the first
  /// Counts and strides in bytes, outermost array first.
  struct Repeat {
    uint64_t Count, Stride;
  };
  std::vector<Repeat> Repeats;

  uint64_t count() const {
    uint64_t Count = 1;
    for (const Repeat &R : Repeats)
      Count *= R.Count;
    return Count;
  }
};

/// A construction without a constructor call. The AST half inserts a call of
/// one of the marker functions there, and the passes remove it.
struct AstMarker {
  ClassFact Class;
  SourceLoc Where;
  uint8_t Storage = INMEM_STORAGE_UNKNOWN;
  uint64_t Count = 1; ///< elements of an array
  /// The call after the marker that may still throw; line 0: none.
  SourceLoc Last;
  /// Array new: the sizes of an element and of the cookie; 0 otherwise.
  uint64_t ElementBytes = 0, CookieBytes = 0;
  bool Placed = false; ///< a placement array new
  /// The parts of an object with a trivial constructor.
  std::vector<PartFact> Parts;
};
/// Linkage names of the functions that markers call. The first argument is the
/// index of an AstMarker. void __inmem_mark(unsigned)
inline constexpr llvm::StringLiteral kMarkerFunction = "_Z12__inmem_markj";
/// void __inmem_mark_at(unsigned, const void *Object)
inline constexpr llvm::StringLiteral kMarkerAtFunction =
    "_Z15__inmem_mark_atjPKv";
/// bool __inmem_mark_assumed(unsigned, const void *Object): as
/// __inmem_mark_at(), but as the operand of an assumption
inline constexpr llvm::StringLiteral kAssumedMarkerFunction =
    "_Z20__inmem_mark_assumedjPKv";
/// unsigned long __inmem_mark_count(unsigned, unsigned long Count)
inline constexpr llvm::StringLiteral kCountMarkerFunction =
    "_Z18__inmem_mark_countjm";
/// void *__inmem_mark_place(unsigned, void *Array)
inline constexpr llvm::StringLiteral kTargetMarkerFunction =
    "_Z18__inmem_mark_placejPv";
inline constexpr llvm::StringLiteral kMarkerFunctions[] = {
    kMarkerFunction, kMarkerAtFunction, kAssumedMarkerFunction,
    kCountMarkerFunction, kTargetMarkerFunction};

/// A call that returns an object by value.
struct ReturnFact {
  std::string Callee; ///< linkage name; empty for an indirect call
  ClassFact Class;
  SourceLoc Where;
  uint8_t Storage = INMEM_STORAGE_UNKNOWN; ///< where the object ends up
};

/// A source location in a function that accesses bits of a class's objects, or
/// calls a function on the member that they belong to (accesses=on).
struct MemberFact {
  /// Chosen: the place is a choice, one side of which reads it.
  /// Pointer, Number: what is read; neither: an object, or unknown.
  enum Kind : uint8_t {
    Read = 1,
    Write = 2,
    Call = 4,
    Chosen = 8,
    Pointer = 16,
    Number = 32,
    Copy = 64 ///< a read for the same member of another object alone
  };
  const TypeInfo *Owner; ///< of the table
  uint64_t FirstBit, Bits;
  unsigned Line, Column;
  uint8_t Kinds;
  bool BitField;
};

/// Bits of objects that code may access without a counter. OPAQUE: the code
/// names no member, because it casts the object to another type or uses a
/// member's address.
struct OpaqueFact {
  const TypeInfo *Owner; ///< of the table
  uint64_t FirstBit, Bits;
  SourceLoc Where; ///< no line if the class is a library's
  uint8_t Event = INMEM_OBJECT_FIELD_OPAQUE; ///< INMEM_OBJECT_FIELD_...
};

/// A string that is only read; see struct inmem_string_copy.
struct StringCopyFact {
  std::string Function; ///< linkage name; empty for an argument
  std::string Name;     ///< of the variable or parameter
  SourceLoc Where;
  uint64_t Key = 0;
  uint8_t Kind = INMEM_COPY_VARIABLE;
  uint8_t Flags = 0; ///< enum inmem_copy_flags
};

/// A variable that may hold memory; see struct inmem_variable.
struct VariableFact {
  std::string Name; ///< linkage name
  std::string TypeKey;
  uint64_t Size = 0;
};

/// A call's position among the calls at its source location. Several calls
/// share a location in macros, or if locations have no columns.
struct CallOrder {
  unsigned Index = 0;
  unsigned Count = 0; ///< number of calls at the location; 0 if unknown
};
using OrderOfCall = llvm::function_ref<CallOrder()>;

/// Each keeps the value that all facts agree on, or no value if they differ: a
/// wrong value is worse.
class AllocConsensus {
public:
  void add(const AllocFact &Fact);
  /// The fact that all agree on. If they disagree, a fact without a type that
  /// is flagged so. Null if there are no facts.
  const AllocFact *get() const;
  bool any() const { return Answer; }
  bool disagrees() const { return Disagree; }

private:
  const AllocFact *Answer = nullptr;
  bool Disagree = false;
};
class StorageConsensus {
public:
  void add(const ObjectFact &Fact);
  std::optional<uint8_t> Answer;
};
class ReturnConsensus {
public:
  void add(const ReturnFact &Fact);
  const ReturnFact *get() const { return Disagree ? nullptr : Answer; }

private:
  const ReturnFact *Answer = nullptr;
  bool Disagree = false;
};

/// Facts about one emitted function, in source order.
struct FunctionFacts {
  std::vector<AllocFact> Allocs;
  std::vector<ObjectFact> Objects;
  std::vector<ReturnFact> Returns;
  std::vector<MemberFact> Members;
  /// Why this function accesses members.
  enum MemberRole : uint8_t { Other, Constructs, Copies, Destroys };
  MemberRole Role = Other;
  bool System = false; ///< written in a system header
  // Lookups, once all facts are present.
  mutable FactIndex<AllocFact, AllocConsensus> AllocIndex;
  mutable FactIndex<ObjectFact, StorageConsensus> ObjectIndex;
  mutable FactIndex<ReturnFact, ReturnConsensus> ReturnIndex;

  bool empty() const {
    return Allocs.empty() && Objects.empty() && Returns.empty() &&
           Members.empty();
  }
};

class SiteTable {
public:
  /// The table of the current compilation.
  static SiteTable &current();
  void clear();

  // Writing (the AST half).
  FunctionFacts &function(llvm::StringRef LinkageName);
  TypeInfo &addType(TypeInfo Type);
  void addCoroutine(llvm::StringRef LinkageName, std::string Name);
  void addExcluded(llvm::StringRef LinkageName);
  /// A function of inmem/graph.h that returns the descriptions of a type and of
  /// all types reachable from it. \p Keys are the keys of these types.
  void addDescribed(llvm::StringRef LinkageName,
                    std::vector<std::string> Keys) {
    Described[LinkageName] = std::move(Keys);
  }
  /// A function that an AllocFact refers to.
  void addCallee(llvm::StringRef LinkageName);
  /// The call operator of an internal closure ($_3). The AST half and clang's
  /// code generation number closures independently. \p Begin and \p End are the
  /// braces of its body.
  void addCallOperator(llvm::StringRef LinkageName, const SourceLoc &Begin,
                       const SourceLoc &End);
  /// The destructor of complete objects (D1) of a class to be counted.
  void addDestructor(llvm::StringRef LinkageName, ClassFact Fact);
  /// A constructor of a class to be counted, under both its names.
  void addConstructor(llvm::StringRef Complete, llvm::StringRef Base,
                      ClassFact Fact);
  /// Objects within a variable that are not constructed by code, but are
  /// destroyed.
  void addConstant(llvm::StringRef Variable, PartFact Fact) {
    Constants[Variable].push_back(std::move(Fact));
  }

  /// Maps the IR's number of an internal closure to the AST half's. \p
  /// LinkageName is its call operator in the module; \p Line and \p Column are
  /// any position in its body.
  void matchCallOperator(llvm::StringRef LinkageName, unsigned Line,
                         unsigned Column);

  /// Records that TBAA calls \p Type \p Name. A name shared by two types is
  /// dropped.
  void addAliasName(llvm::StringRef Name, const TypeInfo &Type) {
    auto [It, New] = AliasNames.try_emplace(Name, &Type);
    if (!New && It->second != &Type)
      It->second = nullptr;
  }
  /// Keeps only the first fact about the same bits and event.
  void addOpaque(const OpaqueFact &Fact) {
    const std::tuple Key(Fact.Owner->Key, Fact.FirstBit, Fact.Bits, Fact.Event);
    Opaque.try_emplace(Key, Fact);
  }

  // Reading (the passes).
  bool empty() const { return Functions.empty() && Types.empty(); }
  /// Also accepts a version of a function, or a region that clang outlines from
  /// it (`f.avx2`, `main.omp_outlined`): these have the facts of the function.
  const FunctionFacts *findFunction(llvm::StringRef LinkageName) const;
  /// The fact for the call of \p Callee at \p Line and \p Column of the
  /// function, or null. If facts disagree, the result has no type and is
  /// flagged so. Without a line (0), the result is shared by all calls of \p
  /// Callee in the function. \p Bytes, the requested size (0: not a constant),
  /// and \p Order distinguish two `new` of one macro.
  const AllocFact *findAlloc(llvm::StringRef Function, llvm::StringRef Callee,
                             unsigned Line, unsigned Column,
                             llvm::StringRef File, uint64_t Bytes,
                             OrderOfCall Order = {}) const;
  /// Storage of the object that \p Callee (a C1 name) constructs at a source
  /// location of the function. An enum inmem_object_storage: UNKNOWN if facts
  /// disagree, BASE if it is not a separate object.
  uint8_t findStorage(llvm::StringRef Function, llvm::StringRef Callee,
                      unsigned Line, unsigned Column,
                      OrderOfCall Order = {}) const;
  const TypeInfo *findType(llvm::StringRef Key) const;
  const std::map<std::string, TypeInfo, std::less<>> &types() const {
    return Types;
  }
  const std::string *findCoroutine(llvm::StringRef LinkageName) const;
  const ClassFact *findDestructor(llvm::StringRef LinkageName) const;
  /// The object that a call in \p Function returns. \p Callee is empty for an
  /// indirect call. Without a line (0), returns the fact that all calls of \p
  /// Callee share.
  const ReturnFact *findReturn(llvm::StringRef Function, llvm::StringRef Callee,
                               unsigned Line, unsigned Column,
                               OrderOfCall Order = {}) const;
  llvm::ArrayRef<PartFact> findConstant(llvm::StringRef Variable) const {
    auto It = Constants.find(Variable);
    if (It == Constants.end())
      return {};
    return It->second;
  }
  /// Finds a constructor by either name; sets \p Complete to its C1 name.
  const ClassFact *findConstructor(llvm::StringRef LinkageName,
                                   std::string &Complete) const;
  /// An implicit function, or one that the user marks as a wrapper
  /// (ir/PassedFunctions.h).
  void addPassed(llvm::StringRef LinkageName);
  bool isPassed(llvm::StringRef LinkageName) const;
  /// A user function without debug locations.
  void addUnlocated(llvm::StringRef LinkageName);
  bool isUnlocated(llvm::StringRef LinkageName) const;
  /// Files in which library functions begin, as debug locations name them.
  llvm::StringSet<> FilesOfLibraries;
  bool excludesFunctions() const { return !Excluded.empty(); }
  bool isExcluded(llvm::StringRef LinkageName) const;
  const llvm::StringMap<std::vector<std::string>> &described() const {
    return Described;
  }
  /// Functions of the program that have the name of a C library function.
  llvm::StringSet<> Foreign;
  /// Library functions that return a std::string, by linkage name.
  llvm::StringSet<> ReturningString;
  bool isCallee(llvm::StringRef LinkageName) const;

  /// Keys are normalizedFunction() names.
  const llvm::StringMap<FunctionFacts> &functions() const { return Functions; }
  /// Types by TBAA name; null if several types share the name.
  const llvm::StringMap<const TypeInfo *> &aliasNames() const {
    return AliasNames;
  }
  /// The type that TBAA calls \p Name; null if there is none or more than one.
  const TypeInfo *findAliasName(llvm::StringRef Name) const {
    return AliasNames.lookup(Name);
  }

  /// The index is the argument of kMarkerFunction.
  std::vector<AstMarker> Markers;

  /// Keyed by the type's key, first bit, number of bits and event.
  std::map<std::tuple<std::string, uint64_t, uint64_t, uint8_t>, OpaqueFact>
      Opaque;

  std::vector<StringCopyFact> StringCopies;
  std::vector<VariableFact> Variables;
  /// The user's files that contain functions of the unit, as debug locations
  /// name them, and the stableHash() of their bytes.
  std::map<std::string, uint64_t> Sources;

private:
  /// \p LinkageName, from the IR, with the AST half's closure numbers; empty if
  /// it contains no number or an unknown one.
  std::string renumbered(llvm::StringRef LinkageName) const;

  llvm::StringMap<FunctionFacts> Functions;
  std::map<std::string, TypeInfo, std::less<>> Types;
  llvm::StringMap<std::string> Coroutines;
  llvm::StringMap<std::vector<std::string>> Described;
  llvm::StringMap<ClassFact> Destructors, Constructors;
  llvm::StringMap<std::string> ConstructorNames;
  llvm::StringMap<std::vector<PartFact>> Constants;
  llvm::StringMap<const TypeInfo *> AliasNames;
  llvm::StringSet<> Excluded, Callees, PassedOver, Unlocated;
  struct CallOperator {
    std::pair<unsigned, unsigned> Begin, End; ///< line and column
    unsigned Number;
  };
  /// Keys are normalized names.
  llvm::StringMap<std::vector<CallOperator>> CallOperators;
  /// Maps the IR's closure numbers to the AST half's.
  std::map<unsigned, unsigned> Closures;
  /// Allocations by source location, for functions that clang renames.
  mutable llvm::StringMap<std::vector<const AllocFact *>> ByLine;
  mutable bool ByLineBuilt = false;
  /// Functions with facts at a source location, for code that clang outlines
  /// (`.omp_task_entry.`).
  llvm::ArrayRef<const FunctionFacts *> ownersOf(unsigned Line,
                                                 unsigned Column) const;
  mutable llvm::DenseMap<std::pair<unsigned, unsigned>,
                         llvm::SmallVector<const FunctionFacts *, 1>>
      Owners;
  mutable bool OwnersBuilt = false;
};

/// True if clang outlined the function under a name that does not contain the
/// original function's: `.omp_task_entry.`, a target region, or a block.
inline bool isTakenOut(llvm::StringRef LinkageName) {
  return LinkageName.starts_with(".") ||
         LinkageName.starts_with("__omp_offloading_") ||
         (LinkageName.starts_with("__") &&
          LinkageName.contains("_block_invoke"));
}

/// \p LinkageName without the suffix of -funique-internal-linkage-names, which
/// the AST half does not compute.
inline llvm::StringRef withoutUniqueSuffix(llvm::StringRef LinkageName) {
  return LinkageName.take_front(LinkageName.find(".__uniq."));
}

/// The form of a linkage name that both halves agree on: without the asm-label
/// marker, without numbers of internal closures ($_3), and with one name for
/// all functions that initialise globals.
std::string normalizedFunction(llvm::StringRef LinkageName);

/// The record id for a type: depends on key, size and fields, not on the
/// compiler's version. Never 0.
uint64_t typeId(const TypeInfo &Type);

/// A builtin type that the passes need by themselves: "char" or "wchar_t".
TypeInfo scalarType(llvm::StringRef Key, llvm::StringRef Name, unsigned Size);

} // namespace inmem

#endif // INMEM_PLUGIN_SITETABLE_H
