//===- Refusal.h - Undoing an allocation by an exception ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_REFUSAL_H
#define INMEM_RUNTIME_REFUSAL_H

namespace inmem::rt {

/// Would an exception that leaves operator new now, called by whoever called
/// into this library, find its way without std::terminate? False in doubt:
/// looks at the tables of each function on the stack up to a handler of
/// inmem::budget_exceeded or one of its bases. \p ToNobody: what it says where
/// there is no handler. \p WhyNot: a few words where only a language is in the
/// way, else null. Takes the mutex, and may read files.
bool canRefuse(bool ToNobody, const char *&WhyNot);
/// Counts and gives back the block at \p P, which operator new was about to
/// return.
void refuse(void *P);

} // namespace inmem::rt

#endif
