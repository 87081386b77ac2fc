//===- TypeNamer.cpp - spelling of types in reports -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/TypeNamer.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/PrettyPrinter.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using llvm::isAlpha;
using llvm::join;
using llvm::raw_string_ostream;
using llvm::utostr;

namespace inmem {

static std::string qualifierText(Qualifiers Quals) {
  std::string Text;
  if (Quals.hasConst())
    Text += "const";
  if (Quals.hasVolatile())
    Text += Text.empty() ? "volatile" : " volatile";
  return Text;
}

std::string TypeNamer::name(QualType Type) {
  return declarator(Context.getCanonicalType(Type), "");
}

std::string TypeNamer::location(SourceLocation Loc) {
  const SourceManager &SM = Context.getSourceManager();
  PresumedLoc Presumed = SM.getPresumedLoc(SM.getExpansionLoc(Loc));
  if (Presumed.isInvalid())
    return "?";
  return Prefixes.mapped(Presumed.getFilename()) + ":" +
         utostr(Presumed.getLine()) + ":" + utostr(Presumed.getColumn());
}

/// Spells \p Type around \p Inner, the declarator so far, such as "*const" or
/// "(*)(int)".
std::string TypeNamer::declarator(QualType Type, std::string Inner) {
  Qualifiers Quals = Type.getLocalQualifiers();
  const clang::Type *T = Type.getTypePtr();
  auto Pointer = [&](StringRef Sign, QualType Pointee) {
    std::string Text = Sign.str() + qualifierText(Quals);
    if (!Inner.empty() && isAlpha(Text.back()))
      Text += " ";
    Text += Inner;
    if (Pointee->isFunctionType() || Pointee->isArrayType())
      Text = "(" + Text + ")";
    return declarator(Pointee, Text);
  };
  if (auto *P = dyn_cast<PointerType>(T))
    return Pointer("*", P->getPointeeType());
  if (auto *P = dyn_cast<LValueReferenceType>(T))
    return Pointer("&", P->getPointeeType());
  if (auto *P = dyn_cast<RValueReferenceType>(T))
    return Pointer("&&", P->getPointeeType());
  if (auto *P = dyn_cast<BlockPointerType>(T))
    return Pointer("^", P->getPointeeType());
  if (auto *P = dyn_cast<MemberPointerType>(T)) {
    std::string Class;
    if (const CXXRecordDecl *Record = P->getMostRecentCXXRecordDecl())
      Class = tagName(*Record);
    return Pointer(Class + "::*", P->getPointeeType());
  }
  if (auto *A = dyn_cast<ConstantArrayType>(T)) {
    QualType Element = Context.getQualifiedType(A->getElementType(), Quals);
    return declarator(
        Element, Inner + "[" + llvm::toString(A->getSize(), 10, false) + "]");
  }
  if (auto *A = dyn_cast<ArrayType>(T))
    return declarator(Context.getQualifiedType(A->getElementType(), Quals),
                      Inner + "[]");
  if (auto *F = dyn_cast<FunctionProtoType>(T)) {
    std::string Text = Inner + "(" + parameterTypes(*F) + ")";
    std::string Method = qualifierText(F->getMethodQuals());
    if (!Method.empty())
      Text += " " + Method;
    if (F->getRefQualifier() == RQ_LValue)
      Text += " &";
    else if (F->getRefQualifier() == RQ_RValue)
      Text += " &&";
    if (F->isNothrow())
      Text += " noexcept";
    return declarator(F->getReturnType(), Text);
  }
  if (auto *F = dyn_cast<FunctionNoProtoType>(T))
    return declarator(F->getReturnType(), Inner + "()");

  std::string Base;
  if (auto *Builtin = dyn_cast<BuiltinType>(T)) {
    PrintingPolicy Policy(Context.getLangOpts());
    Policy.Bool = true;
    Base = Builtin->getName(Policy).str();
  } else if (const auto *Tag = T->getAsTagDecl()) {
    Base = tagName(*Tag);
  } else if (auto *Complex = dyn_cast<ComplexType>(T)) {
    Base = "_Complex " + declarator(Complex->getElementType(), "");
  } else if (auto *Vector = dyn_cast<VectorType>(T)) {
    Base = declarator(Vector->getElementType(), "") +
           " __attribute__((vector_size(" +
           utostr(Context.getTypeSizeInChars(Type).getQuantity()) + ")))";
  } else if (auto *Atomic = dyn_cast<AtomicType>(T)) {
    Base = "_Atomic(" + declarator(Atomic->getValueType(), "") + ")";
  } else {
    PrintingPolicy Policy(Context.getLangOpts());
    Policy.SuppressTagKeyword = true;
    Base = QualType(T, 0).getAsString(Policy);
  }
  std::string Text = qualifierText(Quals);
  if (!Text.empty())
    Text += " ";
  Text += Base;
  if (!Inner.empty() && Inner[0] != '[')
    Text += " ";
  return Text + Inner;
}

std::string TypeNamer::parameterTypes(const FunctionProtoType &Type) {
  std::string Text;
  for (QualType Parameter : Type.param_types())
    Text += (Text.empty() ? "" : ", ") +
            name(Context.getCanonicalParamType(Parameter));
  if (Type.isVariadic())
    Text += Text.empty() ? "..." : ", ...";
  return Text;
}

std::string TypeNamer::declName(const NamedDecl &D) {
  std::string Text;
  raw_string_ostream OS(Text);
  PrintingPolicy Policy(Context.getLangOpts());
  Policy.SuppressTagKeyword = true;
  if (isa<CXXConstructorDecl>(D) || isa<CXXDestructorDecl>(D)) {
    OS << (isa<CXXDestructorDecl>(D) ? "~" : "")
       << cast<CXXRecordDecl>(D.getDeclContext())->getName();
  } else if (auto *Conversion = dyn_cast<CXXConversionDecl>(&D)) {
    OS << "operator " << name(Conversion->getConversionType());
  } else {
    D.getDeclName().print(OS, Policy);
  }
  return Text;
}

std::string TypeNamer::functionName(const FunctionDecl &Function) {
  std::string Text = scope(Function.getDeclContext()) + declName(Function);
  if (const TemplateArgumentList *Args =
          Function.getTemplateSpecializationArgs())
    Text += arguments(Args->asArray(), nullptr);
  Text += "(";
  if (auto *Type = Function.getType()->getAs<FunctionProtoType>())
    Text += parameterTypes(*Type);
  return Text + ")";
}

std::string TypeNamer::scope(const DeclContext *DC) {
  for (; DC; DC = DC->getParent()) {
    if (DC->isTranslationUnit())
      return {};
    if (auto *Namespace = dyn_cast<NamespaceDecl>(DC)) {
      if (Namespace->isInline() && !Namespace->isAnonymousNamespace())
        continue;
      std::string Name = Namespace->isAnonymousNamespace()
                             ? "(anonymous namespace)"
                             : Namespace->getName().str();
      return scope(DC->getParent()) + Name + "::";
    }
    if (auto *Tag = dyn_cast<TagDecl>(DC))
      return tagName(*Tag) + "::";
    if (auto *Function = dyn_cast<FunctionDecl>(DC))
      return functionName(*Function) + "::";
  }
  return {};
}

std::string TypeNamer::tagName(const TagDecl &Tag) {
  if (auto *Record = dyn_cast<CXXRecordDecl>(&Tag))
    if (Record->isLambda())
      return "(lambda at " + location(Record->getLocation()) + ")";
  std::string Name;
  if (Tag.getIdentifier())
    Name = Tag.getName().str();
  else if (const TypedefNameDecl *Alias = Tag.getTypedefNameForAnonDecl())
    Name = Alias->getName().str();
  else
    return "(unnamed " + Tag.getKindName().str() + " at " +
           location(Tag.getLocation()) + ")";
  Name = scope(Tag.getDeclContext()) + Name;
  if (auto *Special = dyn_cast<ClassTemplateSpecializationDecl>(&Tag))
    Name +=
        arguments(Special->getTemplateArgs().asArray(),
                  Special->getSpecializedTemplate()->getTemplateParameters());
  return Name;
}

std::string TypeNamer::arguments(ArrayRef<TemplateArgument> Args,
                                 const TemplateParameterList *Parameters) {
  // Omits arguments equal to the parameter's default.
  ArrayRef<TemplateArgument> Shown = Args;
  if (Parameters && Args.size() <= Parameters->size()) {
    while (!Shown.empty() && Shown.back().getKind() != TemplateArgument::Pack &&
           isSubstitutedDefaultArgument(Context, Shown.back(),
                                        Parameters->getParam(Shown.size() - 1),
                                        Args, Parameters->getDepth()))
      Shown = Shown.drop_back();
  }
  SmallVector<std::string, 4> Texts;
  for (const TemplateArgument &Arg : Shown)
    argument(Arg, Texts);
  return "<" + join(Texts, ", ") + ">";
}

void TypeNamer::argument(const TemplateArgument &Arg,
                         SmallVectorImpl<std::string> &Result) {
  switch (Arg.getKind()) {
  case TemplateArgument::Pack:
    for (const TemplateArgument &Element : Arg.pack_elements())
      argument(Element, Result);
    return;
  case TemplateArgument::Type:
    Result.push_back(name(Arg.getAsType()));
    return;
  case TemplateArgument::Integral: {
    QualType Type = Arg.getIntegralType();
    std::string Value = llvm::toString(Arg.getAsIntegral(), 10);
    if (Type->isBooleanType()) {
      Value = Arg.getAsIntegral() == 0 ? "false" : "true";
    } else if (const auto *Tag = Type->getAsTagDecl()) {
      std::string Cast = "(" + tagName(*Tag) + ")" + Value;
      Value = Cast;
      if (auto *Enum = dyn_cast<EnumDecl>(Tag))
        for (const EnumConstantDecl *Constant : Enum->enumerators())
          if (llvm::APSInt::isSameValue(Constant->getInitVal(),
                                        Arg.getAsIntegral())) {
            Value = (Enum->isScoped() ? tagName(*Tag) + "::"
                                      : scope(Enum->getDeclContext())) +
                    Constant->getName().str();
            break;
          }
    }
    Result.push_back(Value);
    return;
  }
  case TemplateArgument::NullPtr:
    Result.push_back("nullptr");
    return;
  case TemplateArgument::Declaration: {
    const ValueDecl *D = Arg.getAsDecl();
    std::string Text = Arg.getParamTypeForDecl()->isReferenceType() ? "" : "&";
    if (auto *Function = dyn_cast<FunctionDecl>(D))
      Text += scope(Function->getDeclContext()) + declName(*Function);
    else
      Text += scope(D->getDeclContext()) + declName(*D);
    Result.push_back(Text);
    return;
  }
  case TemplateArgument::Template:
    if (const TemplateDecl *D = Arg.getAsTemplate().getAsTemplateDecl()) {
      Result.push_back(scope(D->getDeclContext()) + declName(*D));
      return;
    }
    break;
  default:
    break;
  }
  std::string Text;
  raw_string_ostream OS(Text);
  PrintingPolicy Policy(Context.getLangOpts());
  Policy.SuppressTagKeyword = true;
  Arg.print(Policy, OS, /*IncludeType=*/false);
  Result.push_back(Text);
}

} // namespace inmem
