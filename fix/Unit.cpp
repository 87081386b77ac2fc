//===- Unit.cpp -----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Unit.h"

#include "Database.h"
#include "Resources.h"
#include "ToolingCompat.h"
#include "Visitor.h"

#include "clang/Frontend/ASTUnit.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "clang/Tooling/Tooling.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

Unit::Unit() = default;
Unit::~Unit() = default;
Unit::Unit(Unit &&) noexcept = default;

ASTContext &Unit::context() const { return Ast->getASTContext(); }
const SourceManager &Unit::sources() const { return Ast->getSourceManager(); }

namespace {

/// Keeps the first error.
class FirstError : public DiagnosticConsumer {
public:
  std::string Text;

  void HandleDiagnostic(DiagnosticsEngine::Level Level,
                        const Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    if (Level < DiagnosticsEngine::Error || !Text.empty())
      return;
    llvm::SmallString<128> Said;
    Info.FormatDiagnostic(Said);
    Text = Said.str().str();
  }
};

/// The first of a file's commands: a source that is part of several libraries
/// has one for each.
class FirstCommand : public tooling::CompilationDatabase {
public:
  explicit FirstCommand(const CompilationDatabase &Of) : Of(Of) {}

  std::vector<tooling::CompileCommand>
  getCompileCommands(StringRef File) const override {
    std::vector<tooling::CompileCommand> All = Of.getCompileCommands(File);
    All.resize(std::min<size_t>(All.size(), 1));
    return All;
  }

private:
  const CompilationDatabase &Of;
};

/// Drops what loads a plugin and what stops at warnings.
/// \param DropsPch set if a precompiled header was among it: only the compiler
/// that made it can read it
tooling::CommandLineArguments plain(const tooling::CommandLineArguments &Given,
                                    bool &DropsPch) {
  tooling::CommandLineArguments Out;
  for (size_t I = 0; I < Given.size(); ++I) {
    const StringRef Arg = Given[I];
    const auto Begins = [&](StringRef Prefix) {
      return Arg.substr(0, Prefix.size()) == Prefix;
    };
    if (Begins("-fplugin") || Begins("-fpass-plugin") || Begins("-Werror") ||
        Begins("-fmodules-ts") || Arg == "-save-temps" ||
        Begins("-save-temps="))
      continue;
    // Each with a value; CMake hands them on with -Xclang.
    const bool HandsOn = Arg == "-Xclang" && I + 1 < Given.size();
    const StringRef Handed = HandsOn ? StringRef(Given[I + 1]) : Arg;
    if (Handed == "-include-pch" || (HandsOn && Handed == "-load")) {
      DropsPch |= Handed == "-include-pch";
      I += HandsOn ? 3 : 1;
      continue;
    }
    Out.push_back(Given[I]);
  }
  // Ahead of "--", which ends options.
  const std::vector<std::string> Own = {"-resource-dir=" + resourceFolder(),
                                        "-w", "-Qunused-arguments"};
  Out.insert(Out.begin() + 1, Own.begin(), Own.end());
  return Out;
}

} // namespace

llvm::Expected<Unit> Unit::parse(const tooling::CompilationDatabase &Commands,
                                 const std::string &File) {
  FirstError Errors;
  const FirstCommand First(Commands);
  tooling::ClangTool Tool(First, {File});
  Tool.setPrintErrorMessage(false);
  Tool.setDiagnosticConsumer(&Errors);
  bool DropsPch = false;
  Tool.appendArgumentsAdjuster(
      [&](const tooling::CommandLineArguments &Given, StringRef) {
        return plain(Given, DropsPch);
      });
  std::vector<std::unique_ptr<ASTUnit>> All;
  Tool.buildASTs(All);
  if (!Errors.Text.empty())
    return failure(File + " does not compile with its command" +
                   (DropsPch ? " without its precompiled header: " : ": ") +
                   Errors.Text);
  if (All.empty() || !All[0])
    return failure(File + " cannot be parsed with its command");
  if (!All[0]->getASTContext().getLangOpts().CPlusPlus)
    return failure(File + " is not C++");
  // Outlives the consumer.
  All[0]->getDiagnostics().setClient(new IgnoringDiagConsumer,
                                     /*ShouldOwnClient=*/true);
  Unit Out;
  Out.Ast = std::move(All[0]);
  return Out;
}

FileID Unit::fileOf(StringRef Path) const {
  const SourceManager &SM = sources();
  FileID Found;
  for (unsigned I = 0, E = SM.local_sloc_entry_size(); I != E; ++I) {
    const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
    if (!Entry.isFile())
      continue;
    const FileID ID = SM.getFileID(SourceLocation::getFromRawEncoding(
        static_cast<unsigned>(Entry.getOffset())));
    if (compat::realPath(SM, ID).empty() ||
        canonical(compat::realPath(SM, ID)) != Path)
      continue;
    if (Found.isValid() && Found != ID)
      return {};
    Found = ID;
  }
  return Found;
}

namespace {

/// Finds the innermost function definition and its nodes at a line.
class LineVisitor : public Visitor {
public:
  LineVisitor(Spot &Into, unsigned Line) : S(Into), Line(Line) {}

  bool visitDecl(Decl &D) override {
    if (auto *F = dyn_cast<FunctionDecl>(&D);
        F && F->doesThisDeclarationHaveABody() && covers(F->getSourceRange()))
      S.Function = F;
    return true;
  }
  bool visitStmt(Stmt &Node) override {
    if (!covers(Node.getSourceRange()))
      return true;
    S.At.push_back(&Node);
    if (auto *Lambda = dyn_cast<LambdaExpr>(&Node))
      S.Function = Lambda->getCallOperator();
    return true;
  }

private:
  bool covers(SourceRange R) const {
    if (R.isInvalid())
      return false;
    const SourceLocation Begin = S.SM.getExpansionLoc(R.getBegin());
    const SourceLocation End = S.SM.getExpansionRange(R.getEnd()).getEnd();
    return S.SM.getFileID(Begin) == S.File && S.SM.getFileID(End) == S.File &&
           S.SM.getExpansionLineNumber(Begin) <= Line &&
           S.SM.getExpansionLineNumber(End) >= Line;
  }

  Spot &S;
  unsigned Line;
};

/// True if the first lines say that a program wrote the file, or a line
/// directive says that it was made of another.
bool isGenerated(const SourceManager &SM, FileID File) {
  const StringRef Text = SM.getBufferData(File);
  const std::string Head = Text.substr(0, 2000).lower();
  for (const char *Word :
       {"do not edit", "do not modify", "@generated", "automatically generated",
        "auto-generated", "autogenerated"})
    if (StringRef(Head).contains(Word))
      return true;
  // "Generated by", or "this file was generated by"; not what the code makes.
  for (StringRef Rest = Head; !Rest.empty();) {
    const auto [Line, Next] = Rest.split('\n');
    Rest = Next;
    const StringRef Before = Line.split("generated by").first;
    if (Before.size() != Line.size() &&
        (Before.ltrim("/*# \t;").empty() || Before.contains("file") ||
         Before.contains("source")))
      return true;
  }
  for (size_t At = Text.find("#line"); At != StringRef::npos;
       At = Text.find("#line", At + 1))
    if (At == 0 || Text[At - 1] == '\n')
      return true;
  return false;
}

} // namespace

llvm::Expected<Spot> spotOf(const Unit &U, const Finding &F,
                            const std::string &Path) {
  Spot S{U.context(), U.sources(), F, U.fileOf(Path), nullptr, nullptr, {}};
  if (S.File.isInvalid())
    return failure("no unit of the database includes " + F.File +
                   ", or it is included more than once");
  if (isGenerated(S.SM, S.File))
    return failure(F.File + " is generated code");
  LineVisitor(S, F.Line).walk(S.Context);
  if (S.Function && S.Function->isTemplated())
    return failure("the line is in a template: what fits one instantiation "
                   "need not fit another");
  return S;
}

} // namespace inmem::fix
