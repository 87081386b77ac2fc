//===- Traces.cpp - Which trace is shown, and where its lines are now -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Server.h"

#include "cli/Output.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <unistd.h>

namespace inmem::tools {

namespace fs = std::filesystem;
using report::Json;

std::optional<std::string> textOfFile(const std::string &Path) {
  constexpr uintmax_t kMost = 4 << 20;
  std::error_code Error;
  if (Path.empty() || !fs::is_regular_file(Path, Error) ||
      fs::file_size(Path, Error) > kMost)
    return std::nullopt;
  std::ifstream In(Path, std::ios::binary);
  std::string Text{std::istreambuf_iterator<char>(In), {}};
  return In.bad() ? std::nullopt : std::optional(std::move(Text));
}

void Server::findTraces() {
  if (!Watch)
    Watch = std::make_unique<TraceWatch>(
        Root, Settings.Trace.empty() ? TraceGlob : Settings.Trace);
  Traces = Watch->scan();
  std::erase_if(Traces, [&](const TraceWatch::Found &T) {
    return std::ranges::find(Unreadable, T) != Unreadable.end();
  });
  if (Traces.empty()) {
    if (Index && Loading == 0) {
      Index.reset();
      ++Generation;
      Wanted = {};
      refresh();
    }
    return;
  }
  if (Traces[0] == Wanted)
    return;
  Wanted = Traces[0];
  load();
}

void Server::load() {
  Children.stop(Loading);
  Loading = 0;
  IndexRequest Of;
  Of.Trace = Wanted.Path;
  if (Comparing) {
    constexpr size_t kCandidates = 8;
    if (!Compared.empty())
      Of.Before = {Compared};
    else
      for (const TraceWatch::Found &T : Traces)
        if (T.Path != Wanted.Path && Of.Before.size() < kCandidates)
          Of.Before.push_back(T.Path);
    Of.Compares = true;
  }
  std::FILE *File = std::tmpfile();
  if (!File)
    return show("cannot make a temporary file", 1);
  const int Fd = dup(fileno(File));
  std::fclose(File);
  Loading = Children.start(
      [Of, Fd] {
        const trace::Status Done = writeIndex(Of, Fd);
        std::fputs(Done.str().c_str(), stdout);
        return Done.ok() ? 0 : 3;
      },
      [this, Fd](const JobResult &Result) { loaded(Result, Fd); });
}

void Server::loaded(const JobResult &Result, int Fd) {
  Loading = 0;
  auto Read = Result.Code == 0 ? TraceIndex::read(Fd)
                               : trace::Status::error("", Result.Output);
  if (!Read) {
    if (Result.Code != 0)
      close(Fd);
    std::string Why = Read.status().str();
    while (Why.ends_with('\n'))
      Why.pop_back();
    if (Comparing) {
      Comparing = false;
      show(Why, 2);
      return load();
    }
    show(Why.empty() ? Wanted.Path + ": cannot be read" : Why, 2);
    Unreadable.push_back(Wanted);
    return findTraces();
  }
  Index = std::move(*Read);
  ++Generation;
  FilesByPath.clear();
  FilesByName.clear();
  for (size_t I = 0; I < Index->files().size(); ++I) {
    const std::string &Path = Index->files()[I].Path;
    for (const std::string &One : pathsOf(Path))
      FilesByPath.emplace(One, I);
    FilesByName.emplace(fs::path(Path).filename().string(), I);
  }
  log("shows " + Wanted.Path);
  for (const Json &Note : Index->head()["notes"])
    log(Note.get<std::string>());
  refresh();
}

void Server::refresh() {
  for (auto &[Uri, D] : Documents)
    follow(D);
  publishAll();
  if (can("workspace/inlayHint/refreshSupport"))
    ask("workspace/inlayHint/refresh", nullptr);
  if (can("workspace/codeLens/refreshSupport"))
    ask("workspace/codeLens/refresh", nullptr);
  notify("inmem/changed", {{"trace", Index ? Json(Wanted.Path) : Json(nullptr)},
                           {"comparing", Comparing}});
}

std::vector<std::string> Server::pathsOf(const std::string &InTrace) const {
  std::vector<std::string> Out;
  const auto Add = [&](const fs::path &Path) {
    std::error_code Error;
    const fs::path One = fs::weakly_canonical(Path, Error);
    if (!Error && std::ranges::find(Out, One.string()) == Out.end())
      Out.push_back(One.string());
  };
  if (InTrace.starts_with('/')) {
    Add(InTrace);
    return Out;
  }
  for (const Json &Folder : Index->head()["folders"])
    Add(fs::path(Folder.get<std::string>()) / InTrace);
  Add(Root / InTrace);
  // Programs run in their trace's folder, and may have been built there.
  Add(fs::path(Wanted.Path).parent_path() / InTrace);
  return Out;
}

static bool hasHash(const FileRecord &F, std::string_view Text) {
  return std::ranges::find(F.Hashes, sourceHash(Text)) != F.Hashes.end();
}

const FileRecord *Server::fileOf(const Document &D) {
  if (!Index || D.Path.empty())
    return nullptr;
  if (const auto At = FilesByPath.find(D.Path); At != FilesByPath.end())
    return &Index->files()[At->second];
  // If it was built elsewhere, look for the same name with the same text.
  const auto [First, Last] =
      FilesByName.equal_range(fs::path(D.Path).filename().string());
  if (First == Last)
    return nullptr;
  const auto OnDisk = textOfFile(D.Path);
  for (auto At = First; At != Last; ++At) {
    const FileRecord &F = Index->files()[At->second];
    if (hasHash(F, D.Text.text()) || (OnDisk && hasHash(F, *OnDisk)) ||
        hasHash(F, D.Follows.Base))
      return &F;
  }
  return nullptr;
}

/// The output of a git command run in a folder.
static std::string gitOutput(const std::string &Folder,
                             const std::string &Words) {
  const std::string Command =
      "git -C " + shellQuoted(Folder) + " " + Words + " 2>/dev/null";
  // NOLINTNEXTLINE(bugprone-command-processor): quoted
  std::FILE *From = popen(Command.c_str(), "r");
  std::string Out;
  if (!From)
    return Out;
  char Buffer[16384];
  while (const size_t N = std::fread(Buffer, 1, sizeof Buffer, From))
    Out.append(Buffer, N);
  pclose(From);
  return Out;
}

/// Prints the version of a file in git that has one of these hashes.
static int printVersion(const std::string &Path,
                        const std::vector<uint64_t> &Hashes) {
  const fs::path File(Path);
  const std::string Folder = File.parent_path().string(),
                    Plain = File.filename().string(),
                    Name = shellQuoted("./" + Plain);
  std::vector<std::string> Blobs;
  if (const std::string Staged =
          gitOutput(Folder, "rev-parse " + shellQuoted(":./" + Plain));
      !Staged.empty())
    Blobs.push_back(Staged.substr(0, Staged.find('\n')));
  const std::string Log = gitOutput(
      Folder, "log -n 100 --format= --raw --no-abbrev --no-renames -- " + Name);
  for (const std::string_view Line : report::linesOf(Log)) {
    // :100644 100644 OLD NEW M\tNAME
    constexpr size_t kPrefix = 15;
    if (Line.size() < kPrefix || Line[0] != ':')
      continue;
    std::string_view Rest = Line.substr(kPrefix);
    for (int Both = 0; Both < 2; ++Both) {
      const std::string Blob(Rest.substr(0, Rest.find(' ')));
      if (std::ranges::find(Blobs, Blob) == Blobs.end())
        Blobs.push_back(Blob);
      Rest.remove_prefix(std::min(Blob.size() + 1, Rest.size()));
    }
  }
  for (const std::string &Blob : Blobs) {
    if (Blob.find_first_not_of("0123456789abcdef") != std::string::npos ||
        Blob.find_first_not_of('0') == std::string::npos)
      continue;
    const std::string Text = gitOutput(Folder, "cat-file blob " + Blob);
    if (std::ranges::find(Hashes, sourceHash(Text)) == Hashes.end())
      continue;
    std::fwrite(Text.data(), 1, Text.size(), stdout);
    return 0;
  }
  return 1;
}

void Server::follow(Document &D) {
  const FileRecord *F = fileOf(D);
  Document::Following &To = D.Follows;
  To.Index = Generation;
  To.Map.reset();
  To.Known = To.Pending = false;
  if (!F)
    return;
  const auto Take = [&](std::string Text) {
    To.Base = std::move(Text);
    To.Known = true;
  };
  const auto OnDisk = textOfFile(D.Path);
  if (F->Hashes.empty()) {
    // Without a hash, a file counts as the compiled one if it is older than the
    // run.
    std::error_code Error;
    const auto Start = std::chrono::file_clock::from_sys(
        std::chrono::sys_time<std::chrono::nanoseconds>(
            std::chrono::nanoseconds(
                Index->head()["start_unix_ns"].get<int64_t>())));
    const auto Written = fs::last_write_time(D.Path, Error);
    if (OnDisk && !Error && Written <= Start)
      Take(*OnDisk);
    return;
  }
  if (hasHash(*F, D.Text.text()))
    return Take(D.Text.text());
  if (OnDisk && hasHash(*F, *OnDisk))
    return Take(*OnDisk);
  if (hasHash(*F, To.Base)) {
    To.Known = true;
    return;
  }
  To.Pending = true;
  Children.start([Path = D.Path,
                  Hashes = F->Hashes] { return printVersion(Path, Hashes); },
                 [this, Uri = D.Uri, Hashes = F->Hashes,
                  Of = Generation](const JobResult &Result) {
                   const auto At = Documents.find(Uri);
                   if (At == Documents.end() ||
                       At->second.Follows.Index != Of ||
                       !At->second.Follows.Pending)
                     return;
                   Document::Following &Into = At->second.Follows;
                   Into.Pending = false;
                   if (Result.Code != 0 ||
                       std::ranges::find(Hashes, sourceHash(Result.Output)) ==
                           Hashes.end())
                     return;
                   Into.Base = Result.Output;
                   Into.Known = true;
                   publish(At->second);
                   if (can("workspace/inlayHint/refreshSupport"))
                     ask("workspace/inlayHint/refresh", nullptr);
                   if (can("workspace/codeLens/refreshSupport"))
                     ask("workspace/codeLens/refresh", nullptr);
                 });
}

} // namespace inmem::tools
