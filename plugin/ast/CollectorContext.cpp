//===- CollectorContext.cpp - state that the collector's parts share ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/CollectorContext.h"
#include "Compat.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace inmem {

std::string UnitInfo::inDebugInfo(llvm::StringRef Name) const {
  std::string Path = Prefixes.mapped(Name);
  llvm::StringRef Rest = Path;
  if (Directory.size() > 1 && Rest.consume_front(Directory) &&
      Rest.consume_front("/"))
    return Rest.str();
  return Path;
}

SourceLoc CollectorContext::location(SourceLocation Loc) const {
  if (UsedAt.isValid())
    Loc = UsedAt;
  const SourceManager &SM = Context.getSourceManager();
  PresumedLoc Presumed = SM.getPresumedLoc(compat::debugLocation(SM, Loc));
  if (Presumed.isInvalid())
    return {};
  // Like LLVM, which stores columns in 16 bits.
  constexpr unsigned kMaxColumn = 0xffff;
  bool HasColumn = Unit.Columns && Presumed.getColumn() <= kMaxColumn;
  return {Unit.inDebugInfo(Presumed.getFilename()), Presumed.getLine(),
          HasColumn ? Presumed.getColumn() : 0};
}

uint8_t CollectorContext::localStorage() const {
  return Current.Function && isa<CoroutineBodyStmt>(Current.Function->getBody())
             ? INMEM_STORAGE_HEAP
             : INMEM_STORAGE_STACK;
}

} // namespace inmem
