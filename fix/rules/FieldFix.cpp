//===- FieldFix.cpp - unread-field, copied-only-field ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/ToolingCompat.h"
#include "fix/code/Unit.h"
#include "fix/rules/FixRules.h"
#include "fix/rules/Members.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

namespace {

/// Expressions that name certain members of a class.
class MemberUses : public Visitor {
public:
  explicit MemberUses(llvm::ArrayRef<const FieldDecl *> Members)
      : Members(Members.begin(), Members.end()) {}

  std::vector<const MemberExpr *> Found;
  /// A use that is not a MemberExpr; invalid if there is none.
  SourceLocation Other;

  bool visitStmt(Stmt &S) override {
    if (const auto *Member = dyn_cast<MemberExpr>(&S))
      if (isOne(Member->getMemberDecl()))
        Found.push_back(Member);
    if (const auto *Ref = dyn_cast<DeclRefExpr>(&S))
      if (isOne(Ref->getDecl())) // &Class::Member
        Other = Ref->getLocation();
    if (const auto *Dependent = dyn_cast<CXXDependentScopeMemberExpr>(&S))
      for (const FieldDecl *F : Members)
        if (Dependent->getMember() == F->getDeclName())
          Other = Dependent->getMemberLoc();
    return true;
  }

private:
  bool isOne(const ValueDecl *D) const {
    const auto *Field = dyn_cast<FieldDecl>(D);
    return Field && llvm::any_of(Members, [&](const FieldDecl *F) {
             return F->getCanonicalDecl() == Field->getCanonicalDecl();
           });
  }

  llvm::SmallVector<const FieldDecl *, 4> Members;
};

/// `file:line` of \p Loc, for messages.
std::string placeOf(const Spot &S, SourceLocation Loc) {
  const SourceLocation At = S.SM.getExpansionLoc(Loc);
  StringRef File = S.SM.getFilename(At);
  return File.substr(File.rfind('/') + 1).str() + ":" +
         std::to_string(S.SM.getExpansionLineNumber(At));
}

/// Removes members of a class and all code that writes them.
class Removal {
public:
  Removal(const Spot &S, const CXXRecordDecl &Class,
          llvm::ArrayRef<const FieldDecl *> Members)
      : S(S), Class(Class), Members(Members), E(S) {}

  Proposal run(const std::string &Summary) {
    MemberUses Uses(Members);
    Uses.walk(S.Context);
    if (Uses.Other.isValid())
      return refuse(nameOfAll() + " is named without an object at " +
                    placeOf(S, Uses.Other));
    for (const FieldDecl *F : Members)
      if (std::string Why = removeDeclaration(*F); !Why.empty())
        return refuse(Why);
    for (const CXXConstructorDecl *C : Class.ctors())
      if (std::string Why = removeInits(*C); !Why.empty())
        return refuse(Why);
    for (const MemberExpr *Use : Uses.Found)
      if (std::string Why = removeUse(*Use); !Why.empty())
        return refuse(Why);
    return E.done(Summary);
  }

private:
  bool isMember(const ValueDecl *D) const {
    return llvm::is_contained(Members, dyn_cast_or_null<FieldDecl>(D));
  }
  std::string nameOfAll() const {
    std::string Text;
    for (const FieldDecl *F : Members)
      Text += (Text.empty() ? "" : ", ") + F->getNameAsString();
    return Text;
  }
  std::string removeDeclaration(const FieldDecl &F);
  StringRef behindMembers(StringRef Text, CharSourceRange Slot) const;
  std::string removeInits(const CXXConstructorDecl &C);
  std::string removeUse(const MemberExpr &Use);
  /// The statement whose only effect is to write the member that \p Use names;
  /// null if it does more, or if \p Use is a read.
  const Expr *writerOf(const MemberExpr &Use) const;
  void removeLines(SourceLocation Begin, SourceLocation End);
  SourceLocation endOf(SourceLocation Token) const {
    return Lexer::getLocForEndOfToken(Token, 0, S.SM, S.Context.getLangOpts());
  }
  bool hasDirective(SourceLocation Begin, SourceLocation End) const {
    const std::string Text =
        Lexer::getSourceText(CharSourceRange::getCharRange(Begin, End), S.SM,
                             S.Context.getLangOpts())
            .str();
    return StringRef(Text).contains('#');
  }

  const Spot &S;
  const CXXRecordDecl &Class;
  llvm::ArrayRef<const FieldDecl *> Members;
  Editor E;
  llvm::SmallPtrSet<const Stmt *, 8> Removed;
};

/// Removes the text from \p Begin to \p End, and its lines if nothing else is
/// on them.
void Removal::removeLines(SourceLocation Begin, SourceLocation End) {
  const auto [File, Last] = S.SM.getDecomposedLoc(End);
  const StringRef Text = S.SM.getBufferData(File);
  size_t From = S.SM.getFileOffset(Begin), To = Last;
  const size_t Line = Text.substr(0, From).rfind('\n') + 1;
  const size_t Break = Text.find('\n', To);
  if (Text.slice(Line, From).trim().empty() && Break != StringRef::npos &&
      Text.slice(To, Break).trim().empty()) {
    From = Line;
    To = Break + 1;
  }
  const SourceLocation Start = S.SM.getLocForStartOfFile(File);
  E.replaceElsewhere(CharSourceRange::getCharRange(
                         Start.getLocWithOffset(static_cast<int>(From)),
                         Start.getLocWithOffset(static_cast<int>(To))),
                     "");
}

/// The text after \p Slot, and after the members directly below it that are
/// also removed.
StringRef Removal::behindMembers(StringRef Text, CharSourceRange Slot) const {
  const auto LineBehind = [&](CharSourceRange R) {
    return Text.substr(Text.find('\n', S.SM.getFileOffset(R.getEnd())) + 1)
        .ltrim(" \t");
  };
  StringRef Next = LineBehind(Slot);
  for (const FieldDecl *F : Members)
    if (const auto Other = slotOf(S, *F);
        Other && Text.drop_front(S.SM.getFileOffset(Other->getBegin())) == Next)
      Next = LineBehind(*Other);
  return Next;
}

std::string Removal::removeDeclaration(const FieldDecl &F) {
  const auto Slot = slotOf(S, F);
  for (const FieldDecl *Sibling : Class.fields())
    if (!Slot || (Sibling != &F && Sibling->getBeginLoc() == F.getBeginLoc()))
      return F.getNameAsString() + " is not declared on a line of its own: " +
             placeOf(S, F.getLocation());
  SourceLocation Begin = Slot->getBegin();
  // Remove the comment above with the member, unless it heads a group.
  const auto [File, Offset] = S.SM.getDecomposedLoc(Begin);
  const StringRef Text = S.SM.getBufferData(File);
  const StringRef Next = behindMembers(Text, *Slot);
  size_t Line = Text.substr(0, Offset).rfind('\n') + 1;
  if (Next.starts_with("\n") || Next.starts_with("//") || Next.starts_with("}"))
    while (Line > 0) {
      const size_t Above = Text.substr(0, Line - 1).rfind('\n') + 1;
      if (!Text.slice(Above, Line).ltrim().starts_with("//"))
        break;
      Line = Above;
    }
  if (Line > 0 && Text.slice(Text.substr(0, Line - 1).rfind('\n') + 1, Line)
                      .trim()
                      .starts_with("#"))
    return F.getNameAsString() +
           " is declared under a condition: " + placeOf(S, F.getLocation());
  const SourceLocation Start = S.SM.getLocForStartOfFile(File);
  if (Line < S.SM.getFileOffset(Begin))
    Begin = Start.getLocWithOffset(static_cast<int>(Line));
  removeLines(Begin, Slot->getEnd());
  return {};
}

std::string Removal::removeInits(const CXXConstructorDecl &C) {
  const FunctionDecl *Defined = nullptr;
  if (C.isImplicit() || C.isDeleted() || !C.isDefined(Defined))
    return {};
  std::vector<const CXXCtorInitializer *> Written;
  for (const CXXCtorInitializer *I : cast<CXXConstructorDecl>(Defined)->inits())
    if (I->isWritten())
      Written.push_back(I);
  llvm::sort(Written, [](const auto *A, const auto *B) {
    return A->getSourceOrder() < B->getSourceOrder();
  });
  const auto Goes = [&](const CXXCtorInitializer *I) {
    return I->isMemberInitializer() && isMember(I->getMember());
  };
  for (size_t I = 0; I < Written.size(); ++I) {
    if (!Goes(Written[I]))
      continue;
    size_t End = I;
    for (; End < Written.size() && Goes(Written[End]); ++End) {
      const Expr *Init = Written[End]->getInit();
      if (Init->HasSideEffects(S.Context))
        return "the initialiser at " +
               placeOf(S, Written[End]->getSourceLocation()) +
               " may do more than compute a value";
      walk(Init, [&](const Stmt &Node) {
        Removed.insert(&Node);
        return true;
      });
    }
    SourceLocation Begin = Written[I]->getSourceRange().getBegin(),
                   Stop = endOf(Written[End - 1]->getSourceRange().getEnd());
    if (I > 0) {
      Begin = endOf(Written[I - 1]->getSourceRange().getEnd());
    } else if (End < Written.size()) {
      Stop = Written[End]->getSourceRange().getBegin();
    } else { // remove all, with the colon
      const auto [File, Offset] = S.SM.getDecomposedLoc(Begin);
      const StringRef Before = S.SM.getBufferData(File).substr(0, Offset);
      const StringRef Head = Before.rtrim();
      if (!Head.ends_with(":") || Head.ends_with("::"))
        return "the initialisers at " + placeOf(S, Begin) +
               " do not follow their colon";
      Begin = S.SM.getLocForStartOfFile(File).getLocWithOffset(
          static_cast<int>(Head.drop_back().rtrim().size()));
    }
    if (Begin.isMacroID() || Stop.isMacroID() || hasDirective(Begin, Stop))
      return "the initialisers at " + placeOf(S, Begin) +
             " depend on the preprocessor";
    E.replaceElsewhere(CharSourceRange::getCharRange(Begin, Stop), "");
    I = End;
  }
  return {};
}

const Expr *Removal::writerOf(const MemberExpr &Use) const {
  const Stmt *Node = &Use;
  const Stmt *Around = parentOf(S, *Node);
  while (
      Around && isa<ParenExpr, ImplicitCastExpr>(Around) &&
      !(isa<ImplicitCastExpr>(Around) &&
        cast<ImplicitCastExpr>(Around)->getCastKind() == CK_LValueToRValue)) {
    Node = Around;
    Around = parentOf(S, *Node);
  }
  const auto IsPlainObject = [&](const Expr &Base) {
    return !Base.HasSideEffects(S.Context);
  };
  if (const auto *Assigned = dyn_cast_or_null<BinaryOperator>(Around))
    return Assigned->getOpcode() == BO_Assign && Assigned->getLHS() == Node &&
                   !Assigned->getRHS()->HasSideEffects(S.Context) &&
                   IsPlainObject(*Use.getBase())
               ? Assigned
               : nullptr;
  const auto *Call = dyn_cast_or_null<CallExpr>(Around);
  const FunctionDecl *Swap = Call ? Call->getDirectCallee() : nullptr;
  if (!Swap || !Swap->getIdentifier() || Swap->getName() != "swap" ||
      !Swap->isInStdNamespace() || Call->getNumArgs() != 2)
    return nullptr;
  for (const Expr *Argument : Call->arguments()) {
    const auto *Member = dyn_cast<MemberExpr>(Argument->IgnoreParenImpCasts());
    if (!Member || Member->getMemberDecl() != Use.getMemberDecl() ||
        !IsPlainObject(*Member->getBase()))
      return nullptr;
  }
  return Call;
}

std::string Removal::removeUse(const MemberExpr &Use) {
  if (Removed.count(&Use))
    return {};
  const Expr *Writer = writerOf(Use);
  const Stmt *Around = Writer ? parentOf(S, *Writer) : nullptr;
  if (Around && isa<ExprWithCleanups>(Around))
    Around = parentOf(S, *Around);
  const std::string Name = Use.getMemberDecl()->getNameAsString();
  // A use on the right of a removed assignment is visited after it.
  if (!Writer || !Around || !isa<CompoundStmt>(Around))
    return Name +
           (Writer ? " is written within a statement at " : " is used at ") +
           placeOf(S, Use.getMemberLoc());
  const SourceLocation Begin = Writer->getBeginLoc(),
                       End = behindSemicolon(S, Writer->getSourceRange());
  if (End.isInvalid() || Begin.isMacroID())
    return Name + " is written by a macro at " + placeOf(S, Begin);
  walk(Writer, [&](const Stmt &Node) {
    Removed.insert(&Node);
    return true;
  });
  removeLines(Begin, End);
  return {};
}

/// Lists the lines that name the members, for manual removal.
std::string suggestion(const Spot &S, llvm::ArrayRef<const FieldDecl *> Members,
                       const std::string &Why) {
  constexpr size_t kMost = 5;
  MemberUses Uses(Members);
  Uses.walk(S.Context);
  std::string Text = "only a suggestion, since " + Why + ": declared at";
  for (const FieldDecl *F : Members)
    Text += (F == Members.front() ? " " : ", ") + placeOf(S, F->getLocation());
  std::vector<std::string> Places;
  for (const MemberExpr *Use : Uses.Found)
    if (std::string At = placeOf(S, Use->getMemberLoc());
        !llvm::is_contained(Places, At))
      Places.push_back(std::move(At));
  for (size_t I = 0; I < std::min(kMost, Places.size()); ++I)
    Text += (I == 0 ? "; named at " : ", ") + Places[I];
  if (Places.size() > kMost)
    Text += " and " + std::to_string(Places.size() - kMost) + " others";
  return Text;
}

} // namespace

Proposal fixFields(const Spot &At) {
  OrderVisitor Found(At.F.Type);
  Found.walk(At.Context);
  if (!Found.Class)
    return refuse("the unit does not define the class");
  const CXXRecordDecl &Class = *Found.Class;
  if (At.SM.isInSystemHeader(Class.getLocation()))
    return refuse("the class is a library's");
  Spot S = At;
  S.File = At.SM.getFileID(At.SM.getExpansionLoc(Class.getLocation()));
  llvm::SmallVector<const FieldDecl *, 4> Members;
  std::string Names;
  for (const FieldDecl *F : Class.fields())
    if (llvm::is_contained(At.F.Fields, F->getNameAsString())) {
      Members.push_back(F);
      Names += (Names.empty() ? "" : ", ") + F->getNameAsString();
    }
  if (Members.empty() || Members.size() != At.F.Fields.size())
    return refuse("the class has other members than when it was recorded");
  for (const FieldDecl *F : Members)
    if (F->getAccess() != AS_private)
      return refuse(
          suggestion(S, Members, "other code may use " + F->getNameAsString()));
  for (const FieldDecl *F : Members)
    if (F->hasInClassInitializer() && F->getInClassInitializer() &&
        F->getInClassInitializer()->HasSideEffects(S.Context))
      return refuse("the initialiser of " + F->getNameAsString() +
                    " may do more than compute a value");
  if (!Found.Dependence.empty())
    return refuse(suggestion(S, Members, Found.Dependence));
  for (const auto *M : Class.methods())
    if (M->isDefaulted() && (M->getOverloadedOperator() == OO_Spaceship ||
                             M->getOverloadedOperator() == OO_EqualEqual))
      return refuse(suggestion(S, Members, "it is compared member by member"));
  Proposal Out =
      Removal(S, Class, Members).run("removes " + Names + " from " + At.F.Type);
  if (!Out.ok())
    return refuse(suggestion(S, Members, Out.Refusal));
  return Out;
}

} // namespace inmem::fix
