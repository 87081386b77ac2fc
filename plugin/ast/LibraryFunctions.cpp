//===- LibraryFunctions.cpp - is it the C library's? ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/LibraryCode.h"
#include "ir/LibrarySignatures.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace inmem {

static bool isChar(QualType Type) {
  return !Type.isNull() && Type->isSpecificBuiltinType(BuiltinType::Char_S);
}

static bool fits(char Letter, QualType Type, const ASTContext &Context) {
  bool IsLong =
      Type->isIntegerType() &&
      Context.getTypeSize(Type) == Context.getTypeSize(Context.getSizeType());
  QualType To = Type->isPointerType() ? Type->getPointeeType() : QualType();
  switch (Letter) {
  case 'v':
    return Type->isVoidType();
  case 'i':
    return Type->isSpecificBuiltinType(BuiltinType::Int);
  case 'z':
    return IsLong && Type->isUnsignedIntegerType();
  case 's':
    return IsLong && Type->isSignedIntegerType();
  case 'c':
    return isChar(To) ||
           (!To.isNull() && To->isSpecificBuiltinType(BuiltinType::Char_U));
  case 'C':
    return !To.isNull() && fits('c', To, Context);
  case 'w':
    return !To.isNull() &&
           Context.hasSameUnqualifiedType(To, Context.getWideCharType());
  case 'Z':
    return !To.isNull() && To->isIntegerType() &&
           Context.getTypeSize(To) ==
               Context.getTypeSize(Context.getSizeType());
  case 'L':
    return !To.isNull() && To->isPointerType();
  default:
    return Type->isPointerType();
  }
}

/// void *malloc(unsigned), void *malloc(long): programs older than 64-bit
/// machines declare the C library's allocators this way.
static bool isAnySize(char Letter, QualType Type, const ASTContext &Context) {
  return (Letter == 'z' || Letter == 's') && Type->isIntegerType() &&
         (Context.getTypeSize(Type) == 32 || Context.getTypeSize(Type) == 64);
}

static bool hasSignature(const FunctionDecl &F, StringRef Signature) {
  const ASTContext &Context = F.getASTContext();
  const bool Lenient = findCAllocator(F.getName()) && !F.isDefined();
  if (!fits(Signature[0], F.getReturnType(), Context))
    return false;
  auto *Type = F.getType()->getAs<FunctionProtoType>();
  if (!Type)
    return true; // a K&R declaration
  if (Signature.consume_back(".") != Type->isVariadic() ||
      Signature.size() != Type->getNumParams() + 1)
    return false;
  for (unsigned I = 0; I < Type->getNumParams(); ++I)
    if (!fits(Signature[I + 1], Type->getParamType(I), Context) &&
        !(Lenient &&
          isAnySize(Signature[I + 1], Type->getParamType(I), Context)))
      return false;
  return true;
}

bool isOnlyNamesake(const FunctionDecl &F) {
  if (!F.getIdentifier() || !F.isExternC() ||
      librarySignature(F.getName()).empty())
    return false;
  const ASTContext &Context = F.getASTContext();
  const LangOptions &Language = Context.getLangOpts();
  if (!Language.NoBuiltin && !Language.isNoBuiltinFunc(F.getName()))
    return false;
  return F.isDefined() ||
         llvm::none_of(F.redecls(), [&](const FunctionDecl *Declared) {
           return Context.getSourceManager().isInSystemHeader(
               Declared->getLocation());
         });
}

bool isForeign(const FunctionDecl &F) {
  if (!F.getIdentifier() || !F.isExternC())
    return false;
  StringRef Signature = librarySignature(F.getName());
  return !Signature.empty() &&
         (!hasSignature(F, Signature) ||
          (!isReplaceable(F.getName()) && F.isDefined()) || isOnlyNamesake(F));
}

} // namespace inmem
