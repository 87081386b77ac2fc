//===- Request.h - Command lines of inmem-clang -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a compiler's command line that the wrappers act on.
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

/// The command line's meaning for the wrapper. Of options about the target, the
/// last counts; others do not undo each other.
struct Request {
  bool Inner = false;       ///< clang's inner stages: nothing is added
  bool OtherTarget = false; ///< by -target
  /// The folder of the target's runtime (aarch64-linux-gnu, x86_64-linux-musl),
  /// if it is Linux on another machine or with the other C library than here.
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
  bool Sanitized = false;      ///< by one that brings an allocator of its own
  /// The profile to optimise with, in place of instrumenting; empty: none.
  std::string Profile;
  bool PassAlone = false; ///< place=: without LLVM's hints
  /// types=table: a table next to code that is not instrumented.
  bool TypesAlone = false;
  bool AtLink = false;      ///< -flto with lld, which generates code
  bool AtOtherLink = false; ///< -flto with a linker that cannot load passes
  /// Another target: headers alone.
  bool isForeign() const {
    return OtherTarget || OtherWidth || !OtherLibrary.empty();
  }
  bool links() const { return HasInput && !StopsEarly && !Relocatable; }
  bool optimizes() const { return !Profile.empty(); }
  /// LLVM's own hints, which need the indexed form and a link with ThinLTO.
  /// \p Major is clang's version.
  bool hintsAtLink(int Major) const {
    return Major >= 22 && !PassAlone && !endsWith(Profile, ".yaml") &&
           !endsWith(Profile, ".yml");
  }
  /// A shared object, or a freestanding program: may do without the runtime.
  bool linksWhatMayNotNeedUs() const {
    return Shared || (NoLibraries && !NamesLibraries);
  }
};

/// \p Clang is the program that will get the arguments.
Request study(const Args &Given, const std::string &Clang);

// ArgumentFiles.cpp: response and configuration files.
//
// Arguments that a command line takes from files.

/// The arguments in the order in which the driver \p Clang sees them, with
/// words of response files (@FILE) and of configuration files (--config=FILE)
/// among them. For study only: clang itself gets the files.
Args openArgumentFiles(const Args &Given, const std::string &Clang);

// CompileCommands.cpp: a compilation database.
//
// A compilation database of the files that the wrappers compile.

/// Adds an entry for each source file among \p Given to the JSON file that
/// INMEM_COMPILE_COMMANDS names, if it names one. Processes may do so at the
/// same time. A file that cannot be written is one line on standard error.
void noteCommand(const Args &Given, const std::string &Clang);

} // namespace inmem::wrapper

#endif
