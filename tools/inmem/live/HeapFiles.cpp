//===- HeapFiles.cpp - Heap snapshots next to a process's trace -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "live/HeapFiles.h"

#include <algorithm>
#include <chrono>
#include <sys/stat.h>
#include <thread>

namespace inmem::tools {

namespace fs = std::filesystem;

HeapFiles HeapFiles::of(const LiveProcess &P, pid_t Pid) {
  HeapFiles Out;
  const fs::path Trace = P.shownPath();
  Out.Pid = Pid;
  Out.Shown = Trace.parent_path();
  Out.Stem = Trace.extension() == ".inmem" ? Trace.stem() : Trace.filename();
  // A process in a container has another root.
  std::error_code Error;
  Out.Folder = "/proc/" + std::to_string(Pid) + "/root" + Out.Shown.string();
  if (!fs::is_directory(Out.Folder, Error))
    Out.Folder = Out.Shown;
  Out.Old = Out.list(false);
  // Include files left over from a killed process.
  Out.Old.merge(Out.list(true));
  return Out;
}

HeapFiles::Inodes HeapFiles::list(bool Parts) const {
  Inodes Out;
  std::error_code Error;
  for (const auto &Entry : fs::directory_iterator(Folder, Error)) {
    const std::string Name = Entry.path().filename();
    struct stat About;
    if (Name.starts_with(Stem + '.') &&
        (Parts ? Name.find(".heap.") != Name.npos && Name.ends_with(".part")
               : Name.ends_with(".heap")) &&
        stat(Entry.path().c_str(), &About) == 0)
      Out[Name] = About.st_ino;
  }
  return Out;
}

std::string HeapFiles::pattern() const {
  return (Shown / (Stem + (Old.empty() ? ".heap" : ".N.heap"))).string();
}

trace::Result<std::string> HeapFiles::waitForNew(const LiveProcess &P) const {
  // Between the rename and our look at the folder, neither may be visible.
  constexpr int kMostLooksAtNothing = 100;
  for (int Nothing = 0; Nothing < kMostLooksAtNothing;) {
    const auto IsNew = [&](const Inodes::value_type &File) {
      const auto At = Old.find(File.first);
      return At == Old.end() || At->second != File.second;
    };
    const bool Writes = std::ranges::any_of(list(true), IsNew);
    const Inodes Whole = list(false);
    if (const auto New = std::ranges::find_if(Whole, IsNew); New != Whole.end())
      return (Shown / New->first).string();
    Nothing = Writes ? 0 : Nothing + 1;
    if (P.hasEnded())
      Nothing += kMostLooksAtNothing / 10;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return trace::Status::error("process " + std::to_string(Pid),
                              "no heap snapshot came to be in " +
                                  Shown.string() +
                                  "; its standard error may say why");
}

} // namespace inmem::tools
