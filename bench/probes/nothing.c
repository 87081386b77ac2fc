// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* nothing.c - what start and end cost, and the runtime's own memory. */
int main(void) { return 0; }
