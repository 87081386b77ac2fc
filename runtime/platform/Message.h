//===- Message.h - Lines for standard error -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_MESSAGE_H
#define INMEM_RUNTIME_MESSAGE_H

#include <stdint.h>

namespace inmem::rt {

/// A line for descriptor 2: "inmem: " and the appended pieces, written in one
/// call by emit(); longer lines are cut. Keeps pointers to the text, which must
/// live until emit(), so that it needs little stack. At most kPieces pieces,
/// kNumbers of them numbers.
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

/// The next byte of foreign text that is safe to print on a terminal: '?' for a
/// control character. Moves \p Text past it.
char takeShown(const char *&Text);

} // namespace inmem::rt

#endif
