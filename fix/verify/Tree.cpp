//===- Tree.cpp -----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/verify/Tree.h"

#include "fix/PatchOutput.h"
#include "fix/code/Database.h"
#include "fix/verify/ChildProcess.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using llvm::StringRef;

namespace inmem::fix {

constexpr unsigned kGitSeconds = 300;

/// Runs git in \p Root and stores its output in \p Output.
static bool git(const std::string &Root, std::vector<std::string> Words,
                const std::string &Output = {}) {
  Job J;
  J.Words = {"git", "-C", Root};
  J.Words.insert(J.Words.end(), Words.begin(), Words.end());
  J.Output = Output;
  J.TimeoutSeconds = kGitSeconds;
  return run(J).ok();
}

/// Copies untracked files.
static void copyUntracked(const std::string &Root, const std::string &To,
                          StringRef List) {
  llvm::SmallVector<StringRef, 16> Files;
  List.split(Files, '\0', -1, /*KeepEmpty=*/false);
  for (StringRef File : Files) {
    // A trace is an input of this program, not a result of the build.
    if (llvm::sys::path::extension(File) == ".inmem")
      continue;
    const std::string Target = To + "/" + File.str();
    // Ignore errors: the build reports missing files.
    (void)llvm::sys::fs::create_directories(
        llvm::sys::path::parent_path(Target));
    (void)llvm::sys::fs::copy_file(Root + "/" + File.str(), Target);
    if (auto Mode = llvm::sys::fs::getPermissions(Root + "/" + File.str()))
      (void)llvm::sys::fs::setPermissions(Target, *Mode);
  }
}

llvm::Expected<Tree> Tree::make(const std::string &Root,
                                const std::string &Parent,
                                const std::string &Name) {
  Tree Out;
  Out.Root = Root;
  const std::string Said = Parent + "/git.txt";
  if (llvm::sys::fs::exists(Root + "/.git") &&
      git(Root, {"rev-parse", "--verify", "HEAD"}, Said)) {
    std::string Commit = StringRef(textOf(Said)).trim().str();
    // Uncommitted changes, as a commit that is not on any branch.
    if (git(Root, {"stash", "create"}, Said))
      if (const std::string Stashed = StringRef(textOf(Said)).trim().str();
          !Stashed.empty())
        Commit = Stashed;
    Out.Path = Parent + "/" + Name;
    Out.IsGit = true;
    if (!git(Root, {"worktree", "add", "--detach", Out.Path, Commit}))
      return failure("git cannot add a worktree of " + Root);
    if (git(Root, {"ls-files", "-z", "--others", "--exclude-standard"}, Said))
      copyUntracked(Root, Out.Path, textOf(Said));
  } else {
    Out.Path = Parent + "/" + Name;
    Job Copy;
    Copy.Words = {"cp", "-a", "--reflink=auto", Root, Out.Path};
    if (!run(Copy).ok())
      return failure("cannot copy " + Root);
  }
  return Out;
}

Tree::Tree(Tree &&From) noexcept
    : Root(std::move(From.Root)), Path(std::exchange(From.Path, {})),
      IsGit(From.IsGit), Changed(std::move(From.Changed)) {}

Tree::~Tree() {
  if (Path.empty())
    return;
  (void)llvm::sys::fs::remove_directories(Path);
  // Remove the record directly: run() refuses after an interrupt.
  if (IsGit) {
    const std::string Record =
        Root + "/.git/worktrees/" + llvm::sys::path::filename(Path).str();
    if (llvm::sys::fs::is_directory(Root + "/.git"))
      (void)llvm::sys::fs::remove_directories(Record);
    else
      git(Root, {"worktree", "prune"});
  }
}

std::string Tree::here(StringRef Text) const {
  std::string Out;
  for (size_t At = Text.find(Root); At != StringRef::npos;
       At = Text.find(Root)) {
    const char Next =
        At + Root.size() < Text.size() ? Text[At + Root.size()] : '\0';
    const bool Whole = Next == '/' || !(isalnum(Next) || Next == '-' ||
                                        Next == '_' || Next == '.');
    Out += Text.substr(0, At).str() + (Whole ? Path : Root);
    Text = Text.substr(At + Root.size());
  }
  return Out + Text.str();
}

llvm::Error Tree::write(const FileEdits &Edits) {
  for (const auto &[File, Some] : Edits) {
    const std::string Mine = Path + "/" + relativeTo(Root, File);
    if (!llvm::sys::fs::exists(Mine))
      return failure(File + " is not in the repository");
    Changed.try_emplace(Mine, textOf(Mine));
    auto Text = edited(Mine, Some);
    if (!Text)
      return Text.takeError();
    if (auto E = writeFile(Mine, *Text))
      return E;
  }
  return llvm::Error::success();
}

llvm::Error Tree::restore() {
  for (const auto &[File, Text] : Changed)
    if (auto E = writeFile(File, Text))
      return E;
  Changed.clear();
  return llvm::Error::success();
}

} // namespace inmem::fix
