//===- LibraryCode.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/LibraryCode.h"

#include "LibraryFiles.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

using namespace clang;

namespace inmem {

namespace {

/// State of the current compilation.
struct Current {
  std::optional<LibraryFiles> Files;
  llvm::DenseMap<FileID, bool> Known[2]; ///< outside and in system headers
};

Current &current() {
  static Current Of;
  return Of;
}

} // namespace

void beginLibraryFiles(llvm::StringRef Unit, llvm::StringRef Directory) {
  current().Files.emplace(Unit, Directory);
  for (auto &Known : current().Known)
    Known.clear();
}

bool isInLibrary(const SourceManager &SM, SourceLocation Loc) {
  const bool System = SM.isInSystemHeader(Loc);
  Current &Of = current();
  if (Loc.isInvalid() || !Of.Files)
    return System;
  const auto Decide = [&](PresumedLoc Named) {
    return Named.isValid() ? Of.Files->contains(Named.getFilename(), System)
                           : System;
  };
  const SourceLocation At = SM.getExpansionLoc(Loc);
  // Preprocessed code belongs to the files that its line markers name.
  if (SM.hasLineTable())
    return Decide(SM.getPresumedLoc(At));
  const FileID File = SM.getFileID(At);
  if (File.isInvalid())
    return System;
  const auto [It, New] = Of.Known[System].try_emplace(File, System);
  if (New)
    It->second = Decide(SM.getPresumedLoc(SM.getLocForStartOfFile(File)));
  return It->second;
}

} // namespace inmem
