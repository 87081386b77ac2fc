//===- TextResidency.cpp - Resident memory as text ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/SnapshotRows.h"
#include "heap/SnapshotViews.h"
#include "report/model/LibraryCode.h"
#include "report/text/Sheet.h"

#include <fmt/format.h>

namespace inmem::heap {

using namespace report;

namespace {

class ResidencyPrinter {
public:
  ResidencyPrinter(const ResidencyView &View, const Style &Look, size_t Top)
      : H(View.H), R(View.R), V(View), Look(Look), Top(Top) {}

  std::string run() {
    head();
    parts();
    pins();
    remedies();
    untouched();
    owners();
    return std::move(Out);
  }

private:
  void head() {
    Out += paint(Look, Paint::Bold, "RESIDENT") + "  " +
           humanBytes(R.RssBytes) + " of process " +
           std::to_string(H.Header.Pid) + '\n';
    std::vector<std::string> More;
    if (V.PssBytes)
      More.push_back("PSS " + humanBytes(*V.PssBytes));
    if (H.Header.PageTableBytes)
      More.push_back("page tables " + humanBytes(H.Header.PageTableBytes));
    More.push_back("huge pages " + humanBytes(R.HugeBytes));
    More.push_back("swapped out " + humanBytes(R.SwappedBytes));
    if (H.Header.HugetlbBytes)
      More.push_back("hugetlbfs, not in RSS " +
                     humanBytes(H.Header.HugetlbBytes));
    if (const uint64_t Merged = mergedBytes(H).value_or(0))
      More.push_back("merged by KSM " + humanBytes(Merged));
    paragraph(fmt::format("{}", fmt::join(More, Look.Unicode ? " · " : ", ")),
              2);
    if (const auto Missing = missingFeatures(H); Missing && !Missing->empty())
      paragraph(
          fmt::format("not on this kernel: {}", fmt::join(*Missing, ", ")), 2);
    if (H.isPartial())
      paragraph(fmt::format("partial ({}): blocks are missing, so nothing is "
                            "promised of lines",
                            fmt::join(whyPartial(H), ", ")),
                2);
  }

  /// Text broken between words at the width. \p Lead: replaces the first line's
  /// indentation
  void paragraph(const std::string &Text, size_t Indent,
                 std::string_view Lead = {}) {
    Sheet To(Look);
    To.paragraph(Text, Indent, Lead);
    Out += std::move(To).take();
  }

  std::string words(Part P) const {
    const bool IsGlibc = H.Header.Allocator == AllocatorKind::Glibc;
    switch (P) {
    case Part::Live:
      return "live blocks, asked for";
    case Part::Rounding:
      return "rounding and headers";
    case Part::Pinned:
      return "free, PINNED by live blocks";
    case Part::Trim:
      return "free, malloc_trim(0) returns";
    case Part::Kept:
      return IsGlibc ? "free, kept by the allocator" : "whole pages kept";
    case Part::Mapped:
      return "mapped by the program, shared";
    case Part::Files:
      return "files";
    case Part::Stacks:
      return "stacks";
    case Part::Binaries:
      return "binaries";
    case Part::Inmem:
      return "inmem's own";
    case Part::Unknown:
      return "no owner known";
    }
    return {};
  }

  std::string note(Part P) const {
    switch (P) {
    case Part::Pinned:
      return R.bytes(P) ? "by whom: below" : "";
    case Part::Kept:
      if (R.TopBytes || R.CachedBytes)
        return fmt::format("top {}, thread caches {}", humanBytes(R.TopBytes),
                           humanBytes(R.CachedBytes));
      return R.BlocklessBytes ? humanBytes(R.BlocklessBytes) +
                                    " where it has no blocks: its tables too"
             : H.Header.Allocator == AllocatorKind::Jemalloc
                 ? "jemalloc's decay"
                 : "";
    case Part::Inmem:
      return "gone without inmem";
    case Part::Unknown:
      return R.UnrecordedBlocks
                 ? fmt::format("{} without a record: {}",
                               counted(R.UnrecordedBlocks, "block"),
                               humanBytes(R.UnrecordedBytes))
                 : "";
    default:
      return {};
    }
  }

  /// A bar whose length is its share of 16 columns.
  std::string bar(uint64_t Bytes) const {
    constexpr uint64_t kWidth = 16;
    if (R.RssBytes == 0)
      return {};
    const uint64_t Halves = (Bytes * kWidth * 2 + R.RssBytes / 2) / R.RssBytes;
    std::string Text;
    for (uint64_t I = 0; I < Halves / 2; ++I)
      Text += Look.Unicode ? "█" : "#";
    if (Halves % 2 && Look.Unicode)
      Text += "▌";
    return Text;
  }

  void parts() {
    Out += '\n';
    for (size_t I = 0; I < kParts; ++I) {
      const auto P = static_cast<Part>(I);
      if (R.Bytes[I] == 0)
        continue;
      const std::string Bar = bar(R.Bytes[I]), Note = note(P);
      std::string Row =
          fmt::format("  {:<29} {:>9} {:>7}", words(P), humanBytes(R.Bytes[I]),
                      humanShare(R.Bytes[I], R.RssBytes));
      if (!Bar.empty() || !Note.empty())
        Row += "  " + Bar;
      const std::string Gap(11 - std::min<size_t>(10, displayWidth(Bar)), ' ');
      const bool Fits =
          displayWidth(Row) + Gap.size() + displayWidth(Note) <= Look.Width;
      if (!Note.empty() && Fits)
        Row += Gap + Note;
      Row.erase(Row.find_last_not_of(' ') + 1);
      Out += cutEnd(Look, Row, Look.Width) + '\n';
      if (!Note.empty() && !Fits)
        paragraph(Note, 6);
    }
  }

  static Table::Column number(const char *Title, unsigned Importance = 0) {
    return {Title, true, false, Importance};
  }

  std::string ageOf(const Line &L) const {
    return L.TimedBlocks ? humanLifetime(L.AgeUs / L.TimedBlocks * 1000,
                                         Unit::Nanoseconds, Look.Unicode)
                         : "?";
  }

  void pins() {
    std::vector<const Line *> Rows;
    for (const Line &L : R.Lines)
      if (L.HoldsBack)
        Rows.push_back(&L);
    Out += titledTable(
        Look, Top, "WHO PINS",
        {nameColumn("type", 0, kLibraryMemory.size()), number("holds back"),
         number("with live"), number("blocks"), number("kept", 2),
         number("age", 3), number("unwritten", 4), locationColumn(1)},
        Rows,
        [&](const Line *L) -> std::vector<std::string> {
          return {shownBlocks(H, L->Type, L->Site),
                  humanBytes(L->HoldsBack),
                  humanBytes(L->LiveBytes),
                  humanCount(L->Blocks),
                  L->Allocated ? humanShare(std::min(L->Blocks, L->Allocated),
                                            L->Allocated)
                               : "?",
                  ageOf(*L),
                  L->UntouchedBytes ? humanBytes(L->UntouchedBytes) : "",
                  locationCell(H, Look, L->Site)};
        },
        "line");
  }

  std::string linesOf(const Remedy &M) const {
    std::string Text;
    constexpr size_t kShown = 3;
    for (size_t I = 0; I < M.Lines.size() && I < kShown; ++I) {
      const Line &L = R.Lines[M.Lines[I]];
      const std::string Where = locationOf(H, L.Site);
      Text += (I ? ", " : "") + shownBlocks(H, L.Type, L.Site) +
              (Where.empty() ? "" : " of " + Where);
    }
    if (M.Lines.size() > kShown)
      Text += fmt::format(" and {} more", M.Lines.size() - kShown);
    return Text;
  }

  std::string advice(const Remedy &M) const {
    switch (M.What) {
    case Remedy::Kind::Trim:
      return "call malloc_trim(0) here, or set M_TRIM_THRESHOLD";
    case Remedy::Kind::Place:
      return "give these lines a place of their own (inmem optimize): " +
             linesOf(M);
    case Remedy::Kind::Copy:
      return "copy the survivors to a pool or an array (copies by malloc would "
             "fill the same holes), and trim: " +
             linesOf(M);
    case Remedy::Kind::NoHugePages:
      return "no huge pages here: MADV_NOHUGEPAGE, or the tunable "
             "glibc.malloc.hugetlb=0";
    case Remedy::Kind::Decay:
      return "MALLOC_CONF=dirty_decay_ms:0,muzzy_decay_ms:0";
    }
    return {};
  }

  void remedies() {
    if (V.Remedies.empty())
      return;
    Out += '\n' + paint(Look, Paint::Bold, "WHAT RETURNS IT") + '\n';
    for (const Remedy &M : V.Remedies) {
      const std::string Measured =
          M.MeasuredBytes
              ? fmt::format("(measured: {})  ", humanBytes(*M.MeasuredBytes))
              : std::string();
      paragraph(Measured + advice(M), 13,
                fmt::format("  {:>9}", humanBytes(M.SavesBytes)));
    }
    paragraph("Promises are of this moment, not of the peak, and do not add "
              "up.",
              2);
  }

  void untouched() {
    constexpr uint64_t kLeast = 64 << 10;
    std::vector<const Line *> Rows;
    for (const Line &L : R.Lines)
      if (L.UntouchedBytes >= kLeast)
        Rows.push_back(&L);
    std::stable_sort(Rows.begin(), Rows.end(),
                     [](const Line *A, const Line *B) {
                       return A->UntouchedBytes > B->UntouchedBytes;
                     });
    Out += titledTable(
        Look, Top, "NEVER WRITTEN, OR ZERO",
        {nameColumn("type"), number("bytes"), number("of live"),
         number("blocks", 2), locationColumn(1)},
        Rows,
        [&](const Line *L) -> std::vector<std::string> {
          return {shownBlocks(H, L->Type, L->Site),
                  humanBytes(L->UntouchedBytes),
                  humanShare(L->UntouchedBytes, L->LiveBytes),
                  humanCount(L->Blocks), locationCell(H, Look, L->Site)};
        },
        "line");
  }

  std::string nameOf(const Owner &O) const {
    if (O.Of == Part::Stacks)
      return "thread " + std::string(O.Name);
    if (!O.Name.empty())
      return std::string(O.Name);
    if (O.Of != Part::Mapped || O.Site)
      return "(no name)";
    return H.Header.Allocator == AllocatorKind::Glibc
               ? "(mmap=on names callers)"
               : "(by the program or malloc: mmap=on)";
  }

  void owners() {
    std::vector<report::Table::Column> Columns = {
        wordsColumn("name", 0, kLeastOfName),
        {"part", false, false, 0},
        number("resident"),
        number("deepest", 2)};
    const bool HasSites = std::ranges::any_of(
        R.Owners, [](const Owner &O) { return O.Site != 0; });
    if (HasSites)
      Columns.push_back(locationColumn(1));
    Out += titledTable(
        Look, Top, "OTHER OWNERS", std::move(Columns), R.Owners,
        [&](const Owner &O) {
          std::vector<std::string> Cells = {
              printable(Look, nameOf(O)), heap::nameOf(O.Of),
              humanBytes(O.Bytes),
              O.Of == Part::Stacks ? humanBytes(O.Deepest) : ""};
          if (HasSites)
            Cells.push_back(O.Site ? locationCell(H, Look, O.Site) : "");
          return Cells;
        },
        "owner");
  }

  const Heap &H;
  const Residency &R;
  const ResidencyView &V;
  const Style &Look;
  const size_t Top;
  std::string Out;
};

} // namespace

std::string residencyText(const ResidencyView &V, const Style &Look,
                          size_t Top) {
  return ResidencyPrinter(V, Look, Top).run();
}

} // namespace inmem::heap
