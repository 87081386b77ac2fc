//===- Refusal.h - Undoing an allocation by an exception ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_REFUSAL_H
#define INMEM_RUNTIME_REFUSAL_H

namespace inmem::rt {

/// True if an exception thrown from operator new now would reach a handler
/// without std::terminate. Checks the tables of each function on the stack, up
/// to a handler of inmem::budget_exceeded or one of its bases; false in doubt.
/// \p ToNobody: the result where there is no handler. \p WhyNot: a few words if
/// only a function's language prevents it, else null. Takes the mutex and may
/// read files.
bool canRefuse(bool ToNobody, const char *&WhyNot);
/// Counts the block at \p P, which operator new was about to return, as freed
/// and frees it.
void refuse(void *P);

} // namespace inmem::rt

#endif
