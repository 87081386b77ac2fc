// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Catch2's own code, apart: it takes long to compile.
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_NO_POSIX_SIGNALS
#include <catch2/catch.hpp>
