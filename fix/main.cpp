//===- main.cpp - The part of `inmem fix` that knows Clang ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   inmem-fix REQUEST
//
// `inmem fix` runs it; RequestFile.h describes the file. Exit codes: 0 done, 2
// wrong usage, 3 an input that cannot be read, 4 an output that cannot be
// written.
//
//===----------------------------------------------------------------------===//
#include "fix/verify/Trial.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace inmem::fix;
using llvm::StringRef;

static int fail(int Code, llvm::Error E) {
  llvm::errs() << "inmem: fix: " << llvm::toString(std::move(E)) << "\n";
  return Code;
}

constexpr int kUsage = 2, kUnreadable = 3, kUnwritable = 4;

/// Writes a patch for each finding, and all of them as replacements.
static int writePatches(const Request &R, const std::vector<Fix> &All,
                        CompileCheck &Check) {
  if (auto Error = llvm::sys::fs::create_directories(R.Output))
    return fail(kUnwritable, failure(R.Output + ": " + Error.message()));
  for (const Fix &One : All) {
    if (!One.What.ok())
      continue;
    auto Text = patchText(R, One);
    if (!Text)
      return fail(kUnreadable, Text.takeError());
    const std::string Name = patchName(One);
    if (auto E = writeFile(R.Output + "/" + Name, *Text))
      return fail(kUnwritable, std::move(E));
    const std::string Yaml = StringRef(Name).drop_back(6).str() + ".yaml";
    if (auto E = writeFile(R.Output + "/" + Yaml,
                           replacementsYaml(One.What.Edits, One.File,
                                            One.Of->rule(), One.What.Summary)))
      return fail(kUnwritable, std::move(E));
    llvm::outs() << Name << "\n";
  }
  std::vector<Overlap> Left;
  (void)together(All, Check, Left);
  for (const Overlap &Each : Left)
    llvm::errs() << "inmem: fix: " << patchName(*Each.One)
                 << " is for a tree without the earlier patches: "
                 << overlapText(Each) << "\n";
  return 0;
}

static int print(const Request &R, StringRef Text) {
  if (R.Output.empty() || R.Output == "-") {
    llvm::outs() << Text;
    return 0;
  }
  if (auto E = writeFile(R.Output, Text))
    return fail(kUnwritable, std::move(E));
  return 0;
}

/// Reports edits that were left out.
static void printLeft(llvm::raw_ostream &OS, llvm::ArrayRef<Overlap> Left) {
  for (const Overlap &Each : Left)
    OS << Each.One->Of->at() << ": left out: " << overlapText(Each)
       << ": record again and repeat\n";
}

static int applyAll(const std::vector<Fix> &All, CompileCheck &Check) {
  std::vector<Overlap> Left;
  const FileEdits Edits = together(All, Check, Left);
  if (auto E = apply(Edits))
    return fail(kUnwritable, std::move(E));
  for (const Fix &One : All)
    if (One.What.ok() && llvm::none_of(Left, [&](const Overlap &Each) {
          return Each.One == &One;
        }))
      llvm::outs() << One.Of->at() << ": " << One.What.Summary << "\n";
  printLeft(llvm::outs(), Left);
  return 0;
}

int main(int Argc, char **Argv) {
  if (Argc != 2)
    return fail(kUsage, failure("run `inmem fix`, which runs this program"));
  auto R = readRequest(Argv[1]);
  if (!R)
    return fail(kUsage, R.takeError());
  R->Root = canonical(R->Root);
  auto D = Database::load(R->Database);
  if (!D)
    return fail(kUnreadable, D.takeError());
  CompileCheck Check(*D);
  const std::vector<Fix> All = propose(*R, *D, Check);
  switch (R->Does) {
  case Mode::List:
    return print(*R, listText(*R, All));
  case Mode::Patches:
    return writePatches(*R, All, Check);
  case Mode::Verify: {
    auto Code = verify(*R, All);
    return Code ? *Code : fail(kUnreadable, Code.takeError());
  }
  case Mode::Apply:
    return applyAll(All, Check);
  case Mode::Sarif:
    return print(*R, sarifText(*R, All));
  case Mode::Json:
    return print(*R, jsonText(*R, All));
  case Mode::Github:
    return print(*R, githubText(*R, All));
  case Mode::Yaml: {
    std::vector<Overlap> Left;
    const FileEdits Edits = together(All, Check, Left);
    printLeft(llvm::errs(), Left);
    return print(*R, replacementsYaml(Edits, "", "fix", "what inmem measured"));
  }
  }
  llvm_unreachable("readRequest() knows the mode");
}
