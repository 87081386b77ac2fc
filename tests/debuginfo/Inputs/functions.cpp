//===- functions.cpp - Functions that UnitFunctionsTest.cpp finds ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
namespace outer {
struct Class {
  __attribute__((noinline)) int member(int Value);
};
namespace {
__attribute__((always_inline)) inline int inlined(int Value) {
  __asm__ volatile(".globl within\nwithin:\n  nop\n  nop\n" : "+r"(Value));
  return Value;
}
} // namespace
int Class::member(int Value) { return inlined(Value * 3) + 1; }
} // namespace outer

extern "C" int plain(int Value) { return outer::Class().member(Value) + 2; }
