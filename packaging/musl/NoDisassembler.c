// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NoDisassembler.c - what libdw's tables of machines refer to, and bin/inmem
// never calls: elfutils generates disassemblers for these.
#define NONE(Machine)                                                          \
  int Machine##_disasm(void) { return -1; }
NONE(bpf)
NONE(i386)
NONE(riscv)
NONE(x86_64)
