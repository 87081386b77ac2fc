// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// allocation_scope.h - counts what a piece of a program allocates. Part of
// scope.h.
#ifndef INMEM_ALLOCATION_SCOPE_H
#define INMEM_ALLOCATION_SCOPE_H

#include "allocations.h"
#include "subject.h" // IWYU pragma: export

#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace inmem {

enum class Follow {
  Nothing,  ///< counts only: costs nothing between start and end
  EachBlock ///< adds lifetimes, leaks and peaks by type
};

/// Counts allocations from construction until end() or destruction. Scopes may
/// nest and overlap. Using a single thread's scope from another thread throws
/// std::logic_error (without exceptions: aborts with the message).
class AllocationScope {
public:
  /// Counts the calling thread by default. A scope of all threads, or of
  /// another thread, can be used from any thread.
  explicit AllocationScope(Follow What = Follow::Nothing,
                           Subject Whose = thisThread)
      : Status(detail::possible()), Owner(gettid()) {
    if (Status != INMEM_SCOPE_OK)
      return;
    Scope = inmem_scope_begin(What == Follow::EachBlock ? INMEM_SCOPE_OBSERVE
                                                        : INMEM_SCOPE_COUNT,
                              Whose.id);
    if (!Scope)
      Status = INMEM_SCOPE_INCOMPLETE;
  }
  /// Counts all threads.
  static AllocationScope ofAllThreads(Follow What = Follow::Nothing) {
    return AllocationScope(What, allThreads);
  }
  /// Counts the thread with that std::thread::native_handle().
  static AllocationScope ofThread(unsigned long Thread,
                                  Follow What = Follow::Nothing) {
    return AllocationScope(What, oneThread(Thread));
  }

  ~AllocationScope() {
    if (Scope && inmem_scope_free(Scope) == INMEM_SCOPE_WRONG_THREAD)
      detail::print("inmem: " + wrongThread("destroyed") + "\n");
  }
  AllocationScope(const AllocationScope &) = delete;
  AllocationScope &operator=(const AllocationScope &) = delete;

  /// False if nothing could be counted: all counts are 0, and whyNot() returns
  /// the reason.
  bool exact() const { return Status == INMEM_SCOPE_OK; }
  const char *whyNot() const { return detail::reasonOf(Status); }

  /// The totals so far; allocates nothing.
  AllocationCounts counts() const {
    inmem_scope_counts C = {};
    if (Scope)
      check(inmem_scope_read(Scope, &C), "read");
    return AllocationCounts(C);
  }
  uint64_t blocks() const { return counts().blocks; }
  uint64_t bytes() const { return counts().bytes; }

  /// The counts so far, by type and by site.
  Allocations allocations() const {
    Unseen Hidden;
    auto Data = std::make_shared<Allocations::Contents>();
    if (Scope) {
      Data->Total = counts();
      check(inmem_scope_types(Scope, addType, &Data->Types), "read");
      check(inmem_scope_sites(Scope, addSite, Data.get()), "read");
      Data->moveNamed();
      Data->merge();
      Data->sort();
    }
    return Allocations(std::move(Data), Status);
  }

  /// Follow::EachBlock only: excludes blocks allocated from now on by
  /// uninstrumented code in the shared object that contains \p Code.
  void leaveOut(const void *Code) {
    if (Scope)
      check(inmem_scope_leave_out(Scope, Code), "used");
  }

  /// Stops counting; allocations() and counts() no longer change.
  Allocations end() {
    stop();
    return allocations();
  }
  void stop() {
    if (Scope)
      check(inmem_scope_end(Scope), "ended");
  }

private:
  std::string wrongThread(const char *Act) const {
    Unseen Hidden;
    return "an allocation scope of thread " + std::to_string(Owner) + " was " +
           Act + " by thread " + std::to_string(gettid());
  }
  void check(int Result, const char *Act) const {
    if (Result == INMEM_SCOPE_WRONG_THREAD)
      detail::fail(wrongThread(Act));
    if (Result != INMEM_SCOPE_OK)
      Status = Result;
  }
  static void addType(const inmem_scope_type *T, void *Types) {
    TypeCounts New;
    static_cast<AllocationCounts &>(New) = AllocationCounts(T->counts);
    New.name = detail::typeName(T->type);
    New.canonical = T->type ? T->type : "";
    New.id = T->type_id;
    static_cast<std::vector<TypeCounts> *>(Types)->push_back(std::move(New));
  }
  static void addSite(const inmem_scope_site *S, void *Data) {
    auto &To = *static_cast<Allocations::Contents *>(Data);
    SiteCounts New;
    static_cast<AllocationCounts &>(New) = AllocationCounts(S->counts);
    New.type = detail::typeName(S->type);
    New.typeId = S->type_id;
    if (const char *Known = detail::typeInLibrary(*S)) {
      New.typeId = *Known == 'c' ? typeId<char>() : typeId<wchar_t>();
      New.type = detail::typeName(New.typeId ? Known : nullptr);
    }
    New.place = detail::placeName(*S);
    for (uint32_t I = 0; I < S->place_count; ++I)
      if (S->places[I].function)
        New.functions += std::string(S->places[I].function) + "\n";
    New.returnAddress = S->return_address;
    New.module = S->module ? S->module : "";
    if (New.typeId != S->type_id)
      To.addNamed(New);
    To.Sites.push_back(std::move(New));
  }

  mutable int Status;
  pid_t Owner;
  inmem_scope *Scope = nullptr;
};

/// Runs \p Work. Returns the allocations, with lifetimes, that the threads of
/// \p Whose made during the call.
template <class Function>
Allocations allocationsOf(Function &&Work, Subject Whose = thisThread) {
  AllocationScope Scope(Follow::EachBlock, Whose);
  std::forward<Function>(Work)();
  return Scope.end();
}

} // namespace inmem

#endif
