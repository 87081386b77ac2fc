//===- GrowthFix.cpp - Containers that grow step by step ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Loops.h"
#include "fix/rules/FixRules.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

namespace {

bool isAny(StringRef Word, llvm::ArrayRef<StringRef> Words) {
  return llvm::is_contained(Words, Word);
}

bool isIdentifier(StringRef Text) {
  return llvm::all_of(Text,
                      [](char C) { return llvm::isAlnum(C) || C == '_'; });
}

/// A call that makes a container grow, and properties of the container.
struct GrowingCall {
  MemberUse Use;
  std::string Object;             ///< as written
  std::string Dot;                ///< `.` or `->`
  const VarDecl *Local = nullptr; ///< a local variable of this function
};

class GrowthFixer {
public:
  explicit GrowthFixer(const Spot &S) : S(S) {}
  Proposal run();

private:
  bool isText() const { return S.F.Rule == report::RuleId::StringRegrowth; }
  bool isHash() const { return S.F.Rule == report::RuleId::Rehash; }
  bool growsAtLine(const MemberUse &U) const;
  std::string findCall();
  bool isEmptyAtFirst(const VarDecl &V) const;
  bool isSized() const;
  bool keepsOrder() const;
  bool isOnlyFilled(const Stmt &Loop) const;
  std::optional<std::string> addedLength(const MemberUse &Use) const;
  std::optional<Proposal> reserveBound();
  Proposal reserveMeasured();
  const Stmt *anchor(const MemberUse &Use) const;
  std::string guarded(const std::string &Room, const std::string &Added) const;
  std::string guard(Editor &E, const MemberUse &Use, const Stmt &At) const;
  bool movesIn(const Stmt &Statement) const;
  std::vector<MemberUse> callsAtOtherLines() const;

  const Spot &S;
  GrowingCall G;
};

bool GrowthFixer::growsAtLine(const MemberUse &U) const {
  QualType Type = U.Object->getType();
  if (U.Arrow)
    Type = Type->getPointeeType();
  if (isHash())
    return isStd(Type, {"unordered_map", "unordered_set", "unordered_multimap",
                        "unordered_multiset"}) &&
           isAny(U.Name, {"insert", "emplace", "try_emplace", "operator[]"});
  if (isText())
    return isStd(Type, {"basic_string"}) &&
           isAny(U.Name, {"append", "push_back", "operator+="});
  return isStd(Type, {"vector"}) &&
         isAny(U.Name, {"push_back", "emplace_back"});
}

/// \returns why no call was found; empty if one was
std::string GrowthFixer::findCall() {
  std::set<std::string> Objects;
  for (const Stmt *Node : S.At)
    if (auto U = memberUse(*Node); U && growsAtLine(*U)) {
      G.Use = *U;
      G.Object = textOf(S, U->Object->getSourceRange());
      Objects.insert(G.Object);
    }
  if (Objects.empty())
    return "no call at the line makes such a container grow by one element: "
           "the line has moved, or the call is of another kind";
  if (Objects.size() > 1)
    return "several containers grow at the line";
  if (!isPure(G.Use.Object) || isa<CXXThisExpr>(G.Use.Object->IgnoreParens()))
    return "which container grows is the result of a call";
  if (!isWritten(S, G.Use.Call->getSourceRange()))
    return "the call comes from a macro";
  G.Dot = G.Use.Arrow ? "->" : ".";
  const VarDecl *V = variableOf(G.Use.Object);
  if (V && V->hasLocalStorage() && !isa<ParmVarDecl>(V) &&
      !V->getType()->isReferenceType() && !V->getType()->isPointerType() &&
      V->getDeclContext() == S.Function)
    G.Local = V;
  return {};
}

bool GrowthFixer::isEmptyAtFirst(const VarDecl &V) const {
  if (!statementOf(S, V) || !V.getInit())
    return false;
  const Expr *Init = V.getInit()->IgnoreImplicit();
  if (const auto *List = dyn_cast<InitListExpr>(Init))
    return List->getNumInits() == 0;
  const auto *Made = dyn_cast<CXXConstructExpr>(Init);
  return Made && Made->getConstructor()->isDefaultConstructor();
}

/// True if the function itself sets the container's size.
bool GrowthFixer::isSized() const {
  bool Found = false;
  walk(S.Function->getBody(), [&](const Stmt &Node) {
    const auto U = memberUse(Node);
    Found |= U &&
             isAny(U->Name, {"reserve", "resize", "rehash", "assign",
                             "shrink_to_fit", "swap"}) &&
             textOf(S, U->Object->getSourceRange()) == G.Object;
    return !Found;
  });
  return Found;
}

/// True if no code observes the order of an unordered container's elements,
/// which depends on its number of buckets.
bool GrowthFixer::keepsOrder() const {
  for (const DeclRefExpr *Ref : usesOf(*G.Local, S.Function->getBody())) {
    const auto U = memberUseOf(S, *Ref);
    if (!U || !isAny(U->Name, {"insert", "emplace", "try_emplace", "operator[]",
                               "find", "count", "contains", "at", "size",
                               "empty", "end", "clear"}))
      return false;
  }
  return true;
}

/// True if the loop appends to the local container in only one place and
/// otherwise reads it, and the container is unused before.
bool GrowthFixer::isOnlyFilled(const Stmt &Loop) const {
  for (const DeclRefExpr *Ref : usesOf(*G.Local, S.Function->getBody())) {
    const SourceLocation At = Ref->getLocation();
    if (S.SM.isBeforeInTranslationUnit(Loop.getEndLoc(), At))
      continue;
    const auto U = memberUseOf(S, *Ref);
    if (!U)
      return false;
    const bool Grows = U->Call == G.Use.Call;
    if (S.SM.isBeforeInTranslationUnit(At, Loop.getBeginLoc()) ||
        (!Grows && !U->IsConst))
      return false;
  }
  return true;
}

/// Number of characters that one call appends.
std::optional<std::string>
GrowthFixer::addedLength(const MemberUse &Use) const {
  const auto &Args = Use.Arguments;
  if (Use.Name == "push_back")
    return "1";
  if (Args.size() == 2) { // append(x.begin(), x.end())
    const auto First = memberUse(*Args[0]->IgnoreImplicit());
    const auto Last = memberUse(*Args[1]->IgnoreImplicit());
    if (First && Last && First->Name == "begin" && Last->Name == "end" &&
        isPure(First->Object) && isPure(Last->Object) && !First->Arrow &&
        textOf(S, First->Object->getSourceRange()) ==
            textOf(S, Last->Object->getSourceRange())) {
      const std::string Of = textOf(S, First->Object->getSourceRange());
      return "static_cast<std::size_t>(" + Of + ".end() - " + Of + ".begin())";
    }
    return std::nullopt;
  }
  if (Args.size() != 1)
    return std::nullopt;
  const Expr *Added = Args[0]->IgnoreParenImpCasts();
  if (Added->getType()->isCharType())
    return "1";
  if (const auto *Text = dyn_cast<clang::StringLiteral>(Added))
    return std::to_string(Text->getLength());
  if (isStd(Added->getType(), {"basic_string", "basic_string_view"}) &&
      isPure(Added))
    return textOf(S, Added->getSourceRange()) + ".size()";
  return std::nullopt;
}

/// Reserves before a loop with a known number of appends.
std::optional<Proposal> GrowthFixer::reserveBound() {
  if (!G.Local || !isEmptyAtFirst(*G.Local))
    return std::nullopt;
  const Stmt *Loop = outermostLoop(S, *G.Use.Call, *G.Local);
  if (!Loop || loopAround(S, *G.Use.Call) != Loop ||
      !isUnconditional(S, *G.Use.Call, *Loop) || leavesEarly(*bodyOf(*Loop)) ||
      !isOnlyFilled(*Loop))
    return std::nullopt;
  const auto Times = boundOf(S, *Loop);
  if (!Times)
    return std::nullopt;
  std::string Room = Times->Text;
  if (!isText() && Times->Signed)
    Room = "static_cast<std::size_t>(" + Room + ")";
  if (isText()) {
    const auto Each = addedLength(G.Use);
    if (!Each || !llvm::all_of(*Each, llvm::isDigit))
      return std::nullopt;
    if (*Each != "1" && Times->Signed)
      Room = "static_cast<std::size_t>(" + Room + ") * " + *Each;
    else if (Times->Signed)
      Room = "static_cast<std::size_t>(" + Room + ")";
    else if (*Each != "1")
      Room = (isIdentifier(Room) ? Room : "(" + Room + ")") + " * " + *Each;
  }
  std::string Text = G.Object + ".reserve(" + Room + ");";
  if (Times->Signed)
    Text = "if (" + Times->Text + " > 0)\n  " + Text;
  Editor E(S);
  E.insertBefore(*Loop, Text);
  return E.done(G.Object + ".reserve(" + Room + ") before the loop");
}

/// The statement to insert code before, so that it runs if, and only if, the
/// call is about to run.
const Stmt *GrowthFixer::anchor(const MemberUse &Use) const {
  const Stmt *Node = Use.Call;
  for (const Stmt *P = parentOf(S, *Node); P; Node = P, P = parentOf(S, *P)) {
    if (isa<CompoundStmt>(P))
      return Node;
    if (isLoop(*P))
      return bodyOf(*P) == Node ? Node : nullptr;
    if (const auto *If = dyn_cast<IfStmt>(P)) {
      if (If->getThen() == Node || If->getElse() == Node)
        return Node;
      continue;
    }
    if (isa<CaseStmt, DefaultStmt>(P))
      return isa<Expr>(Node) ? Node : nullptr;
    if (const auto *B = dyn_cast<BinaryOperator>(P);
        B && B->isLogicalOp() && B->getRHS() == Node)
      return nullptr;
    if (isa<AbstractConditionalOperator, LambdaExpr, LabelStmt, SwitchStmt>(P))
      return nullptr;
  }
  return nullptr;
}

/// Code that reserves memory when the container is about to grow from empty.
/// \param Added the number of characters about to be appended to a string
std::string GrowthFixer::guarded(const std::string &Room,
                                 const std::string &Added) const {
  const std::string Self = G.Object + G.Dot;
  const std::string Size = std::to_string(S.F.Reserve);
  const std::string Constant = "constexpr std::size_t " + Room + " = " + Size +
                               "; // measured by inmem\n";
  if (isText()) {
    const std::string Need = freeName(S, "Needed");
    return "  " + Constant + "  const std::size_t " + Need + " = " + Self +
           "size() + " + Added + ";\n  if (" + Need + " > " + Self +
           "capacity() && " + Need + " <= " + Room + ")\n    " + Self +
           "reserve(" + Room + ");\n";
  }
  const std::string Test =
      isHash() ? Self + "empty() && " + Self + "bucket_count() < " + Size
               : Self + "capacity() == 0";
  return "if (" + Test + ") {\n  " + Constant + "  " + Self + "reserve(" +
         Room + ");\n}";
}

/// Inserts the check before one call. \returns the reason if it cannot; empty
/// on success.
std::string GrowthFixer::guard(Editor &E, const MemberUse &Use,
                               const Stmt &At) const {
  // The name of the constant that holds the measured size.
  const std::string Room = freeName(S, "MeasuredRoom");
  if (!isText()) {
    E.insertBefore(At, guarded(Room, {}));
    return {};
  }
  if (const auto Known = addedLength(Use)) {
    E.insertBefore(At, "{\n" + guarded(Room, *Known) + "}");
    return {};
  }
  // The appended string is the result of a call: bind it to a name first.
  const Stmt *Whole = Use.Call;
  for (const Stmt *P = parentOf(S, *Whole); P && isa<ExprWithCleanups>(P);
       P = parentOf(S, *P))
    Whole = P;
  if (Whole != &At || Use.Arguments.size() != 1 ||
      !isCharString(Use.Arguments[0]->getType()))
    return "how much is appended is not known before";
  const std::string Name = freeName(S, "Added");
  const std::string Self = G.Object + G.Dot;
  E.replaceStatement(At, "{\n  const std::string &" + Name + " = " +
                             textOf(S, Use.Arguments[0]->getSourceRange()) +
                             ";\n" + guarded(Room, Name + ".size()") + "  " +
                             Self + "append(" + Name + ");\n}");
  return {};
}

/// True if a statement may change which object the expression names: it
/// modifies a pointer in it.
bool GrowthFixer::movesIn(const Stmt &Statement) const {
  bool Moves = false;
  walk(G.Use.Object, [&](const Stmt &Node) {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(&Node))
      if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
        Moves |= V->getType()->isPointerType() && mayChange(S, *V, Statement);
    return true;
  });
  return Moves;
}

/// Calls that make the same container grow, at the finding's other lines.
std::vector<MemberUse> GrowthFixer::callsAtOtherLines() const {
  std::vector<MemberUse> Out;
  walk(S.Function->getBody(), [&](const Stmt &Node) {
    const auto U = memberUse(Node);
    if (U && growsAtLine(*U) && U->Call != G.Use.Call &&
        S.F.Lines.count(lineOf(S, U->Call->getBeginLoc())) != 0 &&
        isWritten(S, U->Call->getSourceRange()) &&
        textOf(S, U->Object->getSourceRange()) == G.Object &&
        variableOf(U->Object) == variableOf(G.Use.Object))
      Out.push_back(*U);
    return !isa<LambdaExpr>(Node);
  });
  return Out;
}

Proposal GrowthFixer::reserveMeasured() {
  constexpr uint64_t kLeast = 2, kMost = 1 << 20;
  if (S.F.Reserve == 0)
    return refuse("final sizes differ too much for one reserve(), and no loop "
                  "says how many there will be");
  if (S.F.Reserve < kLeast || S.F.Reserve > kMost)
    return refuse("the measured size is not one to reserve");
  if (isHash() && (!G.Local || !keepsOrder()))
    return refuse("the order of its elements may be seen, and reserve() "
                  "changes it");
  const Stmt *At = anchor(G.Use);
  if (!At || !isWritten(S, At->getSourceRange()))
    return refuse("the call is part of a condition or of a larger expression");
  if (movesIn(*At))
    return refuse("the statement changes which container it is");
  Editor E(S);
  if (std::string Why = guard(E, G.Use, *At); !Why.empty())
    return refuse(std::move(Why));
  uint64_t All = 0, Covered = 0;
  for (const auto &[Line, Blocks] : S.F.Lines) {
    All += Blocks;
    Covered += Line == S.F.Line ? Blocks : 0;
  }
  // The container may already have grown at another line, so guard those too.
  std::set<const Stmt *> Guarded = {At};
  for (const MemberUse &Other : callsAtOtherLines()) {
    const Stmt *There = anchor(Other);
    if (!There || !isWritten(S, There->getSourceRange()) || movesIn(*There) ||
        !Guarded.insert(There).second || !guard(E, Other, *There).empty())
      continue;
    const auto Line = S.F.Lines.find(lineOf(S, Other.Call->getBeginLoc()));
    Covered += Line == S.F.Lines.end() ? 0 : Line->second;
  }
  Proposal Out =
      E.done(G.Object + G.Dot + "reserve(" + std::to_string(S.F.Reserve) +
             ") when it is about to grow from nothing");
  if (All > 0)
    Out.Part =
        static_cast<double>(std::min(Covered, All)) / static_cast<double>(All);
  return Out;
}

Proposal GrowthFixer::run() {
  if (!S.Function || !S.Function->getBody())
    return refuse("the line is in no function: it has moved");
  if (std::string Why = findCall(); !Why.empty()) {
    if (auto Joined = isText() ? joinInBuffer(S) : std::nullopt)
      return *Joined;
    return refuse(std::move(Why));
  }
  if (isSized())
    return refuse("the function gives " + G.Object + " a size already");
  if (G.Local && !isHash())
    if (auto Hoisted = hoist(S, *G.Local); Hoisted && Hoisted->ok())
      return *Hoisted;
  if (isHash() && G.Local && !keepsOrder())
    return refuse("the order of its elements may be seen, and reserve() "
                  "changes it");
  if (auto Bounded = reserveBound())
    return *Bounded;
  return reserveMeasured();
}

} // namespace

Proposal fixGrowth(const Spot &S) { return GrowthFixer(S).run(); }

} // namespace inmem::fix
