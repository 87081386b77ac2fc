//===- CompileFolders.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/CompileFolders.h"

namespace inmem::report {

void CompileFolders::learn(const trace::Trace &T,
                           const std::function<void(const Visit &)> &EachCode) {
  std::map<std::string_view, std::set<std::string_view>> Relative;
  const auto Add = [&](std::string_view Function, std::string_view File) {
    if (File.starts_with('/'))
      Absolute.emplace(File);
    else if (!File.empty() && !Function.empty())
      Relative[Function].insert(File);
  };
  for (const trace::Site &S : T.Sites) {
    Add(S.Function, S.File);
    for (const trace::Frame &F : T.frames(S))
      Add(F.Function, F.File);
    if (S.HasCaller)
      Add(S.Caller.Function, S.Caller.File);
  }
  if (Relative.empty())
    return;
  EachCode([&](std::string_view Function, std::string_view File) {
    const auto Known = Relative.find(Function);
    if (Known == Relative.end() || !File.starts_with('/'))
      return;
    for (const std::string_view Name : Known->second)
      if (File.ends_with(Name) && File[File.size() - Name.size() - 1] == '/')
        Folders.emplace(File.substr(0, File.size() - Name.size()));
  });
}

std::string_view CompileFolders::shown(std::string_view File) const {
  if (Folders.empty() || !File.starts_with('/') || Absolute.contains(File))
    return File;
  std::string_view Shortest = File;
  for (const std::string &Folder : Folders)
    if (File.starts_with(Folder) && File.size() > Folder.size() &&
        File.size() - Folder.size() < Shortest.size())
      Shortest = File.substr(Folder.size());
  return Shortest;
}

} // namespace inmem::report
