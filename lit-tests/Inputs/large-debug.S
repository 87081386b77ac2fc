// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -DMIB=N: N MiB of debug information that says nothing, abbreviations that nobody uses.
  .section .debug_abbrev,"",@progbits
  .zero MIB << 20
  .section .note.GNU-stack,"",@progbits
