// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NoDisassembler.c - symbols that libdw's tables of machines refer to and
// bin/inmem never calls: elfutils generates disassemblers for them.
#define NONE(Machine)                                                          \
  int Machine##_disasm(void) { return -1; }
NONE(bpf)
NONE(i386)
NONE(riscv)
NONE(x86_64)
