//===- SavedFacts.h - facts for passes in another process -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With -save-temps, or -emit-llvm -Xclang -disable-llvm-passes, clang writes
// the module down before any pass runs; the process that continues with it has
// no AST. What its passes need of the site table and of the options is then in
// the module's named metadata, which bitcode and text keep and which linking
// joins:
//   !inmem.types    !{key, name, id, size, align, flags, ignored, field...}
//     field         !{name, type's name, type's key, type's id, offset, size,
//     kind, bit}
//   !inmem.options  !{name=value...}
//   with accesses=on:
//   !inmem.members  !{function, role, fact...}
//     fact          !{type's key, first bit, bits, line, column, kinds,
//     bit-field}
//   !inmem.aliases  !{TBAA's name, type's key}
//   !inmem.opaque   !{type's key, first bit, bits, file, line}
#ifndef INMEM_PLUGIN_IR_SAVEDFACTS_H
#define INMEM_PLUGIN_IR_SAVEDFACTS_H

namespace llvm {
class Module;
}

namespace inmem {

/// Writes the types of SiteTable::current() and the arguments of
/// Options::current() into \p M.
void saveFacts(llvm::Module &M);

/// Restores the facts that saveFacts() wrote into \p M, and removes them.
/// Options given to this compilation itself take precedence.
void restoreFacts(llvm::Module &M);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_SAVEDFACTS_H
