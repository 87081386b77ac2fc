//===- MissingPages.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/read/MissingPages.h"

#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

namespace inmem::trace {

namespace {

thread_local MissingPages *Current = nullptr;
void (*CallOtherwise)() = nullptr;

} // namespace

MissingPages::MissingPages(const Buffer &Of) : Pages(Of.bytes()) {
  Current = this;
}

MissingPages::~MissingPages() { Current = nullptr; }

bool MissingPages::replace(const void *Address) {
  const auto Page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto At = reinterpret_cast<uintptr_t>(Address);
  const auto Begin = reinterpret_cast<uintptr_t>(Pages.data());
  if (At < Begin || At - Begin >= Pages.size())
    return false;
  void *Missing = reinterpret_cast<void *>(At - At % Page);
  Found = true;
  return mmap(Missing, Page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
              -1, 0) != MAP_FAILED;
}

void MissingPages::onMissing(int, siginfo_t *About, void *) {
  const int Before = errno;
  if (!Current || !Current->replace(About->si_addr))
    CallOtherwise();
  errno = Before;
}

void MissingPages::handle(void (*Otherwise)()) {
  CallOtherwise = Otherwise;
  struct sigaction Action = {};
  Action.sa_sigaction = onMissing;
  Action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &Action, nullptr);
}

} // namespace inmem::trace
