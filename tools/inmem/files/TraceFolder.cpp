//===- TraceFolder.cpp - The traces of a folder ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/TraceFolder.h"

#include "report/model/Phases.h"
#include "trace/read/Reader.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>

namespace inmem::tools {

namespace fs = std::filesystem;

std::string stateOf(const fs::path &File) {
  struct stat Now{};
  if (lstat(File.c_str(), &Now) != 0 || !S_ISREG(Now.st_mode))
    return "";
  return fmt::format("{} {} {}.{:09}", Now.st_ino, Now.st_size,
                     Now.st_mtim.tv_sec, Now.st_mtim.tv_nsec);
}

TraceFolder::TraceFolder(fs::path Of) : Folder(std::move(Of)) {}

void TraceFolder::describe(TraceEntry &Into) {
  const auto Traces = trace::readTraces(Into.Path.string());
  if (!Traces || Traces->empty()) {
    Into.Error = "cannot be read";
    return;
  }
  const trace::Trace &T = Traces->front();
  for (const std::string_view Word : T.Command)
    (Into.Command += Into.Command.empty() ? "" : " ") += Word;
  if (Into.Command.empty())
    Into.Command = std::string(T.Executable);
  if (Traces->size() > 1)
    Into.Command += " and " + std::to_string(Traces->size() - 1) + " more";
  for (const auto &[Key, Value] : T.labels()) {
    Into.Labels += Into.Labels.empty() ? "" : ", ";
    (Into.Labels += Key) += '=';
    Into.Labels += Value;
  }
  for (const trace::Module &M : T.Modules)
    if (Into.Build.empty() && M.Path == T.Executable)
      for (const char Byte : M.BuildId)
        Into.Build += fmt::format("{:02x}", static_cast<unsigned char>(Byte));
  Into.Host = std::string(T.Host);
  Into.Pid = T.Header.Pid;
  Into.StartUnixNs = T.Header.StartUnixNs;
  Into.DurationNs = report::durationOf(T.Header);
  // The trace of a killed process still says that it runs, so check that the
  // process exists.
  struct stat Process{};
  Into.Running =
      T.Header.State == trace::RunState::Running &&
      stat(("/proc/" + std::to_string(T.Header.Pid)).c_str(), &Process) == 0;
}

std::vector<TraceEntry> TraceFolder::files() const {
  std::vector<TraceEntry> Out;
  std::error_code Error;
  for (const auto &File : fs::directory_iterator(Folder, Error)) {
    const std::string Name = File.path().filename().string();
    const bool Trace = Name.ends_with(".inmem") ||
                       Name.ends_with(".inmem.gz") ||
                       Name.ends_with(".inmem.zst");
    // A link may point outside the folder, and reading a pipe would never end.
    if (!Trace || File.is_symlink(Error) || !File.is_regular_file(Error))
      continue;
    struct stat Now{};
    if (lstat(File.path().c_str(), &Now) != 0 || !S_ISREG(Now.st_mode))
      continue;
    TraceEntry &E = Out.emplace_back();
    E.State = stateOf(File.path());
    E.Name = Name;
    E.Path = File.path();
    E.Bytes = static_cast<uint64_t>(Now.st_size);
    E.Modified = Now.st_mtim.tv_sec;
  }
  return Out;
}

static void sortNewestFirst(std::vector<TraceEntry> &All) {
  std::ranges::sort(All, [](const TraceEntry &A, const TraceEntry &B) {
    return std::pair(B.StartUnixNs, A.Name) < std::pair(A.StartUnixNs, B.Name);
  });
}

std::vector<TraceEntry> TraceFolder::list() {
  std::vector<TraceEntry> Out = files();
  for (TraceEntry &E : Out) {
    const auto Before = Known.find(E.Name);
    if (Before != Known.end() && !Before->second.Running &&
        Before->second.State == E.State)
      E = Before->second;
    else
      describe(E);
  }
  Known.clear();
  for (const TraceEntry &E : Out)
    Known[E.Name] = E;
  sortNewestFirst(Out);
  return Out;
}

/// Sets the start from the header of an uncompressed trace. All of a compressed
/// one is read.
static void readStart(TraceEntry &Of) {
  trace::FileHeader H{};
  std::ifstream In(Of.Path, std::ios::binary);
  if (!In.read(reinterpret_cast<char *>(&H), sizeof H) ||
      std::memcmp(H.Magic, trace::kMagic, sizeof H.Magic) != 0)
    TraceFolder::describe(Of);
  else if (H.Version == trace::kVersion)
    Of.StartUnixNs = H.StartUnixNs;
}

std::vector<TraceEntry> TraceFolder::listStarts() const {
  std::vector<TraceEntry> Out = files();
  for (TraceEntry &E : Out)
    readStart(E);
  sortNewestFirst(Out);
  return Out;
}

std::optional<TraceEntry> TraceFolder::find(const std::string &Name) {
  for (TraceEntry &E : list())
    if (E.Name == Name)
      return std::move(E);
  return std::nullopt;
}

} // namespace inmem::tools
