//===- Frontend.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Frontend.h"

#include "clang/Basic/SourceManager.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

void FirstError::HandleDiagnostic(DiagnosticsEngine::Level Level,
                                  const Diagnostic &Info) {
  DiagnosticConsumer::HandleDiagnostic(Level, Info);
  if (Level < DiagnosticsEngine::Error || !Text.empty())
    return;
  llvm::SmallString<128> Said;
  Info.FormatDiagnostic(Said);
  Text = Said.str().str();
  if (!Info.hasSourceManager() || Info.getLocation().isInvalid())
    return;
  const PresumedLoc At =
      Info.getSourceManager().getPresumedLoc(Info.getLocation());
  if (At.isValid())
    Location = (StringRef(At.getFilename()) + ":" + llvm::Twine(At.getLine()) +
                ":" + llvm::Twine(At.getColumn()))
                   .str();
}

std::vector<tooling::CompileCommand>
FirstCommand::getCompileCommands(StringRef File) const {
  std::vector<tooling::CompileCommand> All = Of.getCompileCommands(File);
  All.resize(std::min<size_t>(All.size(), 1));
  return All;
}

tooling::CommandLineArguments
plainArguments(const tooling::CommandLineArguments &Given, bool KeepsWarnings,
               bool &DropsPch) {
  tooling::CommandLineArguments Out;
  for (size_t I = 0; I < Given.size(); ++I) {
    const StringRef Arg = Given[I];
    const auto Begins = [&](StringRef Prefix) {
      return Arg.substr(0, Prefix.size()) == Prefix;
    };
    if (Begins("-fplugin") || Begins("-fpass-plugin") ||
        (!KeepsWarnings && Begins("-Werror")) || Begins("-fmodules-ts") ||
        Arg == "-save-temps" || Begins("-save-temps="))
      continue;
    // Both options take a value; CMake passes them with -Xclang.
    const bool HandsOn = Arg == "-Xclang" && I + 1 < Given.size();
    const StringRef Handed = HandsOn ? StringRef(Given[I + 1]) : Arg;
    if (Handed == "-include-pch" || (HandsOn && Handed == "-load")) {
      DropsPch |= Handed == "-include-pch";
      I += HandsOn ? 3 : 1;
      continue;
    }
    Out.push_back(Given[I]);
  }
  // Insert before "--", which ends the options.
  const std::vector<std::string> Own = {
      "-resource-dir=" + resourceFolder(),
      KeepsWarnings ? "-Wno-unknown-warning-option" : "-w",
      "-Qunused-arguments",
      "-fno-caret-diagnostics"}; // nor "1 error generated."
  Out.insert(Out.begin() + 1, Own.begin(), Own.end());
  return Out;
}

} // namespace inmem::fix
