//===- HoverText.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/HoverText.h"

#include "inmem/abi.h"
#include "report/base/Units.h"
#include "report/formats/Reports.h"
#include "report/model/FieldResult.h"
#include "report/model/LibraryCode.h"
#include "report/model/ShownNames.h"
#include "report/names/TypeName.h"
#include "report/text/LifetimeScale.h"
#include "report/text/LocationText.h"
#include "report/text/Table.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::tools {

using namespace report;

static constexpr size_t kLongestName = 160;
static constexpr size_t kLongestInLabel = 60;

static Style plainStyle() {
  Style S;
  S.Width = 72;
  return S;
}

/// The first kind of blocks, and the number of further ones.
static std::string kindsText(const std::string &First, size_t Kinds) {
  std::string Out = "  " + shortenName(Style(), First, kLongestInLabel);
  return Kinds > 1 ? Out + fmt::format(" +{}", Kinds - 1) : Out;
}

std::string lineLabel(const Profile &P, const LineFigures &Line) {
  std::vector<std::string> Kinds;
  for (const size_t I : Line.Sites)
    if (std::string Kind = markedBlocks(P, P.Sites[I]);
        std::ranges::find(Kinds, Kind) == Kinds.end())
      Kinds.push_back(std::move(Kind));
  std::string Out = humanBytes(Line.Sum.AllocatedBytes) + " · " +
                    humanCount(Line.Sum.Allocations);
  if (Line.P50)
    Out += (P.LifetimeUnit == Unit::Nanoseconds ? " · " : " · lived ") +
           humanLifetime(*Line.P50, P.LifetimeUnit, true);
  return Out + kindsText(Kinds[0], Kinds.size());
}

static __int128 changeOf(uint64_t Old, uint64_t New) {
  return static_cast<__int128>(New) - static_cast<__int128>(Old);
}

std::string changeLabel(const LineChange &Line) {
  const char *State = !Line.IsThere ? "gone: " : !Line.WasThere ? "new: " : "";
  return State +
         humanBytesDelta(
             changeOf(Line.Old.AllocatedBytes, Line.New.AllocatedBytes)) +
         " · " +
         humanCountDelta(changeOf(Line.Old.Allocations, Line.New.Allocations)) +
         kindsText(Line.Blocks[0], Line.Blocks.size());
}

/// Rows of a bar histogram, as a code block.
static std::string histogramOf(const Profile &P, const Lifetime &Life,
                               const Counts &Sum) {
  if (!Life.known() || !Life.Min || !Life.Max)
    return {};
  const Style S = plainStyle();
  std::vector<uint64_t> Edges = barEdges(*Life.Min, *Life.Max);
  std::erase_if(Edges, [&](uint64_t E) { return E < P.Resolution; });
  std::vector<Bucket> Rows = Life.Lifetimes.between(Edges);
  std::erase_if(Rows, [](const Bucket &B) { return B.Count == 0; });
  uint64_t Most = std::max<uint64_t>(Sum.LiveAllocations, 1);
  for (const Bucket &B : Rows)
    Most = std::max(Most, B.Count);
  const auto Named = [&](uint64_t Value) {
    return humanLifetime(Value, P.LifetimeUnit, true);
  };
  std::string Out = "```text\n";
  const auto Row = [&](std::string Label, uint64_t Count, uint64_t Bytes) {
    Label.insert(0, 19 - std::min<size_t>(19, displayWidth(Label)), ' ');
    std::string Bar =
        bar(S, static_cast<double>(Count) / static_cast<double>(Most), 20);
    Bar.append(20 - std::min<size_t>(20, displayWidth(Bar)), ' ');
    Out += fmt::format("{} │{} {:>8} {:>9}\n", Label, Bar, humanCount(Count),
                       humanBytes(Bytes));
  };
  for (const Bucket &B : Rows)
    Row(B.To == ~uint64_t{0} ? "≥ " + Named(B.From)
                             : Named(B.From) + " – " + Named(B.To),
        B.Count, B.Bytes);
  if (Sum.LiveAllocations > 0)
    Row("still alive", Sum.LiveAllocations, Sum.LiveBytes);
  return Out + "```\n";
}

static std::string lifetimesOf(const Profile &P, const Lifetime &Life) {
  if (!Life.known() || !Life.Min || !Life.Max)
    return {};
  const auto Named = [&](uint64_t Value) {
    return Value < P.Resolution
               ? "<" + humanLifetime(P.Resolution, P.LifetimeUnit, true)
               : humanLifetime(Value, P.LifetimeUnit, true);
  };
  std::string Out =
      fmt::format("lived {} to {}", Named(*Life.Min), Named(*Life.Max));
  for (const auto &[Name, Value] :
       {std::pair{"p50", Life.P50}, std::pair{"p99", Life.P99}})
    if (Value)
      Out += fmt::format(", {} {}", Name, Named(*Value));
  return Out + "\n\n";
}

static std::string locationMarkdown(const SourceLocation &At) {
  std::string Text = At.Function.empty() ? "?" : shortFunction(At.Function);
  if (!At.File.empty())
    // The folders of library headers are long and not useful.
    Text += fmt::format(
        "  {}:{}",
        isUserPath(At.File) ? At.File : At.File.substr(At.File.rfind('/') + 1),
        At.Line);
  return markdownCode(Text, kLongestName);
}

/// The functions above a site: the recorded call paths, or the inlined calls.
static std::string callersOf(const Profile &P, size_t Site) {
  constexpr size_t kWays = 3, kFrames = 6;
  std::string Out;
  size_t Ways = 0;
  for (const StackResult &R : P.Calls.Stacks) {
    if (R.Site != Site || ++Ways > kWays)
      continue;
    Out += fmt::format("- {} in {} blocks:", humanBytes(R.Sum.allocatedBytes()),
                       humanCount(R.Sum.allocations()));
    size_t Frames = 0;
    for (auto F = R.Frames.rbegin(); F != R.Frames.rend(); ++F)
      if (const SourceLocation &At = P.Calls.Frames[*F].Where;
          isUserPath(At.File) && ++Frames <= kFrames)
        Out += (Frames > 1 ? " ← " : " ") + locationMarkdown(At);
    Out += '\n';
  }
  if (Ways > kWays)
    Out += fmt::format("- and {} more ways\n", Ways - kWays);
  if (!Out.empty())
    return "called by\n\n" + Out + "\n";
  const SiteResult &S = P.Sites[Site];
  if (S.Caller)
    return "allocated in " + locationMarkdown(S.Where) + "\n\n";
  size_t Frames = 0;
  for (const SourceLocation &At : S.Chain)
    if (isUserPath(At.File) && At.Line > 0 && !(At == locationOf(S)) &&
        ++Frames <= kFrames)
      Out += (Frames > 1 ? " ← " : "inlined into ") + locationMarkdown(At);
  return Out.empty() ? Out : Out + "\n\n";
}

static std::string figuresOf(const Profile &P, const SiteResult &S) {
  std::vector<std::string> Facts = {
      humanBytes(S.Sum.allocatedBytes()) + " (" +
          humanShare(S.Sum.AllocatedBytes, P.Totals.AllocatedBytes) + ")",
      humanCount(S.Sum.allocations()) + " blocks"};
  if (S.Peak && S.Peak->bytes().value_or(0) > 0)
    Facts.push_back(humanBytes(S.Peak->bytes()) + " at the peak");
  if (S.Sum.LiveAllocations > 0 && S.Sum.liveBytes())
    Facts.push_back(fmt::format("{} alive in {}", humanBytes(S.Sum.LiveBytes),
                                humanCount(S.Sum.liveAllocations())));
  if (S.Sum.Temporary > 0 && P.TemporaryKnown)
    Facts.push_back(humanShare(S.Sum.Temporary, S.Sum.Allocations) +
                    " temporary");
  if (const TypeResult &T = P.Types[S.Type]; T.PeakLiveBytes && T.Name)
    Facts.push_back("all of the type: peak " + humanBytes(*T.PeakLiveBytes));
  return fmt::format("{}", fmt::join(Facts, " · "));
}

std::string lineHover(const Profile &P, const LineFigures &Line) {
  constexpr size_t kKinds = 4;
  std::string Out;
  for (size_t I = 0; I < std::min(Line.Sites.size(), kKinds); ++I) {
    const SiteResult &S = P.Sites[Line.Sites[I]];
    Out += "**" + markdownCode(markedBlocks(P, S), kLongestName) + "**  \n" +
           figuresOf(P, S) + "\n\n" + lifetimesOf(P, S.Life) +
           histogramOf(P, S.Life, S.Sum) + callersOf(P, Line.Sites[I]);
  }
  if (Line.Sites.size() > kKinds)
    Out += fmt::format("and {} more sites on this line\n",
                       Line.Sites.size() - kKinds);
  return Out;
}

std::string changeHover(const LineChange &Line) {
  std::string Out = "| | before | now | change |\n|---|--:|--:|--:|\n";
  const auto Bytes = [&](const char *Name, uint64_t Old, uint64_t New) {
    Out += fmt::format("| {} | {} | {} | {} |\n", Name, humanBytes(Old),
                       humanBytes(New), humanBytesDelta(changeOf(Old, New)));
  };
  Bytes("bytes", Line.Old.AllocatedBytes, Line.New.AllocatedBytes);
  Out += fmt::format(
      "| blocks | {} | {} | {} |\n", humanCount(Line.Old.Allocations),
      humanCount(Line.New.Allocations),
      humanCountDelta(changeOf(Line.Old.Allocations, Line.New.Allocations)));
  Bytes("alive at the end", Line.Old.LiveBytes, Line.New.LiveBytes);
  Out += '\n';
  for (const std::string &Name : Line.Blocks)
    Out += "- " + markdownCode(Name, kLongestName) + '\n';
  if (Line.Shared)
    Out += "\nThe figures are the sum of several lines of this function.\n";
  return Out + '\n';
}

std::string lastNameOf(std::string_view Class) {
  const size_t Arguments = Class.find('<');
  std::string_view Name = Class.substr(0, Arguments);
  const size_t Scope = Name.rfind("::");
  if (Scope != std::string_view::npos)
    Name.remove_prefix(Scope + 2);
  for (const char C : Name)
    if (C == ' ' || C == '*' || C == '&' || C == '(' || C == '[')
      return {};
  return std::string(Name);
}

/// Members with their offsets, and the gaps between them.
static std::string layoutOf(const trace::Trace &In, const trace::Type &Type) {
  std::vector<trace::Field> Fields = In.fields(Type);
  std::ranges::sort(Fields, [](const trace::Field &A, const trace::Field &B) {
    return std::tuple(A.Offset, A.Bit, A.Name) <
           std::tuple(B.Offset, B.Bit, B.Name);
  });
  std::string Out = "```text\noffset  size  member\n";
  const auto Row = [&](uint64_t Offset, uint64_t Size, std::string_view Text) {
    Out += fmt::format("{:>6} {:>5}  {}\n", Offset, Size,
                       printable(plainStyle(), Text));
  };
  uint64_t End = 0, Padding = 0;
  const auto Gap = [&](uint64_t To) {
    if (To <= End)
      return;
    Row(End, To - End, "(padding)");
    Padding += To - End;
  };
  for (const trace::Field &F : Fields) {
    const bool Bits = F.Kind == INMEM_FIELD_BITFIELD;
    if (!Bits)
      Gap(F.Offset);
    std::string Name = simplifyName(F.TypeName);
    Name += F.Kind == INMEM_FIELD_BASE || F.Kind == INMEM_FIELD_VIRTUAL_BASE
                ? " (base)"
            : F.Kind == INMEM_FIELD_VPTR ? "(vtable pointer)"
                                         : " " + std::string(F.Name);
    if (Bits)
      Name += fmt::format(" : {} bits", F.Size);
    const uint64_t Size = Bits ? (F.Bit + uint64_t{F.Size} + 7) / 8 : F.Size;
    Row(F.Offset, Size, Name);
    End = std::max(End, F.Offset + Size);
  }
  if (Type.Size > End && !Fields.empty())
    Gap(Type.Size);
  Out += "```\n";
  return Padding ? Out + exactBytes(Padding) + " of padding\n\n" : Out;
}

/// Members with their counted accesses (accesses=on).
static std::string accessesOf(const TypeResult &T) {
  std::string Out = "```text\noffset  size    reads   writes  member\n";
  bool Opaque = false;
  const auto Count = [](const FieldResult &F, uint64_t N) {
    return F.Padding ? std::string() : N == 0 ? "-" : humanCount(N);
  };
  for (const FieldResult &F : T.Fields) {
    std::string Name = "(padding)";
    if (!F.Padding)
      Name = simplifyName(F.Type) +
             (F.Kind == INMEM_FIELD_BASE || F.Kind == INMEM_FIELD_VIRTUAL_BASE
                  ? " (base)"
                  : " " + (F.Of.empty() ? F.Name
                                        : simplifyName(F.Of) + "::" + F.Name));
    if (F.Kind == INMEM_FIELD_BITFIELD)
      Name += fmt::format(" : {} bits", F.Bits);
    Opaque |= F.Opaque;
    Out += fmt::format(
        "{:>6} {:>5} {:>8} {:>8}  {}\n", F.FirstBit / 8, (F.Bits + 7) / 8,
        (F.exact() ? "" : "≈") + Count(F, F.Reads) + (F.Opaque ? " ?" : ""),
        Count(F, F.Writes), printable(plainStyle(), Name));
  }
  Out += "```\n";
  return Opaque ? Out + "?: code that does not name the field may access it, "
                        "too\n\n"
                : Out;
}

std::string classHover(const Profile &P, const TypeResult &T,
                       const trace::Trace &In, const trace::Type &Type) {
  std::string Out =
      "**" + markdownCode(simplifyName(*T.Name), kLongestName) + "**";
  if (T.Size)
    Out += fmt::format(" · {}, alignment {}", exactBytes(*T.Size),
                       T.Align.value_or(0));
  Out += "\n\n";
  if (!T.Fields.empty())
    Out += accessesOf(T);
  else if (Type.FieldCount > 0)
    Out += layoutOf(In, Type);
  if (T.Packed)
    Out += fmt::format(
        "In the order {} it needs {}.\n\n",
        markdownCode(fmt::format("{}", fmt::join(T.Packed->Order, ", ")), 400),
        exactBytes(T.Packed->Bytes));
  if (T.Sum.Allocations > 0) {
    Out += fmt::format("{} in {} blocks", humanBytes(T.Sum.allocatedBytes()),
                       humanCount(T.Sum.allocations()));
    if (T.PeakLiveBytes)
      Out += ", peak " + humanBytes(*T.PeakLiveBytes);
    Out += T.Sum.LiveAllocations
               ? fmt::format(", {} alive in {}", humanBytes(T.Sum.LiveBytes),
                             humanCount(T.Sum.LiveAllocations))
               : std::string(", none alive at the end");
    Out += "\n\n" + lifetimesOf(P, T.Life) + histogramOf(P, T.Life, T.Sum);
  }
  if (const auto &O = T.Objects) {
    Out += fmt::format("{} objects constructed ({} copies, {} moves)",
                       humanCount(O->constructed()), humanCount(O->Copied),
                       humanCount(O->Moved));
    if (const auto Alive = O->alive())
      Out += fmt::format(", {} alive at the end", humanCount(*Alive));
    Out += "\n\n";
  }
  return Out;
}

} // namespace inmem::tools
