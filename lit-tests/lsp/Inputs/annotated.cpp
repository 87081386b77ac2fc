// one
auto *A = new Foo;

auto *B = new Foo;    // a line that is far too long for a narrow terminal, SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ```
// six
// seven
