//===- Frontend.h - Commands of a database for clang's own frontend -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_FRONTEND_H
#define INMEM_FIX_FRONTEND_H

#include "clang/Basic/Diagnostic.h"
#include "clang/Tooling/ArgumentsAdjusters.h"
#include "clang/Tooling/CompilationDatabase.h"

#include <string>
#include <vector>

namespace inmem::fix {

/// Keeps the first error.
class FirstError : public clang::DiagnosticConsumer {
public:
  std::string Text;
  /// `file:line:column` of the error, as the compiler prints it; empty if
  /// unknown.
  std::string Location;

  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override;
};

/// Uses only the first command of a file: a source that belongs to several
/// libraries has one for each.
class FirstCommand : public clang::tooling::CompilationDatabase {
public:
  explicit FirstCommand(const CompilationDatabase &Of) : Of(Of) {}

  std::vector<clang::tooling::CompileCommand>
  getCompileCommands(llvm::StringRef File) const override;

private:
  const CompilationDatabase &Of;
};

/// A command without the options that load a plugin or write files. \param
/// KeepsWarnings keeps the command's own warnings and -Werror \param DropsPch
/// set if the command used a precompiled header, which only the compiler that
/// wrote it can read
clang::tooling::CommandLineArguments
plainArguments(const clang::tooling::CommandLineArguments &Given,
               bool KeepsWarnings, bool &DropsPch);

// Resources.cpp: clang's own headers.

/// The folder of clang's own headers (-resource-dir): next to the loaded
/// libclang-cpp, as distributions install it, or the one that inmem was built
/// with.
std::string resourceFolder();

} // namespace inmem::fix

#endif // INMEM_FIX_FRONTEND_H
