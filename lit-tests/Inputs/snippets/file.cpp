// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declarations.
#include <inmem/scope.h>
SNIPPET
