// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inside of a function.
#include <inmem/scope.h>
#include <iostream>
struct Foo {};
void work() {}
void inside() {
SNIPPET
}
