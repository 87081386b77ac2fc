//===- opt.cpp - as much of LLVM's opt as tests use -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// opt [-load-pass-plugin[=]FILE] [-passes=PASSES] [-S] [FILE] [-o FILE]: for an
// LLVM that comes without its own (scripts/llvm).
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include <string>
#include <vector>

using namespace llvm;

namespace {

struct Request {
  std::string Passes, Input = "-", Output = "-";
  std::vector<std::string> Plugins;
  bool Text = false;
};

Request requestOf(int Count, char **Arguments) {
  Request R;
  for (int I = 1; I < Count; ++I) {
    StringRef Argument = Arguments[I];
    if (Argument != "-")
      Argument.consume_front("-");
    const auto [Name, Given] = Argument.split('=');
    const auto Value = [&] {
      return Given.empty() && I + 1 < Count ? std::string(Arguments[++I])
                                            : Given.str();
    };
    if (Name == "load-pass-plugin")
      R.Plugins.push_back(Value());
    else if (Name == "passes")
      R.Passes = Value();
    else if (Name == "o")
      R.Output = Value();
    else if (Argument == "S")
      R.Text = true;
    else
      R.Input = Argument.str();
  }
  return R;
}

int fail(const Twine &Why) {
  errs() << "opt: " << Why << "\n";
  return 1;
}

} // namespace

int main(int Count, char **Arguments) {
  const Request R = requestOf(Count, Arguments);
  LLVMContext Context;
  SMDiagnostic Wrong;
  const std::unique_ptr<Module> M = parseIRFile(R.Input, Wrong, Context);
  if (!M) {
    Wrong.print("opt", errs());
    return 1;
  }
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  PassBuilder Builder;
  for (const std::string &Path : R.Plugins) {
    Expected<PassPlugin> Plugin = PassPlugin::Load(Path);
    if (!Plugin)
      return fail(toString(Plugin.takeError()));
    Plugin->registerPassBuilderCallbacks(Builder);
  }
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  ModulePassManager Passes;
  if (!R.Passes.empty())
    if (Error E = Builder.parsePassPipeline(Passes, R.Passes))
      return fail(toString(std::move(E)));
  Passes.run(*M, Modules);
  if (verifyModule(*M, &errs()))
    return fail("the module is broken");
  std::error_code Error;
  ToolOutputFile Out(R.Output, Error, sys::fs::OF_None);
  if (Error)
    return fail(R.Output + ": " + Error.message());
  if (R.Text)
    M->print(Out.os(), nullptr);
  else
    WriteBitcodeToFile(*M, Out.os());
  Out.keep();
  return 0;
}
