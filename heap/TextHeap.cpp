//===- TextHeap.cpp - A snapshot in the terminal --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/SnapshotRows.h"
#include "heap/SnapshotViews.h"
#include "inmem/abi.h"
#include "report/base/Words.h"
#include "report/names/TypeName.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::heap {

using namespace report;

std::string shownType(std::string_view Type) {
  if (Type.empty())
    return "(unknown type)";
  std::string Alias = aliasOf(Type);
  return Alias.empty() ? simplifyName(Type) : Alias;
}

std::string shownBlocks(const Heap &H, std::string_view Type, uint32_t Site) {
  const auto Found = H.Sites.find(Site);
  return Found == H.Sites.end() || Found->second.Alias.empty()
             ? shownType(Type)
             : Found->second.Alias;
}

static std::string fileOf(std::string_view Path) {
  return std::string(Path.substr(Path.rfind('/') + 1));
}

static std::string functionOf(const SourceLocation &P) {
  return P.Function.empty() ? "" : shortFunction(demangle(P.Function));
}

static std::string lineOf(const SourceLocation &P) {
  std::string Text = fileOf(P.File);
  if (P.Function.starts_with(Text + "+0x")) // already in the name
    return {};
  if (P.Line && !Text.empty())
    Text += fmt::format(":{}", P.Line);
  return Text;
}

/// The library's function that allocated for the caller, or empty.
static std::string libraryOf(const Site &S) {
  const std::string By =
      S.Caller ? lastName(demangle(S.Where.Function)) : std::string();
  return By.empty() ? By : "  [" + By + ']';
}

static std::string joined(const std::string &Front, const char *Between,
                          const std::string &Back) {
  return Front.empty() || Back.empty() ? Front + Back : Front + Between + Back;
}

std::string locationOf(const Heap &H, uint32_t Id) {
  const auto Found = H.Sites.find(Id);
  if (Found == H.Sites.end())
    return {};
  const Site &S = Found->second;
  const SourceLocation &P = S.shown();
  const bool IsModule = !P.Line && S.Kind == INMEM_SITE_CALLER;
  return joined(functionOf(P), IsModule ? " in " : " at ", lineOf(P)) +
         libraryOf(S);
}

std::string locationCell(const Heap &H, const Style &Look, uint32_t Id) {
  const auto Found = H.Sites.find(Id);
  if (Found == H.Sites.end())
    return {};
  const Site &S = Found->second;
  const SourceLocation &P = S.shown();
  // A module next to a function would be the last to be cut, and distinguish
  // nothing.
  const std::string Line =
      P.Line || P.Function.empty() ? lineOf(P) : std::string();
  return joined(printable(Look, functionOf(P)), "  ", printable(Look, Line)) +
         printable(Look, libraryOf(S));
}

/// "Cache.entries[]", "Table+0x10".
static std::string variableText(const Heap &H, const Root &R) {
  const std::string &Name = H.Variables[R.Variable - 1].Name;
  if (R.Offset != kByType)
    return R.Offset ? fmt::format("{}+{:#x}", Name, R.Offset) : Name;
  return memberText(Name, H.label(R.Path));
}

static std::string rootText(const Heap &H, const Root &R) {
  std::string Where = fileOf(H.label(R.Where));
  if (R.Variable && R.Kind == RootKind::ThreadLocal)
    return fmt::format("thread-local {} of {}", variableText(H, R), Where);
  if (R.Variable)
    return "global " + variableText(H, R);
  switch (R.Kind) {
  case RootKind::Global:
    return fmt::format("global {}+{:#x}", Where, R.Offset);
  case RootKind::Stack:
    return "stack of " + Where;
  case RootKind::ThreadLocal:
    return "thread-local of " + Where;
  case RootKind::Register:
    return "register of " + Where;
  }
  return Where;
}

std::string wayText(const Heap &H, const Analysis &A, uint32_t Object) {
  std::string Text;
  constexpr size_t kShown = 12;
  const auto Path = pathTo(A, Object);
  for (size_t I = 0; I < Path.size(); ++I) {
    if (Path.size() > kShown && I == kShown / 2) {
      const size_t Left = Path.size() - kShown;
      Text += fmt::format(" -> ({} more)", Left);
      I += Left;
    }
    const Analysis::Step &S = Path[I];
    if (S.From == kNoNode) {
      Text += rootText(H, H.Roots[S.Via]);
      continue;
    }
    const std::string_view Label = H.labelOf(S.Via);
    Text += " -> " + memberText(shownType(H.typeName(S.From)), Label);
    if (Label.empty() && H.kindOf(S.Via) == EdgeKind::Guess)
      Text += " (guessed)";
  }
  if (Path.empty())
    return nameOf(A.Reaches[Object]);
  return Text;
}

std::string memberText(std::string_view Owner, std::string_view Field) {
  const bool HasDot = !Field.empty() && Field[0] != '[';
  return std::string(Owner) + (HasDot ? "." : "") + std::string(Field);
}

std::vector<std::string> whyPartial(const Heap &H) {
  std::vector<std::string> Out;
  if (H.Header.Flags & kFlagSampled)
    Out.push_back("sampled");
  if (H.Header.Flags & kFlagFiltered)
    Out.push_back("filtered");
  if (H.Header.Flags & kFlagStopped)
    Out.push_back("recording was off for a while");
  if (H.Header.Flags & kFlagAttached)
    Out.push_back("attached to the running program");
  return Out;
}

namespace {

class Printer {
public:
  Printer(const Heap &H, const Analysis &A, const Style &Look, size_t Top)
      : H(H), A(A), Look(Look), Top(Top) {}

  std::string run() {
    head();
    leaks();
    types();
    collections();
    roots();
    duplicates();
    sparse();
    padding();
    return std::move(Out);
  }

private:
  template <class T, class Row>
  void table(const char *Title, std::vector<Table::Column> Columns,
             const std::vector<T> &All, Row MakeRow, const char *What) {
    Out +=
        titledTable(Look, Top, Title, std::move(Columns), All, MakeRow, What);
  }
  static Table::Column number(const char *Title, unsigned Importance = 0) {
    return {Title, true, false, Importance};
  }
  static Table::Column text(const char *Title, unsigned Importance) {
    return {Title, false, false, Importance};
  }

  /// Appends parts to a line, which is broken between them if it gets too long.
  void line(std::string_view Lead, const std::vector<std::string> &Parts) {
    constexpr size_t kIndent = 6;
    Out += paint(Look, Paint::Bold, Lead) +
           std::string(kIndent - Lead.size(), ' ');
    size_t Used = kIndent;
    for (size_t I = 0; I < Parts.size(); ++I) {
      const std::string Part = Parts[I] + (I + 1 < Parts.size() ? "," : "");
      const size_t Own = displayWidth(Part), Gap = Used > kIndent ? 1 : 0;
      const bool Breaks = Gap && Used + Gap + Own > Look.Width;
      Out +=
          (Breaks ? '\n' + std::string(kIndent, ' ') : std::string(Gap, ' ')) +
          Part;
      Used = Breaks ? kIndent + Own : Used + Gap + Own;
    }
    Out += '\n';
  }

  void head() {
    line("HEAP",
         {fmt::format("process {}", H.Header.Pid),
          counted(H.objects(), "object"),
          humanCount(H.EdgeTo.size()) + " edges",
          "stopped for " + humanLifetime(H.Header.PauseNs, Unit::Nanoseconds,
                                         Look.Unicode)});
    if (H.isPartial()) {
      line("",
           {humanBytes(A.Bytes) + " in all",
            humanBytes(A.ReachableBytes) + " reachable by what was recorded"});
      line("", {fmt::format("partial ({}): nothing is called a leak",
                            fmt::join(whyPartial(H), ", ")),
                "and retained sizes are of what was recorded"});
      return;
    }
    line("", {humanBytes(A.Bytes) + " in all",
              humanBytes(A.ReachableBytes) + " reachable",
              humanBytes(A.UnreachableBytes) + " unreachable"});
    if (A.LeakedObjects == 0)
      Out += "      no leaks\n";
  }
  void leaks() {
    std::vector<Leak> Heads;
    for (const Leak &L : A.Leaks)
      if (L.How != Reach::HeldByLeaked)
        Heads.push_back(L);
    table(
        "LEAKS",
        {nameColumn("type"), number("objects"), number("bytes"),
         number("retained"), number("age", 2), wordsColumn("verdict", 3, 11),
         locationColumn(1)},
        Heads,
        [&](const Leak &L) -> std::vector<std::string> {
          return {shownBlocks(H, L.Type, L.Site),
                  humanCount(L.Objects),
                  humanBytes(L.Bytes),
                  humanBytes(L.Retained),
                  L.AgeNs
                      ? humanLifetime(*L.AgeNs, Unit::Nanoseconds, Look.Unicode)
                      : "?",
                  nameOf(L.How),
                  locationCell(H, Look, L.Site)};
        },
        "leak");
  }
  void types() {
    table(
        "TYPES",
        {nameColumn("type"), number("objects"), number("bytes"),
         number("retained"), number("share", 1)},
        A.Kinds,
        [&](const KindSum &K) -> std::vector<std::string> {
          return {A.Names[K.Name], humanCount(K.Objects), humanBytes(K.Bytes),
                  humanBytes(K.Retained), humanShare(K.Retained, A.Bytes)};
        },
        "type");
  }
  static std::string member(std::string_view Owner, std::string_view Field) {
    return memberText(shownType(Owner), Field);
  }
  void collections() {
    table(
        "LARGEST COLLECTIONS",
        {nameColumn("where"), nameColumn("container", 1), number("elements"),
         number("retained")},
        A.Collections,
        [&](const Collection &C) -> std::vector<std::string> {
          return {member(C.Owner, C.Field), shownType(C.Container),
                  humanCount(C.Elements), humanBytes(C.Retained)};
        },
        "collection");
  }
  void roots() {
    static constexpr const char *kKinds[] = {"globals", "stack", "thread-local",
                                             "registers"};
    table(
        "ROOTS",
        {nameColumn("where"), text("kind", 0), number("objects"),
         number("retained"), number("only from here", 1)},
        A.Roots,
        [&](const RootSum &R) -> std::vector<std::string> {
          return {fileOf(R.Where), kKinds[static_cast<size_t>(R.Kind) & 3],
                  humanCount(R.Objects), humanBytes(R.Retained),
                  humanBytes(R.Alone)};
        },
        "root");
  }
  void duplicates() {
    table(
        "DUPLICATES",
        {nameColumn("type"), number("copies"), number("contents", 2),
         number("bytes each"), number("wasted"), locationColumn(1)},
        A.Duplicates,
        [&](const Duplicate &D) -> std::vector<std::string> {
          return {
              shownBlocks(H, D.Type, D.Site), humanCount(D.Copies),
              humanCount(D.Contents),         humanBytes(D.Size),
              humanBytes(D.wasted()),         locationCell(H, Look, D.Site)};
        },
        "place");
  }
  void sparse() {
    table(
        "SPARSE CONTAINERS",
        {nameColumn("where"), nameColumn("container", 2), number("containers"),
         number("used"), number("wasted")},
        A.SparseOnes,
        [&](const Sparse &S) -> std::vector<std::string> {
          return {member(S.Owner, S.Field), shownType(S.Container),
                  humanCount(S.Containers), humanShare(S.Elements, S.Capacity),
                  humanBytes(S.Wasted)};
        },
        "place");
  }
  /// The members in the better order; for a long list, the beginning.
  static std::string orderOf(const Padding &P) {
    constexpr size_t kRoom = 40;
    std::string Out;
    for (size_t I = 0; I < P.Order.size(); ++I) {
      if (I > 0 && Out.size() + P.Order[I].size() > kRoom)
        return Out + fmt::format(", … {} more", P.Order.size() - I);
      (Out += I > 0 ? ", " : "") += P.Order[I];
    }
    return Out;
  }
  void padding() {
    table(
        "PADDING",
        {nameColumn("type"), number("objects"), number("bytes each"),
         number("bytes"),
         wordsColumn("order without padding", 1, kLeastOfName)},
        A.Paddings,
        [&](const Padding &P) -> std::vector<std::string> {
          return {shownType(P.Type), humanCount(P.Objects),
                  humanBytes(P.BytesEach), humanBytes(P.bytes()),
                  printable(Look, orderOf(P))};
        },
        "type");
  }

  const Heap &H;
  const Analysis &A;
  const Style &Look;
  const size_t Top;
  std::string Out;
};

} // namespace

std::string textOf(const Heap &H, const Analysis &A, const Style &Look,
                   size_t Top) {
  return Printer(H, A, Look, Top).run();
}

std::string whyText(const Heap &H, const Analysis &A, const Style &Look,
                    const std::string &Type, size_t Top) {
  std::vector<uint32_t> Objects;
  for (uint32_t I = 0; I < H.objects(); ++I) {
    const std::string_view Name = H.typeName(I);
    if (Name == Type || matchesGlob(Type, Name) ||
        matchesGlob(Type, shownType(Name)) || matchesGlob(Type, A.name(I)))
      Objects.push_back(I);
  }
  std::stable_sort(Objects.begin(), Objects.end(), [&](uint32_t X, uint32_t Y) {
    return A.Retained[X] > A.Retained[Y];
  });
  std::string Out;
  const auto Shown = firstOf(Objects, Top);
  for (const uint32_t Object : Shown) {
    Out += fmt::format("{} at {:#x}: {}, retains {}\n", A.name(Object),
                       H.Address[Object], humanBytes(H.Size[Object]),
                       humanBytes(A.Retained[Object]));
    if (const std::string Made = locationOf(H, H.SiteOf[Object]); !Made.empty())
      Out += "    allocated by " + printable(Look, Made) + '\n';
    Out += "    " + printable(Look, wayText(H, A, Object)) + '\n';
  }
  if (Shown.size() < Objects.size())
    Out += moreRows(Look, Objects.size() - Shown.size(), "object") + '\n';
  return Out;
}

} // namespace inmem::heap
