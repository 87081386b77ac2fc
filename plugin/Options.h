//===- Options.h - what the user may choose at compile time -----*- C++ -*-===//
// One struct, filled from -fplugin-arg-inmem-NAME=VALUE by the AST half and
// read by both halves. Read from the environment: nothing.
#ifndef INMEM_PLUGIN_OPTIONS_H
#define INMEM_PLUGIN_OPTIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/GlobPattern.h"
#include <string>
#include <vector>

namespace inmem {

enum class ObjectsMode { Off, Heap, Count, Lifetime };

struct Options {
  ObjectsMode Objects = ObjectsMode::Count;
  /// Also count the objects of classes declared in system headers.
  bool SystemObjects = false;
  /// Also count constructions by trivial constructors, and of aggregates whose
  /// members are all trivial.
  bool TrivialObjects = false;
  /// Extra functions that return owned memory, by source or linkage name;
  /// globs such as x*alloc.
  std::vector<llvm::GlobPattern> Allocators;

  /// The options of this compilation. The pass-only library has the defaults.
  static Options &current();

  bool isNamedAllocator(llvm::StringRef Name) const;
};

/// Sets the option that \p Argument ("name=value") names. Returns an empty
/// string, or what is wrong with it and which ones are valid.
std::string parseOption(llvm::StringRef Argument, Options &Result);

} // namespace inmem

#endif // INMEM_PLUGIN_OPTIONS_H
