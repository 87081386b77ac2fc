//===- Edits.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Edits.h"

#include "fix/code/Database.h"
#include "fix/code/ToolingCompat.h"

#include "clang/Format/Format.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <sstream>

using namespace clang;
using llvm::StringRef;
using llvm::Twine;

namespace inmem::fix {

/// Adds an edit. Insertions at one position are appended in order, and two
/// includes of one header become one. \returns false if it overlaps another.
static bool addTo(tooling::Replacements &All, const tooling::Replacement &New) {
  const StringRef Text = New.getReplacementText();
  for (const tooling::Replacement &R : All)
    if (R.getOffset() == New.getOffset() && R.getLength() == 0 &&
        New.getLength() == 0 && Text.substr(0, 8) == "#include" &&
        R.getReplacementText().contains(Text))
      return true;
  llvm::Error E = All.add(New);
  if (!E)
    return true;
  llvm::consumeError(std::move(E));
  if (New.getLength() != 0)
    return false;
  for (const tooling::Replacement &R : All)
    if (R.getOffset() < New.getOffset() &&
        New.getOffset() < R.getOffset() + R.getLength())
      return false;
  All = All.merge(tooling::Replacements(tooling::Replacement(
      New.getFilePath(), All.getShiftedCodePosition(New.getOffset()), 0,
      Text)));
  return true;
}

void Editor::replace(CharSourceRange R, const Twine &Text) {
  if (!isWritten(S, R.getAsRange())) {
    Out.Refusal = "the code comes from a macro, or from another file";
    return;
  }
  add(R, Text);
}

void Editor::replaceElsewhere(CharSourceRange R, const Twine &Text) {
  const SourceLocation Begin = R.getBegin(), End = R.getEnd();
  if (Begin.isInvalid() || !Begin.isFileID() || !End.isFileID() ||
      S.SM.getFileID(Begin) != S.SM.getFileID(End) ||
      S.SM.isInSystemHeader(Begin)) {
    Out.Refusal = "the code comes from a macro, or from another file";
    return;
  }
  add(R, Text);
}

void Editor::add(CharSourceRange R, const Twine &Text) {
  const std::string File =
      canonical(compat::realPath(S.SM, S.SM.getFileID(R.getBegin())));
  const unsigned Begin = S.SM.getFileOffset(R.getBegin());
  unsigned End = S.SM.getFileOffset(R.getEnd());
  if (R.isTokenRange())
    End += Lexer::MeasureTokenLength(R.getEnd(), S.SM, S.Context.getLangOpts());
  auto &All = Out.Edits.try_emplace(File).first->second;
  tooling::Replacement New(File, Begin, End - Begin, Text.str());
  if (!addTo(All, New))
    Out.Refusal = "its edits would overlap";
}

void Editor::insert(SourceLocation At, const Twine &Text) {
  replace(CharSourceRange::getCharRange(At, At), Text);
}

static std::string indented(StringRef Text, StringRef Indent) {
  std::string All;
  llvm::SmallVector<StringRef, 8> Lines;
  Text.split(Lines, '\n');
  for (StringRef Line : Lines)
    All += (Line + "\n" + Indent).str();
  return All;
}

void Editor::insertBefore(const Stmt &Before, StringRef Text) {
  const Stmt *Around = parentOf(S, Before);
  const SourceLocation Begin = Before.getBeginLoc();
  const std::string Indent = indentOf(S, Begin);
  if (Around && isa<CompoundStmt>(Around)) {
    insert(Begin, isFirstOnLine(S, Begin) ? indented(Text, Indent)
                                          : (Text + "\n" + Indent).str());
    return;
  }
  SourceLocation End = behindSemicolon(S, Before.getSourceRange());
  if (End.isInvalid() && isa<CompoundStmt, IfStmt, ForStmt, WhileStmt,
                             CXXForRangeStmt, SwitchStmt, CXXTryStmt>(Before))
    End = Lexer::getLocForEndOfToken(Before.getEndLoc(), 0, S.SM,
                                     S.Context.getLangOpts());
  if (End.isInvalid()) {
    Out.Refusal = "the statement's end is not written there";
    return;
  }
  const std::string Inner = Indent + "  ";
  insert(Begin, "{\n" + Inner + indented(Text, Inner));
  insert(End, "\n" + Indent + "}");
}

void Editor::replaceStatement(const Stmt &Old, StringRef Text) {
  const SourceLocation End = behindSemicolon(S, Old.getSourceRange());
  if (End.isInvalid()) {
    Out.Refusal = "the statement's end is not written there";
    return;
  }
  const std::string All = indented(Text, indentOf(S, Old.getBeginLoc()));
  replace(CharSourceRange::getCharRange(Old.getBeginLoc(), End),
          StringRef(All).rtrim());
}

void Editor::removeStatement(SourceRange R) {
  const SourceLocation End = behindSemicolon(S, R);
  if (End.isInvalid()) {
    Out.Refusal = "the statement's end is not written there";
    return;
  }
  auto [File, Last] = S.SM.getDecomposedLoc(End);
  const StringRef Buffer = S.SM.getBufferData(File);
  unsigned First = S.SM.getFileOffset(R.getBegin());
  const size_t Break = Buffer.find('\n', Last);
  if (isFirstOnLine(S, R.getBegin()) && Break != StringRef::npos &&
      Buffer.slice(Last, Break).trim().empty()) {
    First -= static_cast<unsigned>(indentOf(S, R.getBegin()).size());
    Last = static_cast<unsigned>(Break + 1);
  }
  const SourceLocation Start = S.SM.getLocForStartOfFile(File);
  replace(CharSourceRange::getCharRange(
              Start.getLocWithOffset(static_cast<int>(First)),
              Start.getLocWithOffset(static_cast<int>(Last))),
          "");
}

void Editor::addInclude(StringRef Header) {
  const StringRef Buffer = S.SM.getBufferData(S.File);
  const std::string Line = ("#include <" + Header + ">").str();
  if (Buffer.contains(Line))
    return;
  // Insert after the last include outside any #if.
  size_t At = StringRef::npos, Offset = 0;
  int Depth = 0;
  StringRef Rest = Buffer;
  while (!Rest.empty()) {
    const size_t Break = Rest.find('\n');
    const StringRef One =
        Break == StringRef::npos ? Rest : Rest.substr(0, Break + 1);
    const StringRef Text = One.ltrim();
    if (Text.substr(0, 3) == "#if")
      ++Depth;
    else if (Text.substr(0, 6) == "#endif")
      --Depth;
    else if (Text.substr(0, 8) == "#include" && Depth == 0)
      At = Offset + One.size();
    Offset += One.size();
    Rest = Rest.substr(One.size());
  }
  if (At == StringRef::npos) {
    Out.Refusal = "the file has no #include to put another behind";
    return;
  }
  insert(
      S.SM.getLocForStartOfFile(S.File).getLocWithOffset(static_cast<int>(At)),
      Line + "\n");
}

Proposal Editor::done(std::string Summary) {
  if (!Out.Refusal.empty())
    return refuse(Out.Refusal);
  Out.Summary = std::move(Summary);
  return std::move(Out);
}

std::string relativeTo(StringRef Root, StringRef Path) {
  if (isBelow(Path, Root) && Path != Root)
    return Path.substr(Root.size() + (Root == "/" ? 0 : 1)).str();
  return Path.str();
}

static std::optional<std::string> contentOf(StringRef File) {
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  if (!Buffer)
    return std::nullopt;
  return (*Buffer)->getBuffer().str();
}

void layOut(FileEdits &Edits) {
  for (auto &[File, All] : Edits) {
    const auto Code = contentOf(File);
    auto Style = format::getStyle("file", File, "none");
    if (!Code || !Style) {
      if (!Style)
        llvm::consumeError(Style.takeError());
      continue;
    }
    if (auto Formatted = format::formatReplacements(*Code, All, *Style))
      All = *Formatted;
    else
      llvm::consumeError(Formatted.takeError());
  }
}

bool merge(FileEdits &All, const FileEdits &More) {
  FileEdits Both = All;
  for (const auto &[File, Edits] : More)
    for (const tooling::Replacement &R : Edits)
      if (!addTo(Both[File], R))
        return false;
  All = std::move(Both);
  return true;
}

std::vector<StringRef> linesOf(StringRef Text) {
  std::vector<StringRef> Out;
  while (!Text.empty()) {
    const size_t Break = Text.find('\n');
    const size_t Size = Break == StringRef::npos ? Text.size() : Break + 1;
    Out.push_back(Text.substr(0, Size));
    Text = Text.substr(Size);
  }
  return Out;
}

static size_t lineAt(const std::vector<size_t> &Starts, size_t Offset) {
  return static_cast<size_t>(
             std::upper_bound(Starts.begin(), Starts.end(), Offset) -
             Starts.begin()) -
         1;
}

std::vector<Change> changesOf(StringRef Code,
                              const tooling::Replacements &All) {
  const std::vector<StringRef> Lines = linesOf(Code);
  std::vector<size_t> Starts;
  size_t Offset = 0;
  for (StringRef Line : Lines) {
    Starts.push_back(Offset);
    Offset += Line.size();
  }
  Starts.push_back(Offset);
  std::vector<Change> Out;
  std::vector<std::vector<tooling::Replacement>> Groups;
  for (const tooling::Replacement &R : All) {
    const size_t First = lineAt(Starts, R.getOffset());
    const size_t End = R.getOffset() + R.getLength();
    const size_t Last = std::min(
        Lines.size(),
        std::max(First + 1, lineAt(Starts, End) +
                                (Starts[lineAt(Starts, End)] < End ? 1 : 0)));
    if (!Out.empty() && First < Out.back().Last) {
      Out.back().Last = std::max(Out.back().Last, Last);
      Groups.back().push_back(R);
    } else {
      Out.push_back({First, Last, {}});
      Groups.push_back({R});
    }
  }
  for (size_t I = 0; I < Out.size(); ++I) {
    size_t At = Starts[Out[I].First];
    for (const tooling::Replacement &R : Groups[I]) {
      Out[I].New +=
          Code.slice(At, R.getOffset()).str() + R.getReplacementText().str();
      At = R.getOffset() + R.getLength();
    }
    Out[I].New += Code.slice(At, Starts[Out[I].Last]).str();
    // Trim lines that the edit leaves unchanged.
    while (Out[I].First < Out[I].Last &&
           StringRef(Out[I].New).rtrim("\n").size() >=
               Lines[Out[I].Last - 1].rtrim("\n").size() &&
           StringRef(Out[I].New)
               .substr(0, Out[I].New.size())
               .ends_with(("\n" + Lines[Out[I].Last - 1]).str())) {
      Out[I].New.resize(Out[I].New.size() - Lines[Out[I].Last - 1].size());
      --Out[I].Last;
    }
  }
  return Out;
}

namespace {

void printLines(llvm::raw_ostream &OS, char Sign, StringRef Text) {
  for (StringRef Line : linesOf(Text)) {
    OS << Sign << Line;
    if (!Line.ends_with("\n"))
      OS << "\n\\ No newline at end of file\n";
  }
}

void printHunks(llvm::raw_ostream &OS, StringRef Code,
                const std::vector<Change> &Changes) {
  constexpr size_t kContext = 3;
  const std::vector<StringRef> Lines = linesOf(Code);
  long Shift = 0;
  for (size_t I = 0; I < Changes.size();) {
    size_t J = I;
    while (J + 1 < Changes.size() &&
           Changes[J + 1].First <= Changes[J].Last + 2 * kContext)
      ++J;
    const size_t First =
        Changes[I].First > kContext ? Changes[I].First - kContext : 0;
    const size_t Last = std::min(Lines.size(), Changes[J].Last + kContext);
    std::string Body;
    llvm::raw_string_ostream Into(Body);
    long Added = 0;
    size_t At = First;
    for (; I <= J; ++I) {
      for (; At < Changes[I].First; ++At)
        printLines(Into, ' ', Lines[At]);
      for (; At < Changes[I].Last; ++At)
        printLines(Into, '-', Lines[At]);
      printLines(Into, '+', Changes[I].New);
      Added += static_cast<long>(linesOf(Changes[I].New).size()) -
               static_cast<long>(Changes[I].Last - Changes[I].First);
    }
    for (; At < Last; ++At)
      printLines(Into, ' ', Lines[At]);
    OS << "@@ -" << First + 1 << ',' << Last - First << " +"
       << static_cast<long>(First + 1) + Shift << ','
       << static_cast<long>(Last - First) + Added << " @@\n"
       << Into.str();
    Shift += Added;
  }
}

} // namespace

llvm::Expected<std::string> unifiedDiff(const FileEdits &Edits,
                                        StringRef Root) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  for (const auto &[File, All] : Edits) {
    const auto Code = contentOf(File);
    if (!Code)
      return failure("cannot read " + File);
    const std::string Name = relativeTo(Root, File);
    OS << "--- a/" << Name << "\n+++ b/" << Name << "\n";
    printHunks(OS, *Code, changesOf(*Code, All));
  }
  return OS.str();
}

} // namespace inmem::fix
