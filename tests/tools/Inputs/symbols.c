// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library whose addresses SymbolizeTest.cpp looks up; the test knows its
// lines.

// A function of unknown size, as hand-written assembly has them.
__asm__(".text\n.globl bare\n.type bare,@function\nbare:\n  nop\n  nop\n");

// The first function of the unit.
int first(int Value) { return Value + 1; }

static inline __attribute__((always_inline)) int inlined(int Value) {
  __asm__ volatile(".globl within\nwithin:\n  nop\n  nop\n" : "+r"(Value));
  return Value;
}
int outer(int Value) {
  Value = Value * 3;
  return inlined(Value) + 1;
}
