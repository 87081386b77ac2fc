//===- FunctionLines.cpp - Where functions with sites begin ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inmem/abi.h"
#include "ir/ModuleRecords.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace inmem {

void FunctionLines::note(StringRef Name, const DILocation &Loc) {
  const DISubprogram *Subprogram = Loc.getScope()->getSubprogram();
  // An assembler might misinterpret other characters.
  if (Subprogram && Subprogram->getLine() && all_of(Name, [](char C) {
        return isAlnum(C) || C == '_' || C == '$' || C == '.';
      }))
    Lines.try_emplace(Name, Subprogram->getLine());
}

void FunctionLines::emit(Module &M) const {
  if (Lines.empty())
    return;
  SmallVector<StringRef, 16> Names(Lines.keys());
  sort(Names);
  // LLVM has no variables in sections that are not loaded.
  std::string Text = ".pushsection " INMEM_SECTION_LINES ",\"\",%progbits\n";
  for (StringRef Name : Names)
    Text +=
        (".asciz \"" + Name + " " + Twine(Lines.lookup(Name)) + "\"\n").str();
  M.appendModuleInlineAsm(Text + ".popsection\n");
}

} // namespace inmem
