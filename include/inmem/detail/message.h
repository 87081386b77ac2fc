// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// message.h - prints lines on stderr and ends the program. Part of scope.h.
#ifndef INMEM_DETAIL_MESSAGE_H
#define INMEM_DETAIL_MESSAGE_H

#include <string>
#include <unistd.h>

namespace inmem::detail {

/// Writes to stderr, which is unbuffered, without <cstdio>.
inline void print(const std::string &Text) {
  for (std::string::size_type At = 0; At < Text.size();) {
    const ssize_t Written =
        ::write(STDERR_FILENO, Text.data() + At, Text.size() - At);
    if (Written <= 0)
      return;
    At += static_cast<std::string::size_type>(Written);
  }
}

[[noreturn]] inline void die(const std::string &Text) {
  print(Text);
  __builtin_abort();
}

} // namespace inmem::detail

#endif
