//===- StackReport.cpp - Stacks and blame as text, JSON and CSV -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/ApartNames.h"
#include "report/text/ViewReports.h"

#include "report/base/Units.h"
#include "report/model/StackTree.h"
#include "report/names/TypeName.h"
#include "report/text/LocationText.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

std::string_view wordFor(StackFrame::Kind How) {
  switch (How) {
  case StackFrame::Kind::Call:
    return "call";
  case StackFrame::Kind::Inlined:
    return "inlined";
  case StackFrame::Kind::TailCall:
    return "tail call";
  case StackFrame::Kind::Signal:
    return "signal";
  case StackFrame::Kind::Cut:
    return "cut";
  case StackFrame::Kind::Lost:
    return "lost";
  }
  return "";
}

namespace {

std::string_view calledBy(const Style &S) { return S.Unicode ? " ← " : " < "; }

/// The functions of a stack, the innermost first, with consecutive duplicates
/// merged, without the library's if there are others.
std::vector<std::string> ownFunctions(const Profile &P,
                                      const std::vector<uint32_t> &Frames) {
  std::vector<std::string> All, Own;
  const auto Add = [](std::vector<std::string> &To, const std::string &Name) {
    if (To.empty() || To.back() != Name)
      To.push_back(Name);
  };
  for (auto I = Frames.rbegin(); I != Frames.rend(); ++I) {
    const StackFrame &F = P.Calls.Frames[*I];
    Add(All, F.Where.Function);
    if (!isLibrary(F))
      Add(Own, F.Where.Function);
  }
  return Own.empty() ? All : Own;
}

/// The start of the words after a call, such as ` (inlined)`.
size_t wordsOf(std::string_view Text) {
  size_t End = Text.size();
  for (bool Found = true; Found;) {
    Found = false;
    for (const std::string_view Word :
         {" (inlined)", " (tail call)", " (recursive)"})
      if (Text.substr(0, End).ends_with(Word)) {
        End -= Word.size();
        Found = true;
      }
  }
  return End;
}

/// Lines of the tree that fitCall() made equal: each has its depth and, if
/// there is room, the file with its line.
std::vector<std::string> apartCalls(const Style &S,
                                    const std::vector<std::string_view> &Lines,
                                    size_t Width) {
  std::vector<std::string_view> Calls;
  std::vector<size_t> Depths;
  for (const std::string_view Line : Lines) {
    Depths.push_back(std::min(Line.find_first_not_of(' '), Line.size()));
    Calls.push_back(Line.substr(0, wordsOf(Line)).substr(Depths.back()));
  }
  const size_t Deepest = std::ranges::max(Depths);
  std::vector<std::string> Out =
      apartLocations(S, Calls, Width - std::min(Width - 1, Deepest));
  for (size_t I = 0; I < Out.size(); ++I)
    Out[I].insert(0, Depths[I], ' ');
  return Out;
}

/// Fits a line of the tree. Keeps its depth and, if there is room, the whole
/// function: directories are dropped first, then the file, then the words after
/// it.
std::string fitCall(const Style &S, std::string_view Text, size_t Width) {
  if (displayWidth(Text) <= Width)
    return std::string(Text);
  const size_t Depth = std::min(Text.find_first_not_of(' '), Text.size());
  const size_t End = wordsOf(Text);
  const std::string Indent(Text.substr(0, Depth)), Words(Text.substr(End));
  const std::string_view Call = Text.substr(Depth, End - Depth);
  const auto [Function, Location] = splitLocation(Call);
  const std::string_view File = Location.substr(Location.rfind('/') + 1);
  const size_t Used = Depth + displayWidth(Function) + Words.size() + 2;
  if (!Location.empty() && Used + displayWidth(File) + 2 <= Width)
    return Indent + std::string(Function) + "  " +
           fitPath(S, Location, Width - Used) + Words;
  // The file with its line is dropped last, after the function's namespaces and
  // arguments.
  constexpr size_t kLeast = 12; // columns for the function name
  const size_t Own = std::min(displayWidth(Function), kLeast);
  if (!Location.empty() && Depth + Own + 2 + displayWidth(File) <= Width)
    return Indent +
           fitLocation(S, fmt::format("{}  {}", Function, File), Width - Depth);
  for (const std::string &Behind : {Words, std::string()})
    if (Depth + displayWidth(Function) + Behind.size() <= Width)
      return fmt::format("{}{}{}", Indent, Function, Behind);
  return Depth < Width ? Indent + fitLocation(S, Function, Width - Depth)
                       : cutEnd(S, Text, Width);
}

class TreeText {
public:
  TreeText(const Profile &Of, const View &With, const Style &Look)
      : P(Of), V(With), S(Look), Main(mainBytes(Of)) {}
  std::string run();

private:
  void node(const StackNode &N, unsigned Depth);
  void children(const StackNode &N, unsigned Depth);
  /// Deep stacks leave half of the width to names.
  std::string indent(unsigned Depth) const {
    return std::string(std::min<size_t>(Depth, S.Width / 4), ' ');
  }

  const Profile &P;
  const View &V;
  const Style &S;
  const MainBytes Main;
  Table T;
  bool HasCut = false; ///< some stack exceeds stacks=N
};

void TreeText::node(const StackNode &N, unsigned Depth) {
  const StackFrame &F = P.Calls.Frames[N.Frame];
  std::string Name = frameText(S, F);
  if (N.Recursive)
    Name += " (recursive)";
  std::vector<std::string> Cells = {
      humanBytes(N.Inclusive.Sum.AllocatedBytes),
      humanShare(N.Inclusive.Sum.AllocatedBytes, Main.Whole)};
  if (!V.Stacks.BottomUp)
    Cells.push_back(bytesOrDash(N.Self.Sum.AllocatedBytes));
  const auto Mean = N.Inclusive.meanLifetime();
  Cells.insert(Cells.end(),
               {humanCount(N.Inclusive.Sum.allocations()),
                bytesOrDash(N.Inclusive.Sum.liveBytes()),
                Mean ? humanLifetime(*Mean, P.LifetimeUnit, S.Unicode) : "-",
                indent(Depth) + Name});
  T.row(std::move(Cells));
  HasCut |= F.How == StackFrame::Kind::Cut;
  children(N, Depth + 1);
}

/// Each call is indented by a column, and by one more where paths branch.
void TreeText::children(const StackNode &N, unsigned Depth) {
  Depth += N.Children.size() > 1;
  size_t Shown = 0;
  uint64_t Rest = 0;
  for (const StackNode &C : N.Children) {
    const uint64_t Bytes = C.Inclusive.Sum.AllocatedBytes;
    // Leaves out less than a hundredth of the total, unless everything is
    // wanted.
    if (Bytes < V.MinBytes ||
        (V.Top != 0 && (Shown >= V.Top || Bytes < Main.Whole / 100))) {
      Rest += Bytes;
      continue;
    }
    ++Shown;
    node(C, Depth);
  }
  if (Rest == 0)
    return;
  std::vector<std::string> Cells(T.columns());
  Cells[0] = humanBytes(Rest);
  Cells[1] = humanShare(Rest, Main.Whole);
  Cells.back() =
      indent(Depth) + fmt::format("({} smaller)", N.Children.size() - Shown);
  T.row(std::move(Cells));
}

std::string TreeText::run() {
  T.column({Main.Title});
  T.column({"share", true, false, 1});
  if (!V.Stacks.BottomUp)
    T.column({"self", true, false, 3});
  T.column({"blocks"});
  T.column({"live", true, false, 4});
  T.column({"mean life", true, false, 5});
  T.column({.Title = V.Stacks.BottomUp ? "allocated by, called by" : "calls",
            .Right = false,
            .Flexible = true,
            .With = Paint::Bold,
            .Fit = fitCall,
            .Narrowest = S.Width * 2 / 5,
            .Apart = apartCalls,
            .Tree = true});
  children(buildTree(P, V.Stacks), 0);
  std::string Out = T.render(S);
  if (HasCut)
    Out += paint(S, Paint::Dim,
                 fmt::format("  (more callers): {} were recorded; "
                             "INMEM_OPTIONS=stacks={} records more",
                             counted(P.Calls.Deepest, "frame"),
                             2 * P.Calls.Deepest)) +
           '\n';
  return Out;
}

std::string noStacksText(const Profile &P) {
  return P.Calls.Deepest > 0
             ? "  no call stacks in the part that was chosen\n"
             : "  no call stacks in these traces (record with stacks=16)\n";
}

void blameTable(const BlameResult &B, const View &V, uint64_t Whole,
                const Style &S, size_t Methods, Table &T) {
  size_t Shown = 0;
  const auto Row = [&](const BlameShare &Share, unsigned Indent) {
    T.row({bytesOrDash(Share.DirectBytes),
           Share.DirectBytes > 0 ? humanShare(Share.DirectBytes, Whole) : "-",
           Share.DirectBlocks > 0 ? humanCount(Share.DirectBlocks) : "-",
           humanBytes(Share.Bytes), humanShare(Share.Bytes, Whole),
           bytesOrDash(Share.LiveBytes),
           std::string(Indent, ' ') + printable(S, Share.Name)});
  };
  for (const BlameRow &R : B.Classes) {
    if (V.Top != 0 && Shown++ >= V.Top)
      break;
    Row(R, 0);
    // A function outside of classes is its own method.
    if (R.Methods.size() == 1 && R.Methods.front().Name == R.Name)
      continue;
    for (size_t I = 0; I < R.Methods.size() && I < Methods; ++I)
      Row(R.Methods[I], 2);
  }
  if (B.NobodyBytes > 0)
    T.row({humanBytes(B.NobodyBytes), humanShare(B.NobodyBytes, Whole),
           humanCount(B.NobodyBlocks), "", "", "", "(no frame that matters)"});
}

Table blameColumns() {
  Table T;
  T.column({"direct"});
  T.column({"share", true, false, 2});
  T.column({"blocks", true, false, 3});
  T.column({"in all"});
  T.column({"share", true, false, 4});
  T.column({"live", true, false, 5});
  T.column({"class, method", false, true, 0, Paint::Bold, shortenName});
  return T;
}

} // namespace

std::string frameText(const Style &S, const StackFrame &F) {
  std::string Text = F.How == StackFrame::Kind::Call ||
                             F.How == StackFrame::Kind::Inlined ||
                             F.How == StackFrame::Kind::TailCall
                         ? locationText(S, F.Where)
                         : F.Where.Function;
  if (F.How == StackFrame::Kind::Inlined || F.How == StackFrame::Kind::TailCall)
    Text += fmt::format(" ({})", wordFor(F.How));
  return Text;
}

std::string stackLine(const Style &S, std::span<const std::string> Functions) {
  std::string Line;
  for (const std::string &Function : Functions) {
    if (!Line.empty())
      Line += calledBy(S);
    Line += printable(S, shortFunction(Function));
  }
  return Line;
}

std::string fitStack(const Style &S, std::string_view Text, size_t Width) {
  if (displayWidth(Text) <= Width)
    return std::string(Text);
  const std::string_view Arrow = calledBy(S);
  const std::string Rest = std::string(Arrow) + (S.Unicode ? "…" : "..");
  const size_t Room = Width - std::min(Width, displayWidth(Rest));
  size_t Kept = 0;
  for (size_t End = Text.find(Arrow); End != std::string_view::npos &&
                                      displayWidth(Text.substr(0, End)) <= Room;
       End = Text.find(Arrow, End + Arrow.size()))
    Kept = End;
  if (Kept > 0)
    return std::string(Text.substr(0, Kept)) + Rest;
  const size_t Innermost = Text.find(Arrow);
  return Innermost == std::string_view::npos
             ? fitLocation(S, Text, Width)
             : fitLocation(S, Text.substr(0, Innermost), Room) + Rest;
}

std::string stackTreeText(const Profile &P, const View &V, const Style &S) {
  if (P.Calls.empty())
    return noStacksText(P);
  return TreeText(P, V, S).run();
}

std::string stacksOfTypeText(const Profile &P, const TypeRow &Of,
                             const Style &S, size_t Most) {
  Table T;
  const MainBytes Main = mainBytes(P);
  const Counts &OfType = Of.sum();
  T.column({Main.Title});
  T.column({"share", true, false, 1});
  T.column({"blocks"});
  T.column({"live", true, false, 2});
  T.column({"median", true, false, 3});
  T.column({"by stack", false, true, 0, Paint::None, fitStack});
  size_t Shown = 0;
  for (const StackResult &R : P.Calls.Stacks) {
    if (!Of.has(P, R.Type, R.Site))
      continue;
    if (Shown++ >= Most)
      break;
    T.row({humanBytes(R.Sum.AllocatedBytes),
           humanShare(R.Sum.AllocatedBytes, OfType.allocatedBytes()
                                                ? OfType.AllocatedBytes
                                                : Main.Whole),
           humanCount(R.Sum.allocations()), bytesOrDash(R.Sum.liveBytes()),
           R.P50 ? humanLifetime(*R.P50, P.LifetimeUnit, S.Unicode) : "-",
           stackLine(S, ownFunctions(P, R.Frames))});
  }
  return T.empty() ? std::string() : T.render(S, 4);
}

std::string blameText(const Profile &P, const View &V, const Style &S) {
  if (P.Calls.empty())
    return noStacksText(P);
  Table T = blameColumns();
  constexpr size_t kMethods = 5, kTypeMethods = 0;
  blameTable(blame(P, V.Blame), V, P.Totals.AllocatedBytes, S, kMethods, T);
  std::string Out = T.render(S);
  View Few = V;
  constexpr size_t kEach = 5;
  Few.Top = V.Top == 0 ? 0 : std::min(V.Top, kEach);
  for (const TypeRow &R : selectTypeRows(P, V)) {
    const BlameResult B = blame(P, V.Blame, &R);
    if (B.Classes.empty())
      continue;
    Table Each = blameColumns();
    blameTable(B, Few, R.sum().AllocatedBytes, S, kTypeMethods, Each);
    Out += '\n' +
           paint(S, Paint::Bold,
                 "  " + shortenName(S, typeText(S, R), S.Width - 2)) +
           '\n' + Each.render(S, 4);
  }
  return Out;
}

} // namespace inmem::report
