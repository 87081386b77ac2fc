//===- TraceIndex.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file contains texts, then line records in their memory layout, then
// labels and the head as JSON, then a Trailer. The same program writes and
// reads it.
//
//===----------------------------------------------------------------------===//
#include "lsp/TraceIndex.h"

#include "files/Inputs.h"
#include "files/Symbolizer.h"
#include "lsp/HoverText.h"
#include "report/findings/Findings.h"
#include "report/formats/JsonParts.h"
#include "report/model/ShownNames.h"
#include "report/names/TypeName.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <unistd.h>
#include <unordered_map>

namespace inmem::tools {

using namespace report;

namespace {

struct Trailer {
  static constexpr uint64_t kMagic = 0x78646e696d6d6e69;

  uint64_t Magic = 0;
  StoredText Lines, Labels, Head;
};
static_assert(std::is_trivially_copyable_v<LineRecord>);

/// Appends to a file and remembers errors.
class Writer {
public:
  explicit Writer(int Descriptor) : Fd(Descriptor) {}

  StoredText add(std::string_view Bytes) {
    const StoredText Out{Written, Bytes.size()};
    Buffer += Bytes;
    Written += Bytes.size();
    if (Buffer.size() > (1 << 20))
      flush();
    return Out;
  }
  trace::Status finish() {
    flush();
    return Error ? trace::Status::error("", std::string("cannot write: ") +
                                                std::strerror(Error))
                 : trace::Status();
  }

private:
  void flush() {
    for (size_t Done = 0; Done < Buffer.size() && !Error;) {
      const ssize_t N = write(Fd, Buffer.data() + Done, Buffer.size() - Done);
      if (N <= 0)
        Error = errno;
      else
        Done += static_cast<size_t>(N);
    }
    Buffer.clear();
  }

  int Fd;
  std::string Buffer;
  uint64_t Written = 0;
  int Error = 0;
};

class Indexer {
public:
  explicit Indexer(int Fd) : To(Fd) {}

  trace::Status run(const IndexRequest &Of);

private:
  trace::Status load(const std::string &File, std::vector<trace::Trace> &Traces,
                     Profile &P);
  void addLines(const Profile &P);
  void addChanges(const Profile &Old, const Profile &New);
  trace::Status compareWith(const std::vector<std::string> &Candidates);
  void addFile(const std::string &Path, size_t First);
  void addClasses();
  void addHead(const IndexRequest &Of);
  void setLabel(LineRecord &R, const std::string &Text);

  Writer To;
  std::vector<trace::Trace> Traces;
  Profile Now;
  Json Head = Json::object();
  std::vector<LineRecord> Lines;
  std::string Labels;
  std::string BeforeFile;
  std::map<std::string, std::vector<uint64_t>, std::less<>> Hashes;
};

trace::Status Indexer::load(const std::string &File,
                            std::vector<trace::Trace> &Into, Profile &P) {
  auto Read = readInputs({File});
  if (!Read)
    return Read.status();
  Symbolizer Symbols;
  ProfileOptions Build;
  Build.Resolver = &Symbols;
  auto Built = buildProfile(*Read, Build);
  if (!Built)
    return Built.status();
  P = std::move(*Built);
  Into = std::move(*Read);
  return {};
}

void Indexer::setLabel(LineRecord &R, const std::string &Text) {
  const std::string Quoted =
      Json(Text).dump(-1, ' ', false, Json::error_handler_t::replace);
  R.LabelAt = static_cast<uint32_t>(Labels.size());
  R.LabelBytes = static_cast<uint32_t>(Quoted.size() - 2);
  Labels.append(Quoted, 1, R.LabelBytes);
}

void Indexer::addFile(const std::string &Path, size_t First) {
  if (First == Lines.size())
    return;
  Json Row = {
      {"path", Path}, {"first", First}, {"count", Lines.size() - First}};
  if (const auto Of = Hashes.find(Path); Of != Hashes.end())
    Row["hashes"] = Of->second;
  Head["files"].push_back(std::move(Row));
}

void Indexer::addLines(const Profile &P) {
  for (const auto &[Path, Of] : lineFiguresOf(P)) {
    const size_t First = Lines.size();
    for (const auto &[Number, Line] : Of) {
      LineRecord R;
      R.Line = Number;
      R.Flags = LineRecord::kIsThere;
      R.Blocks = Line.Sum.Allocations;
      R.Bytes = Line.Sum.AllocatedBytes;
      setLabel(R, lineLabel(P, Line));
      R.Details = To.add(lineHover(P, Line));
      Lines.push_back(R);
    }
    addFile(Path, First);
  }
}

void Indexer::addChanges(const Profile &Old, const Profile &New) {
  const FileLines Figures = lineFiguresOf(New);
  for (const auto &[Path, Of] : lineChangesOf(compare(Old, New))) {
    const size_t First = Lines.size();
    const auto Here = Figures.find(Path);
    for (const auto &[Number, Line] : Of) {
      LineRecord R;
      R.Line = Number;
      R.Flags = (Line.WasThere ? LineRecord::kWasThere : 0u) |
                (Line.IsThere ? LineRecord::kIsThere : 0u) |
                (Line.Shared ? LineRecord::kShared : 0u);
      R.Blocks = Line.New.Allocations;
      R.Bytes = Line.New.AllocatedBytes;
      R.OldBlocks = Line.Old.Allocations;
      R.OldBytes = Line.Old.AllocatedBytes;
      setLabel(R, changeLabel(Line));
      std::string Text = changeHover(Line);
      if (Here != Figures.end())
        if (const auto At = Here->second.find(Number); At != Here->second.end())
          Text += lineHover(New, At->second);
      R.Details = To.add(Text);
      Lines.push_back(R);
    }
    addFile(Path, First);
  }
}

trace::Status Indexer::compareWith(const std::vector<std::string> &Candidates) {
  const auto ProgramOf = [](const Profile &P) {
    return P.Processes.empty() ? std::string() : P.Processes[0].Executable;
  };
  for (const std::string &File : Candidates) {
    std::vector<trace::Trace> Unused;
    Profile Before;
    auto Error = load(File, Unused, Before);
    if (Candidates.size() == 1 && !Error.ok())
      return Error;
    if (!Error.ok() ||
        (Candidates.size() > 1 && ProgramOf(Before) != ProgramOf(Now)))
      continue;
    BeforeFile = File;
    addChanges(Before, Now);
    return {};
  }
  return trace::Status::error(
      "", "there is no earlier trace of this program to compare with");
}

void Indexer::addClasses() {
  std::unordered_map<uint64_t, const TypeResult *> ById;
  for (const TypeResult &T : Now.Types)
    if (T.Name)
      ById.emplace(T.Id, &T);
  std::map<std::string, bool> Seen;
  for (const trace::Trace &In : Traces)
    for (const trace::Type &Type : In.Types) {
      const auto Of = ById.find(Type.Id);
      if (Type.FieldCount == 0 || Of == ById.end() ||
          !Seen.emplace(*Of->second->Name, true).second)
        continue;
      const std::string Word = lastNameOf(*Of->second->Name);
      if (Word.empty())
        continue;
      const StoredText At = To.add(classHover(Now, *Of->second, In, Type));
      Head["classes"].push_back({Word, At.Offset, At.Bytes});
    }
}

void Indexer::addHead(const IndexRequest &Of) {
  const ProcessResult *First =
      Now.Processes.empty() ? nullptr : &Now.Processes[0];
  Head["file"] = Of.Trace;
  Head["before"] = orNull(BeforeFile);
  Head["command"] = First ? Json(First->Command) : Json::array();
  Head["executable"] = First ? First->Executable : std::string();
  Head["pid"] = First ? First->Pid : 0;
  Head["start_unix_ns"] = First ? First->StartUnixNs : 0;
  Head["running"] = First && First->Running;
  Head["unit"] = Now.LifetimeUnit == Unit::Nanoseconds ? "ns" : "bytes";
  Head["total_bytes"] = Now.Totals.AllocatedBytes;
  Head["total_blocks"] = Now.Totals.Allocations;
  Head["notes"] = Now.Notes;
  Head["folders"] = Now.CompileFolders;
  Head["findings"] = findingsJson(Now, View());
  const std::vector<Finding> All = findingsOf(Now, ~size_t{0});
  for (size_t I = 0; I < All.size() && I < Head["findings"].size(); ++I)
    Head["findings"][I]["saves"] = savesText(Now, All[I]);
}

trace::Status Indexer::run(const IndexRequest &Of) {
  Head["files"] = Json::array();
  Head["classes"] = Json::array();
  if (auto Error = load(Of.Trace, Traces, Now); !Error.ok())
    return Error;
  for (const trace::Trace &T : Traces)
    for (const trace::Source &S : T.Sources) {
      std::vector<uint64_t> &Known = Hashes[std::string(S.File)];
      if (std::ranges::find(Known, S.Hash) == Known.end())
        Known.push_back(S.Hash);
    }
  if (!Of.Compares) {
    addLines(Now);
  } else if (auto Error = compareWith(Of.Before); !Error.ok()) {
    return Error;
  }
  addClasses();
  addHead(Of);
  Trailer End;
  End.Magic = Trailer::kMagic;
  End.Lines = To.add({reinterpret_cast<const char *>(Lines.data()),
                      Lines.size() * sizeof(LineRecord)});
  End.Labels = To.add(Labels);
  End.Head = To.add(Head.dump(-1, ' ', false, Json::error_handler_t::replace));
  To.add({reinterpret_cast<const char *>(&End), sizeof End});
  return To.finish();
}

bool readAt(int Fd, void *Into, uint64_t Bytes, uint64_t Offset) {
  char *At = static_cast<char *>(Into);
  while (Bytes > 0) {
    const ssize_t N = pread(Fd, At, Bytes, static_cast<off_t>(Offset));
    if (N <= 0)
      return false;
    At += N;
    Offset += static_cast<uint64_t>(N);
    Bytes -= static_cast<uint64_t>(N);
  }
  return true;
}

} // namespace

trace::Status writeIndex(const IndexRequest &Of, int Fd) {
  return Indexer(Fd).run(Of);
}

TraceIndex::~TraceIndex() { close(Fd); }

std::string TraceIndex::text(const StoredText &Of) const {
  std::string Out(Of.Bytes, '\0');
  return readAt(Fd, Out.data(), Of.Bytes, Of.Offset) ? Out : std::string();
}

std::vector<StoredText> TraceIndex::classes(const std::string &Word) const {
  std::vector<StoredText> Out;
  const auto [First, Last] = Classes.equal_range(Word);
  for (auto At = First; At != Last; ++At)
    Out.push_back(At->second);
  return Out;
}

trace::Result<std::unique_ptr<TraceIndex>> TraceIndex::read(int Fd) {
  std::unique_ptr<TraceIndex> Out(new TraceIndex(Fd));
  const auto Broken = trace::Status::error("", "the index is not whole");
  const off_t Size = lseek(Fd, 0, SEEK_END);
  Trailer End;
  if (Size < static_cast<off_t>(sizeof End) ||
      !readAt(Fd, &End, sizeof End, static_cast<uint64_t>(Size) - sizeof End) ||
      End.Magic != Trailer::kMagic)
    return Broken;
  Out->Lines.resize(End.Lines.Bytes / sizeof(LineRecord));
  if (!readAt(Fd, Out->Lines.data(), End.Lines.Bytes, End.Lines.Offset))
    return Broken;
  Out->Labels = Out->text(End.Labels);
  if (Out->Labels.size() != End.Labels.Bytes)
    return Broken;
  Out->Head = Json::parse(Out->text(End.Head), nullptr, false);
  if (!Out->Head.is_object())
    return Broken;
  for (const Json &Row : Out->Head["files"]) {
    FileRecord F;
    F.Path = Row["path"];
    F.First = Row["first"];
    F.Count = Row["count"];
    if (Row.contains("hashes"))
      F.Hashes = Row["hashes"].get<std::vector<uint64_t>>();
    Out->Files.push_back(std::move(F));
  }
  Out->TotalBytes = Out->Head["total_bytes"];
  Out->TotalBlocks = Out->Head["total_blocks"];
  for (const Json &Row : Out->Head["classes"])
    Out->Classes.emplace(Row[0].get<std::string>(), StoredText{Row[1], Row[2]});
  for (const char *Key : {"files", "classes", "total_bytes", "total_blocks"})
    Out->Head.erase(Key);
  return Out;
}

} // namespace inmem::tools
