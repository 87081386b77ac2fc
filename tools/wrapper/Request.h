//===- Request.h - Command lines of inmem-clang -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a compiler's command line that the wrappers use.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_WRAPPER_REQUEST_H
#define INMEM_TOOLS_WRAPPER_REQUEST_H

#include <string>
#include <string_view>
#include <vector>

namespace inmem::wrapper {

using Args = std::vector<std::string>;

inline bool startsWith(std::string_view Text, std::string_view Prefix) {
  return Text.substr(0, Prefix.size()) == Prefix;
}

inline bool endsWith(std::string_view Text, std::string_view Suffix) {
  return Text.size() >= Suffix.size() &&
         Text.substr(Text.size() - Suffix.size()) == Suffix;
}

/// The command line as interpreted by the wrapper. Of several options about the
/// target, the last counts; other options do not cancel each other.
struct Request {
  bool Inner = false;       ///< clang's inner stages: nothing is added
  bool OtherTarget = false; ///< by -target
  /// The folder of the target's runtime (aarch64-linux-gnu, x86_64-linux-musl),
  /// if the target is Linux on another machine or with the other C library.
  std::string OtherRuntime;
  /// The target, if it is Linux with a C library that inmem does not support.
  std::string OtherLibrary;
  bool OtherWidth = false; ///< by -m32 and similar options
  bool HasInput = false;   ///< something to compile or link
  bool StopsEarly = false;
  bool Relocatable = false; ///< -r: the final link comes later
  bool Static = false;
  bool Shared = false;
  bool NoLibraries = false;    ///< -nostdlib, -nodefaultlibs
  bool NamesLibraries = false; ///< any -l
  bool Sanitized = false;      ///< by a sanitizer with its own allocator
  /// The profile to optimise with, instead of instrumenting; empty if none.
  std::string Profile;
  bool PassAlone = false; ///< place= without LLVM's hints
  /// types=table: only emit a table, without instrumenting code.
  bool TypesAlone = false;
  bool AtLink = false;      ///< -flto with lld, which generates code
  bool AtOtherLink = false; ///< -flto with a linker that cannot load passes
  /// True for another target, which gets only the headers.
  bool isForeign() const {
    return OtherTarget || OtherWidth || !OtherLibrary.empty();
  }
  bool links() const { return HasInput && !StopsEarly && !Relocatable; }
  bool optimizes() const { return !Profile.empty(); }
  /// True if LLVM's own hints are used: they need the indexed form and a
  /// ThinLTO link. \p Major is clang's version.
  bool hintsAtLink(int Major) const {
    return Major >= 22 && !PassAlone && !endsWith(Profile, ".yaml") &&
           !endsWith(Profile, ".yml");
  }
  /// True for a shared object or a freestanding program, which may not need the
  /// runtime.
  bool linksWhatMayNotNeedUs() const {
    return Shared || (NoLibraries && !NamesLibraries);
  }
};

/// \p Clang is the program that receives the arguments.
Request study(const Args &Given, const std::string &Clang);

// ArgumentFiles.cpp: response and configuration files.
//
// Arguments that a command line takes from files.

/// The arguments in the order in which the driver \p Clang processes them,
/// including the words of response files (@FILE) and configuration files
/// (--config=FILE). For analysis only: clang itself gets the files.
Args openArgumentFiles(const Args &Given, const std::string &Clang);

// CompileCommands.cpp: a compilation database.
//
// A compilation database of the files that the wrappers compile.

/// Adds an entry for each source file in \p Given to the JSON file that
/// INMEM_COMPILE_COMMANDS names, if it is set. Several processes may do so
/// concurrently. If the file cannot be written, prints a line to standard
/// error.
void noteCommand(const Args &Given, const std::string &Clang);

} // namespace inmem::wrapper

#endif
