//===- CompilationInfo.h - the compilation under way ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_COMPILATIONINFO_H
#define INMEM_PLUGIN_COMPILATIONINFO_H

namespace inmem {

/// Facts on the whole compilation, from the AST half to the passes. Without an
/// AST half nothing is set.
struct CompilationInfo {
  enum UnitLanguage { Unknown, C, CPlusPlus } Language = Unknown;
  /// -ffreestanding: there is no C library, and nothing is instrumented.
  bool Freestanding = false;
  /// The compile step of an LTO build.
  bool LTOPreLink = false;
  /// Clang writes the module without running passes (-save-temps).
  bool PassesApart = false;
  /// True if the process that runs them also loads this library.
  bool PassesHaveLibrary = false;
  /// -fsanitize=local-bounds: each access is checked against the object that
  /// its address is computed from.
  bool ChecksBounds = false;
  /// A sanitizer brings an allocator of its own.
  bool SanitizerAllocates = false;
  /// A pass between ours numbers calls for sample profiles.
  bool PseudoProbes = false;
  /// Source locations are only in the IR for our passes.
  bool AddedLocations = false;

  static CompilationInfo &current() {
    static CompilationInfo Info;
    return Info;
  }
};

} // namespace inmem

#endif // INMEM_PLUGIN_COMPILATIONINFO_H
