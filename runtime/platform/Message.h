//===- Message.h - Lines for standard error -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_MESSAGE_H
#define INMEM_RUNTIME_MESSAGE_H

#include <stdint.h>

namespace inmem::rt {

/// A line for descriptor 2: "inmem: " and what is appended, written in one
/// piece by emit(); longer lines are cut. Keeps pointers to its text, which
/// must live until emit(): a caller that has nothing to say needs little stack.
/// At most kPieces pieces, kNumbers of them numbers.
class Message {
public:
  Message() { text("inmem: "); }
  Message &text(const char *S);
  Message &number(uint64_t N);
  /// The C library's text for an errno value.
  Message &error(int Error);
  void emit();

private:
  static constexpr unsigned kPieces = 12, kNumbers = 4;
  const char *Pieces[kPieces];
  char Digits[kNumbers][21];
  unsigned PieceCount = 0, NumberCount = 0;
};

/// Somebody's text as a terminal may be given it: the next byte to write, '?'
/// for a control character. Moves \p Text past it.
char takeShown(const char *&Text);

} // namespace inmem::rt

#endif
