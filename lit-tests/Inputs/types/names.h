// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
template <typename T> struct Box { T value; };
template <typename T, typename U> struct Pair { T first; U second; };
struct Shared { int n[7]; };
using Alias = Pair<int, Shared>;
