// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As it would be if its command lacked an option.
#ifndef WITH_OPTION
#error "the option is missing"
#endif
void broken() {} // finding: rehash=64 -> does not compile with its command: "the option is missing"
