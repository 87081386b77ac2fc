//===- PageData.cpp - Profiles as `inmem html` embeds them ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/PageData.h"

#include "report/formats/JsonParts.h"
#include "report/formats/Page.h"
#include "report/formats/PageColumns.h"
#include "report/formats/Reports.h"
#include "report/model/Blame.h"
#include "report/model/LibraryCode.h"
#include "report/model/ShownNames.h"
#include "report/model/TimeGrid.h"
#include "report/names/TypeName.h"
#include "trace/text/Names.h"

#include <algorithm>
#include <stdexcept>
#include <zlib.h>

namespace inmem::report {

namespace {

std::string compressed(const std::string &Plain) {
  uLongf Size = compressBound(static_cast<uLong>(Plain.size()));
  std::string Out(Size, '\0');
  const int Level = Plain.size() > (32u << 20) ? 6 : 9;
  if (compress2(reinterpret_cast<Bytef *>(Out.data()), &Size,
                reinterpret_cast<const Bytef *>(Plain.data()),
                static_cast<uLong>(Plain.size()), Level) != Z_OK)
    throw std::runtime_error("cannot compress the page's data");
  Out.resize(Size);
  return Out;
}

/// The length of the head in four bytes, the head, the columns.
std::string packed(const Json &Head, const std::string &Columns) {
  const std::string Text =
      Head.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string Plain;
  Plain.reserve(4 + Text.size() + Columns.size());
  for (unsigned Shift = 0; Shift < 32; Shift += 8)
    Plain.push_back(static_cast<char>(Text.size() >> Shift));
  return compressed(Plain.append(Text).append(Columns));
}

/// Texts by number.
class Strings {
public:
  uint32_t operator()(const std::string &Text) {
    const auto [Where, New] =
        Index.try_emplace(Text, static_cast<uint32_t>(All.size()));
    if (New)
      All.push_back(Text);
    return Where->second;
  }
  const Json &all() const { return All; }

private:
  Json All = Json::array();
  std::unordered_map<std::string, uint32_t> Index;
};

/// Blocks of one site that were allocated on one path.
struct Row {
  uint32_t Site = 0, Node = 0;
  uint32_t Line = 0; ///< index into Lines: the program's own code
  Counts Sum;
  uint64_t PeakBytes = 0;
  double Lived = 0;
};

/// The tree of functions; node 0 is its root.
struct Tree {
  std::vector<uint32_t> Parent{0}, Function{0};
  std::vector<SourceLocation> Functions{{}}; ///< [0] unused
  std::vector<std::string> Modules{""};
  std::vector<bool> Library{false}; ///< code of libraries, by node
  std::vector<uint64_t> Samples{0}; ///< of threads that ran or waited there
};

class SideWriter {
public:
  SideWriter(const PageSide &What, const PageOptions &With)
      : Side(What), P(What.P), Options(With) {}

  /// Copies everything except the members that fold() changes.
  void read() {
    readRows();
    if (Side.Traces.size() == 1)
      Grid = timeGridOf(Side.Traces[0], Known, Options.MostParts);
    Folded.resize(Rows.size());
    for (uint32_t I = 0; I < Rows.size(); ++I)
      Folded[I] = I;
  }

  size_t nodes() const { return Paths.Parent.size(); }

  /// Adds nodes with less than this share of everything to their callers.
  void fold(double Share);

  Json write(PageColumns &Into, const std::string &Prefix);

private:
  void readRows();
  uint32_t lineOf(const SourceLocation &At);
  uint32_t child(uint32_t Node, const StackFrame &F);
  uint32_t nodeOf(const std::vector<uint32_t> &Frames);
  void writeSites(PageColumns &Into, const std::string &Prefix);
  void writeRows(PageColumns &Into, const std::string &Prefix);
  void writeGrid(PageColumns &Into, const std::string &Prefix);
  Json sourcesJson() const;

  const PageSide &Side;
  const Profile &P;
  const PageOptions &Options;
  std::vector<Row> Rows;
  Tree Paths;
  std::map<std::tuple<uint32_t, std::string, std::string>, uint32_t> Children;
  std::vector<SourceLocation> Lines; ///< files and lines
  std::map<std::pair<std::string, uint32_t>, uint32_t> LineNumbers;
  TimeRows Known;
  std::optional<TimeGrid> Grid;
  Strings Texts;
  // Runs after fold(): merged rows, and the remaining nodes.
  std::vector<uint32_t> Folded; ///< by row: the row it was merged into
  std::vector<uint32_t> NodeOf; ///< by node: its new number; empty: unchanged
  uint64_t FoldedRows = 0;
};

uint32_t SideWriter::lineOf(const SourceLocation &At) {
  const auto [Where, New] = LineNumbers.try_emplace(
      {At.File, At.Line}, static_cast<uint32_t>(Lines.size()));
  if (New)
    Lines.push_back({{}, At.File, At.Line, 0});
  return Where->second;
}

uint32_t SideWriter::child(uint32_t Node, const StackFrame &F) {
  const SourceLocation &At = F.Where;
  const auto [Where, New] = Children.try_emplace(
      {Node, At.Function, At.File}, static_cast<uint32_t>(Paths.Parent.size()));
  if (New) {
    Paths.Parent.push_back(Node);
    Paths.Functions.push_back(At);
    Paths.Modules.push_back(F.Module);
    Paths.Library.push_back(isLibrary(F) || isSystemPath(At.File));
    Paths.Samples.push_back(0);
  }
  return Where->second;
}

uint32_t SideWriter::nodeOf(const std::vector<uint32_t> &Frames) {
  uint32_t Node = 0;
  for (const uint32_t F : Frames)
    Node = child(Node, P.Calls.Frames[F]);
  return Node;
}

void SideWriter::readRows() {
  std::vector<Counts> OfStacks(P.Sites.size());
  std::unordered_map<uint64_t, uint32_t> RowOfStack;
  std::vector<bool> Own;
  Own.reserve(P.Calls.Frames.size());
  for (const StackFrame &F : P.Calls.Frames)
    Own.push_back(!F.Where.File.empty() && F.Where.Line > 0 &&
                  !isSystemPath(F.Where.File));
  for (const StackResult &S : P.Calls.Stacks) {
    const uint32_t Node = nodeOf(S.Frames);
    const auto Inner = std::find_if(S.Frames.rbegin(), S.Frames.rend(),
                                    [&](uint32_t F) { return Own[F]; });
    const uint32_t Line =
        lineOf(Inner != S.Frames.rend() ? P.Calls.Frames[*Inner].Where
                                        : locationOf(P.Sites[S.Site]));
    if (S.Entry != 0)
      RowOfStack[S.Entry] = static_cast<uint32_t>(Rows.size());
    Rows.push_back({static_cast<uint32_t>(S.Site), Node, Line, S.Sum,
                    S.PeakLiveBytes, S.LivedSum});
    OfStacks[S.Site].add(S.Sum);
  }
  // Blocks of a site without stacks are below its inlined chain.
  std::vector<uint32_t> RowOfSite(P.Sites.size());
  for (size_t I = 0; I < P.Sites.size(); ++I) {
    const SiteResult &S = P.Sites[I];
    Counts Left = S.Sum;
    for (const auto Member :
         {&Counts::Allocations, &Counts::AllocatedBytes, &Counts::Frees,
          &Counts::FreedBytes, &Counts::LiveAllocations, &Counts::LiveBytes,
          &Counts::Temporary, &Counts::CarriedAllocations})
      Left.*Member -= std::min(Left.*Member, OfStacks[I].*Member);
    if (Left.Allocations == 0 && Left.CarriedAllocations == 0)
      continue;
    uint32_t Node = 0;
    StackFrame Frame;
    for (auto At = S.Chain.rbegin(); At != S.Chain.rend(); ++At) {
      Frame.Where = *At;
      Node = child(Node, Frame);
    }
    RowOfSite[I] = static_cast<uint32_t>(Rows.size());
    const double Mean = S.Life.Mean ? static_cast<double>(*S.Life.Mean) : 0;
    Rows.push_back({static_cast<uint32_t>(I), Node, lineOf(locationOf(S)), Left,
                    0, Mean * static_cast<double>(Left.Frees)});
  }
  if (P.Samples)
    for (const SampledStack &S : P.Samples->Stacks) {
      const uint32_t Node = nodeOf(S.Frames);
      Paths.Samples[Node] += S.Count;
    }
  for (const Row &R : Rows)
    Known.TypeOf.push_back(static_cast<uint32_t>(P.Sites[R.Site].Type));
  for (const EntryRow &E : P.Entries)
    if (const auto Stack = RowOfStack.find(E.Entry); Stack != RowOfStack.end())
      Known.RowOf[E.Entry] = Stack->second;
    else
      Known.RowOf[E.Entry] = RowOfSite[E.Site];
  Children.clear();
}

void SideWriter::fold(double Share) {
  const size_t Count = Paths.Parent.size();
  static constexpr uint64_t Counts::*kFigures[] = {
      &Counts::Allocations, &Counts::AllocatedBytes, &Counts::LiveBytes};
  // A node stays if any of its figures is large enough.
  std::vector<bool> Stays(Count, false);
  Stays[0] = true;
  const auto Keep = [&](std::vector<uint64_t> Inclusive) {
    for (size_t I = Count; I-- > 1;)
      Inclusive[Paths.Parent[I]] += Inclusive[I];
    const double Least = Share * static_cast<double>(Inclusive[0]);
    for (size_t I = 1; I < Count; ++I)
      if (Inclusive[I] > 0 && static_cast<double>(Inclusive[I]) >= Least)
        Stays[I] = true;
  };
  for (const auto Member : kFigures) {
    std::vector<uint64_t> Self(Count);
    for (const Row &R : Rows)
      Self[R.Node] += R.Sum.*Member;
    Keep(std::move(Self));
  }
  Keep(Paths.Samples);
  NodeOf.assign(Count, 0);
  uint32_t Next = 1;
  for (size_t I = 1; I < Count; ++I)
    NodeOf[I] = Stays[I] && (Paths.Parent[I] == 0 || Stays[Paths.Parent[I]])
                    ? Next++
                    : NodeOf[Paths.Parent[I]];
  // Removing a node removes all nodes below it, because parents have lower
  // numbers.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> Same;
  FoldedRows = 0;
  for (uint32_t I = 0; I < Rows.size(); ++I) {
    const auto [Where, New] =
        Same.try_emplace({Rows[I].Site, NodeOf[Rows[I].Node], Rows[I].Line}, I);
    Folded[I] = Where->second;
    FoldedRows += !New;
  }
}

void SideWriter::writeSites(PageColumns &Into, const std::string &Prefix) {
  const auto Column = [&](const char *Name, auto ValueOf) {
    std::vector<uint64_t> Values;
    Values.reserve(P.Sites.size());
    for (const SiteResult &S : P.Sites)
      Values.push_back(ValueOf(S));
    Into.add(Prefix + "site." + Name, Values);
  };
  // Null is 0, and each number is one higher.
  const auto OrNull = [](const std::optional<uint64_t> &Value) {
    return Value ? *Value + 1 : 0;
  };
  Column("function",
         [&](const SiteResult &S) { return Texts(locationOf(S).Function); });
  Column("file", [&](auto &S) { return Texts(locationOf(S).File); });
  Column("line", [](const SiteResult &S) { return locationOf(S).Line; });
  Column("column", [](const SiteResult &S) { return locationOf(S).Column; });
  // The library function that allocated for that location.
  Column("library", [&](const SiteResult &S) {
    return Texts(S.Caller ? S.Where.Function : std::string());
  });
  Column("kind", [&](const SiteResult &S) { return Texts(S.Kind); });
  Column("module", [&](const SiteResult &S) { return Texts(S.Module); });
  Column("alias",
         [&](const SiteResult &S) { return Texts(markedBlocks(P, S)); });
  Column("type", [](const SiteResult &S) { return S.Type; });
  Column("timed", [](const SiteResult &S) { return S.Life.Timed; });
  Column("min", [&](const SiteResult &S) { return OrNull(S.Life.Min); });
  Column("mean", [&](const SiteResult &S) { return OrNull(S.Life.Mean); });
  Column("p50", [&](const SiteResult &S) { return OrNull(S.Life.P50); });
  Column("p90", [&](const SiteResult &S) { return OrNull(S.Life.P90); });
  Column("p99", [&](const SiteResult &S) { return OrNull(S.Life.P99); });
  Column("max", [&](const SiteResult &S) { return OrNull(S.Life.Max); });
}

void SideWriter::writeRows(PageColumns &Into, const std::string &Prefix) {
  // Nodes in an order that puts parents first.
  std::vector<uint32_t> Parents{0}, Functions{0};
  std::map<std::pair<std::string, std::string>, uint32_t> Numbers{
      {{"", ""}, 0}};
  std::vector<uint64_t> Name{0}, File{0}, Line{0}, Module{0}, Library{0};
  Name[0] = File[0] = Module[0] = Texts("");
  for (uint32_t I = 1; I < Paths.Parent.size(); ++I) {
    const uint32_t Number = NodeOf.empty() ? I : NodeOf[I];
    if (Number != Parents.size())
      continue; // merged into its caller
    const SourceLocation &At = Paths.Functions[I];
    const auto [Where, New] = Numbers.try_emplace(
        {At.Function, At.File}, static_cast<uint32_t>(Name.size()));
    if (New) {
      Name.push_back(Texts(At.Function));
      File.push_back(Texts(At.File));
      Line.push_back(At.Line);
      Module.push_back(Texts(Paths.Modules[I]));
      Library.push_back(Paths.Library[I]);
    }
    Parents.push_back(NodeOf.empty() ? Paths.Parent[I]
                                     : NodeOf[Paths.Parent[I]]);
    Functions.push_back(Where->second);
  }
  Into.addRising(Prefix + "node.parent", Parents);
  Into.add(Prefix + "node.function", Functions);
  if (P.Samples) {
    std::vector<uint64_t> Samples(Parents.size());
    for (uint32_t I = 0; I < Paths.Parent.size(); ++I)
      Samples[NodeOf.empty() ? I : NodeOf[I]] += Paths.Samples[I];
    Into.add(Prefix + "node.samples", Samples);
  }
  Into.add(Prefix + "function.name", Name);
  Into.add(Prefix + "function.file", File);
  Into.add(Prefix + "function.line", Line);
  Into.add(Prefix + "function.module", Module);
  Into.add(Prefix + "function.library", Library);
  std::vector<uint64_t> LineFile, LineNumber;
  for (const SourceLocation &At : Lines) {
    LineFile.push_back(Texts(At.File));
    LineNumber.push_back(At.Line);
  }
  Into.add(Prefix + "line.file", LineFile);
  Into.add(Prefix + "line.number", LineNumber);
  // Rows.
  std::vector<Row> Sums = Rows;
  for (uint32_t I = 0; I < Rows.size(); ++I)
    if (Folded[I] != I) {
      Row &To = Sums[Folded[I]];
      To.Sum.add(Rows[I].Sum);
      To.PeakBytes += Rows[I].PeakBytes;
      To.Lived += Rows[I].Lived;
    }
  const auto Column = [&](const char *Title, auto ValueOf) {
    std::vector<uint64_t> Values;
    for (uint32_t I = 0; I < Sums.size(); ++I)
      if (Folded[I] == I)
        Values.push_back(ValueOf(Sums[I]));
    Into.add(Prefix + "row." + Title, Values);
  };
  Column("site", [](const Row &R) { return uint64_t{R.Site}; });
  Column("node", [&](const Row &R) {
    return uint64_t{NodeOf.empty() ? R.Node : NodeOf[R.Node]};
  });
  Column("line", [](const Row &R) { return uint64_t{R.Line}; });
  Column("allocations", [](const Row &R) { return R.Sum.Allocations; });
  Column("bytes", [](const Row &R) { return R.Sum.AllocatedBytes; });
  Column("frees", [](const Row &R) { return R.Sum.Frees; });
  Column("freedBytes", [](const Row &R) { return R.Sum.FreedBytes; });
  Column("live", [](const Row &R) { return R.Sum.LiveAllocations; });
  Column("liveBytes", [](const Row &R) { return R.Sum.LiveBytes; });
  Column("temporary", [](const Row &R) { return R.Sum.Temporary; });
  Column("peakBytes", [](const Row &R) { return R.PeakBytes; });
  Column("lived", [](const Row &R) {
    return static_cast<uint64_t>(std::min(std::max(R.Lived, 0.0), 9e15));
  });
}

void SideWriter::writeGrid(PageColumns &Into, const std::string &Prefix) {
  std::vector<uint32_t> NewRow(Rows.size());
  uint32_t Next = 0;
  for (uint32_t I = 0; I < Rows.size(); ++I)
    NewRow[I] = Folded[I] == I ? Next++ : NewRow[Folded[I]];
  std::vector<uint64_t> Cells, Lifetimes, Threads, Row, LifetimeType,
      LifetimeClass, LifetimeCount, LifetimeBytes, Thread;
  std::vector<int64_t> Figures[6], OfThread[4];
  for (const TimePart &Part : Grid->Parts) {
    std::map<uint32_t, TimeCounts> Sums;
    for (const auto &[Of, C] : Part.Rows) {
      TimeCounts &To = Sums[NewRow[Of]];
      To.Allocations += C.Allocations;
      To.Bytes += C.Bytes;
      To.Frees += C.Frees;
      To.FreedBytes += C.FreedBytes;
      To.Live += C.Live;
      To.LiveBytes += C.LiveBytes;
    }
    std::erase_if(Sums, [](const auto &Each) { return Each.second.none(); });
    Cells.push_back(Sums.size());
    uint32_t Before = 0;
    for (const auto &[Of, C] : Sums) {
      Row.push_back(Of - Before);
      Before = Of;
      const int64_t Values[6] = {C.Allocations,
                                 C.Bytes,
                                 C.Frees,
                                 C.FreedBytes,
                                 C.Live - (C.Allocations - C.Frees),
                                 C.LiveBytes - (C.Bytes - C.FreedBytes)};
      for (size_t I = 0; I < 6; ++I)
        Figures[I].push_back(Values[I]);
    }
    Lifetimes.push_back(Part.Lifetimes.size());
    for (const auto &[Key, B] : Part.Lifetimes) {
      LifetimeType.push_back(Key.first);
      LifetimeClass.push_back(Key.second);
      LifetimeCount.push_back(B.Count);
      LifetimeBytes.push_back(B.Bytes);
    }
    Threads.push_back(Part.Threads.size());
    for (const auto &[Index, C] : Part.Threads) {
      Thread.push_back(Index);
      const int64_t Values[4] = {C.Allocations, C.Bytes, C.Frees, C.FreedBytes};
      for (size_t I = 0; I < 4; ++I)
        OfThread[I].push_back(Values[I]);
    }
  }
  Into.add(Prefix + "part.cells", Cells);
  Into.add(Prefix + "cell.row", Row);
  const char *const Names[6] = {"allocations", "bytes", "frees",
                                "freedBytes",  "live",  "liveBytes"};
  for (size_t I = 0; I < 6; ++I)
    Into.addSigned(Prefix + "cell." + Names[I], Figures[I]);
  Into.add(Prefix + "part.lives", Lifetimes);
  Into.add(Prefix + "life.type", LifetimeType);
  Into.add(Prefix + "life.class", LifetimeClass);
  Into.add(Prefix + "life.count", LifetimeCount);
  Into.add(Prefix + "life.bytes", LifetimeBytes);
  Into.add(Prefix + "part.threads", Threads);
  Into.add(Prefix + "thread.index", Thread);
  for (size_t I = 0; I < 4; ++I)
    Into.addSigned(Prefix + "thread." + Names[I], OfThread[I]);
}

/// Sources of the lines that allocated most, and of the findings.
Json SideWriter::sourcesJson() const {
  std::map<std::string, uint64_t> ByFile;
  for (const Row &R : Rows)
    ByFile[Lines[R.Line].File] += R.Sum.AllocatedBytes + R.Sum.LiveBytes;
  return pageSources(ByFile, Options);
}

Json SideWriter::write(PageColumns &Into, const std::string &Prefix) {
  Json Out;
  Out["label"] = Side.Label;
  View V;
  V.Tables = {By::Thread};
  if (!P.Frees.empty())
    V.Tables.push_back(By::Frees);
  V.SitesOfTypes = false;
  V.CellsOfFrees = false; // They add nothing to the sums, and are many.
  Out["report"] = reportJson(P, V);
  // The report lists the libraries' own blocks last. Columns name a type by its
  // index in the profile.
  const std::vector<size_t> Listed = selectTypes(P, V);
  std::vector<Json> Types(Listed.size());
  for (size_t I = 0; I < Listed.size(); ++I)
    Types[Listed[I]] = std::move(Out["report"]["types"][I]);
  Out["report"]["types"] = std::move(Types);
  Out["advice"] = adviceJson(P);
  Out["aliases"] = Json::array();
  for (const TypeResult &T : P.Types)
    Out["aliases"].push_back(T.Name ? markedType(T) : T.BlocksAlias);
  Out["classes"] = Json::array(); // for counted objects; else empty
  for (const TypeResult &T : P.Types)
    Out["classes"].push_back(T.Objects ? shownClass(T) : std::string());
  Out["unknown"] = unknownJson(P);
  Out["bytes_are"] = mainBytes(P).Title;
  Out["life_edges"] = lifetimeEdges();
  Out["fields"] = fieldsJson(P, Side.Traces);
  Out["sources"] = sourcesJson();
  Out["folded_rows"] = FoldedRows;
  Out["stacks"] = !P.Calls.empty();
  Out["time"] = nullptr;
  if (Grid) {
    Out["time"] = {{"begin_ns", Grid->BeginNs},
                   {"of_events", Grid->OfEvents},
                   {"has_threads", Grid->HasThreads}};
    Json Ends = Json::array();
    for (const TimePart &Part : Grid->Parts)
      Ends.push_back(Part.EndNs);
    Out["time"]["ends_ns"] = std::move(Ends);
    writeGrid(Into, Prefix);
  }
  writeSites(Into, Prefix);
  writeRows(Into, Prefix);
  Out["strings"] = Texts.all();
  Texts = {};
  return Out;
}

} // namespace

std::string pageData(std::span<const PageSide> Sides, const Json &Diff,
                     const PageOptions &Options) {
  std::vector<SideWriter> Writers;
  size_t Nodes = 0;
  for (const PageSide &Side : Sides) {
    Writers.emplace_back(Side, Options).read();
    Nodes += Writers.back().nodes();
  }
  // A node and its row take about ten bytes: begin with a share that nearly
  // fits.
  double Share = 0;
  if (Options.MostBytes > 0 && Nodes > Options.MostBytes / 4)
    Share = 1e-7;
  for (;; Share = Share == 0 ? 1e-7 : Share * 3) {
    Json Head;
    Head["schema"] = "inmem-page/1";
    Head["kind"] = Diff.is_null() ? "report" : "diff";
    Head["diff"] = Diff;
    Head["folded_below"] = Share;
    Head["sides"] = Json::array();
    PageColumns Columns;
    for (size_t I = 0; I < Writers.size(); ++I) {
      if (Share > 0)
        Writers[I].fold(Share);
      Head["sides"].push_back(
          Writers[I].write(Columns, std::to_string(I) + '.'));
    }
    Head["columns"] = Columns.directory();
    Head.update(Options.Extra);
    std::string Out = packed(Head, Columns.bytes());
    if (Options.MostBytes == 0 || Out.size() <= Options.MostBytes ||
        Share > 0.01)
      return Out;
  }
}

std::string pageData(const Json &Head) { return packed(Head, ""); }

} // namespace inmem::report
