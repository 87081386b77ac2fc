// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CHECK(condition) for programs that test scopes: says which one failed.
#include <cstdio>
#include <cstdlib>

#include <inmem/scope.h>

static int Failures = 0;

#define CHECK(Condition)                                                       \
  do {                                                                         \
    if (!(Condition)) {                                                        \
      ++Failures;                                                              \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__,          \
                   #Condition);                                                \
    }                                                                          \
  } while (false)

[[maybe_unused]] static int finish() { return Failures != 0; }
