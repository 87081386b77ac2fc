//===- ModuleFiles.cpp - modules that are written while compiling ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "Compat.h"
#include "ast/SiteCollector.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/FrontendOptions.h"
#include "clang/Frontend/MultiplexConsumer.h"

using namespace clang;

namespace inmem {
namespace {

using ConsumerList = std::vector<std::unique_ptr<ASTConsumer>>;

// Clang has no way to insert a consumer between its own. Explicit
// instantiations may name private members, so one returns the private list.
ConsumerList &consumersOf(MultiplexConsumer &Consumer);
template <ConsumerList MultiplexConsumer::*Member> struct Access {
  friend ConsumerList &consumersOf(MultiplexConsumer &Consumer) {
    return Consumer.*Member;
  }
};
template struct Access<&MultiplexConsumer::Consumers>;

class Caller : public ASTConsumer {
public:
  explicit Caller(std::function<void()> Call) : Call(std::move(Call)) {}
  void HandleTranslationUnit(ASTContext &) override { Call(); }

private:
  std::function<void()> Call;
};

/// Clang is built without RTTI, but objects of the same class have the same
/// vtable.
bool isSameClass(const ASTConsumer &A, const ASTConsumer &B) {
  return *reinterpret_cast<const void *const *>(&A) ==
         *reinterpret_cast<const void *const *>(&B);
}

} // namespace

bool writesModuleFile(const CompilerInstance &CI) {
  return compat::generatesReducedModule(CI.getFrontendOpts());
}

bool callAfterModuleFile(CompilerInstance &CI, std::function<void()> Call) {
  const MultiplexConsumer Sample((ConsumerList()));
  if (!isSameClass(CI.getASTConsumer(), Sample))
    return false;
  auto &All = static_cast<MultiplexConsumer &>(CI.getASTConsumer());
  for (const std::unique_ptr<ASTConsumer> &Each : consumersOf(All)) {
    if (!isSameClass(*Each, Sample))
      continue;
    // Two consumers: the first writes the file, the second generates code.
    ConsumerList &Inner = consumersOf(static_cast<MultiplexConsumer &>(*Each));
    if (Inner.size() != 2)
      continue;
    Inner.insert(Inner.begin() + 1, std::make_unique<Caller>(std::move(Call)));
    return true;
  }
  return false;
}

} // namespace inmem
