//===- PluginOptions.h - the plugin's options, and facts on the unit ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One struct, filled from -fplugin-arg-inmem-NAME=VALUE by the AST half and
// read by both halves. Nothing is read from the environment.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_PLUGIN_PLUGINOPTIONS_H
#define INMEM_PLUGIN_PLUGINOPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/SpecialCaseList.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace inmem {

class PlacementProfile;

enum class ObjectsMode { Off, Heap, Count, Lifetime };

struct Options {
  ObjectsMode Objects = ObjectsMode::Count;
  /// Also count the objects of classes declared in system headers.
  bool SystemObjects = false;
  /// Also count constructions by trivial constructors, and of aggregates with
  /// only trivial members.
  bool TrivialObjects = false;
  /// Also keep the calling context in one word, for stacks=.
  bool Contexts = false;
  /// Count reads and writes of objects by field.
  bool Accesses = false;
  /// Instrument nothing: write a table of types by return address.
  bool TypeTable = false;
  /// Store the names in records compactly (PackTexts.cpp).
  bool PackedNames = true;
  /// Extra functions that return owned memory, by source or linkage name;
  /// globs such as x*alloc.
  std::vector<llvm::GlobPattern> Allocators;

  /// Functions that allocate for their callers, by source or linkage name.
  std::vector<llvm::GlobPattern> Wrappers;

  /// Globs (matchesPath) of source files that belong to a library, and of files
  /// that belong to the project even if their folder or the compiler suggests
  /// otherwise.
  std::vector<llvm::GlobPattern> Library, Mine;

  /// Globs of type names as in reports. If Include is not empty, only types
  /// that match it are instrumented. Types that match Exclude never are.
  std::vector<llvm::GlobPattern> Include, Exclude;
  /// The files of ignorelist= and their parsed contents; null without them.
  std::vector<std::string> IgnorelistFiles;
  std::shared_ptr<llvm::SpecialCaseList> Ignorelist;

  /// optimize=: the parsed profile; null without the option. With a profile,
  /// nothing is instrumented.
  std::string ProfileFile;
  llvm::StringRef ProfileOption = "optimize"; ///< `optimize` or `place`
  std::shared_ptr<PlacementProfile> Profile;

  /// All arguments as given; globs refer to their text.
  std::deque<std::string> Arguments;

  /// The options of this compilation. The pass-only library has the defaults.
  static Options &current();

  /// True if a glob matches the absolute \p Path, or the end of it after a
  /// slash.
  static bool matchesPath(llvm::ArrayRef<llvm::GlobPattern> Globs,
                          llvm::StringRef Path);
  bool isNamedAllocator(llvm::StringRef Name) const;
  bool isNamedWrapper(llvm::StringRef Name) const;
  /// True if a line "PREFIX:GLOB" of the ignorelist matches \p Name.
  bool isListed(llvm::StringRef Prefix, llvm::StringRef Name) const;
  /// True if ignoresType() can return true.
  bool filtersTypes() const {
    return !Include.empty() || !Exclude.empty() || Ignorelist;
  }
  /// True if blocks and objects of the type called \p Name (as in reports;
  /// empty: unknown) are not instrumented.
  bool ignoresType(llvm::StringRef Name) const;
};

/// Sets the option in \p Argument ("name=value"). Returns an empty string, or
/// an error that lists the valid options.
std::string parseOption(llvm::StringRef Argument, Options &Result);

/// Reads the files of ignorelist=. Returns an empty string, or an error
/// message.
std::string readIgnorelists(Options &Result);

/// Reads the file of optimize=. Returns an empty string, or an error message.
std::string readProfile(Options &Result);

/// Facts about the whole compilation, which the AST half passes to the passes.
/// Without an AST half, they keep their defaults.
struct CompilationInfo {
  enum UnitLanguage { Unknown, C, CPlusPlus } Language = Unknown;
  /// -ffreestanding: there is no C library, and nothing is instrumented.
  bool Freestanding = false;
  /// The compile step of an LTO build.
  bool LTOPreLink = false;
  /// Clang writes the module without running passes (-save-temps).
  bool PassesApart = false;
  /// True if the process that runs the passes also loads this library.
  bool PassesHaveLibrary = false;
  /// -fsanitize=local-bounds: each access is checked against the object that
  /// its address is computed from.
  bool ChecksBounds = false;
  /// A sanitizer has its own allocator.
  bool SanitizerAllocates = false;
  /// A pass between ours numbers calls for sample profiles.
  bool PseudoProbes = false;
  /// Source locations are in the IR only for our passes.
  bool AddedLocations = false;

  static CompilationInfo &current() {
    static CompilationInfo Info;
    return Info;
  }
};

} // namespace inmem

#endif // INMEM_PLUGIN_PLUGINOPTIONS_H
