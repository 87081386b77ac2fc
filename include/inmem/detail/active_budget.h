// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// active_budget.h - a budget that is registered with the runtime, which calls
// it back. Part of budget.h.
#ifndef INMEM_DETAIL_ACTIVE_BUDGET_H
#define INMEM_DETAIL_ACTIVE_BUDGET_H

#include "../excess.h"
#include "../subject.h"
#include "../type_limit.h"
#include "message.h"
#include "print_stack.h"

#include <memory>
#include <string>
#include <unistd.h>

namespace inmem::detail {

/// A budget that is in force from its construction to its destruction.
class ActiveBudget {
public:
  ActiveBudget(uint64_t Bytes, uint64_t Blocks, TypeLimits *Types,
               const Action *What, const char *File, int Line,
               Subject Whose = thisThread)
      : What(What), File(File), Line(Line), Owner(gettid()) {
    Budget.bytes = Bytes;
    Budget.blocks = Blocks;
    Budget.types = Types ? Types->data() : nullptr;
    Budget.type_count = Types ? Types->size() : 0;
    Budget.act = act;
    Budget.data = this;
#ifdef INMEM_DETAIL_EXCEPTIONS
    Budget.throws = !What->Callback && What->Kind == OnExcess::Throw;
#endif
    Status = inmem_budget_begin_for ? inmem_budget_begin_for(&Budget, Whose.id)
                                    : kNotInstrumented;
  }
  ~ActiveBudget() {
    if (Status != INMEM_SCOPE_OK)
      return;
    Unseen Hidden;
    if (inmem_budget_end(&Budget) == INMEM_SCOPE_WRONG_THREAD) {
      // The budget's memory is about to be freed, but its thread would still
      // use it.
      die("inmem: a budget of thread " + std::to_string(Owner) +
          " was destroyed by thread " + std::to_string(gettid()) + "\n");
    }
    if (Reported)
      print("inmem: budget of " + location() + ": " + *First + others() + "\n");
  }
  ActiveBudget(const ActiveBudget &) = delete;
  ActiveBudget &operator=(const ActiveBudget &) = delete;

  const inmem_budget &counters() const { return Budget; }
  int status() const { return Status; }
  void check() {
    std::shared_ptr<const std::string> Text;
    {
      const Lock Held(Reports);
      if (!Reported)
        return;
      Reported = 0;
      Text = First;
    }
#ifdef INMEM_DETAIL_EXCEPTIONS
    if (inmem_ignore_begin)
      inmem_ignore_begin();
    throw budget_exceeded(std::move(Text), Resume());
#else
    fail(*Text);
#endif
  }

private:
  /// Held for a few instructions, which do not allocate.
  class Lock {
  public:
    explicit Lock(bool &Of) : Taken(Of) {
      while (__atomic_test_and_set(&Taken, __ATOMIC_ACQUIRE))
        ;
    }
    ~Lock() { __atomic_clear(&Taken, __ATOMIC_RELEASE); }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

  private:
    bool &Taken;
  };

  std::string location() const {
    return shortPath(File) + ":" + std::to_string(Line);
  }
  std::string others() const {
    return Reported == 1
               ? ""
               : " (and " + std::to_string(Reported - 1) + " more like it)";
  }

  static void act(inmem_budget *B, const inmem_excess *E) {
    auto &Self = *static_cast<ActiveBudget *>(B->data);
    std::shared_ptr<const std::string> Text;
    {
      const Excess X = {E->what,    E->type ? E->type : "", E->limit,
                        E->reached, typeName(E->site),      placeName(E->site),
                        E->size};
      if (Self.What->Callback)
        return Self.What->Callback(X);
      std::string Message = X.message();
      if (E->why_not_thrown)
        Message += std::string("; ") + E->why_not_thrown;
      Text = std::make_shared<const std::string>(std::move(Message));
    }
    if (Self.What->Kind == OnExcess::Abort) {
      print("inmem: " + *Text + " (" + Self.location() + ")\n");
      printStack();
      __builtin_abort();
    }
#ifdef INMEM_DETAIL_EXCEPTIONS
    if (E->may_throw)
      throw budget_exceeded(std::move(Text), Resume());
#endif
    const Lock Held(Self.Reports);
    if (Self.Reported++ == 0)
      Self.First = std::move(Text);
  }

  inmem_budget Budget = {};
  const Action *What;
  const char *File;
  int Line;
  pid_t Owner;
  int Status;
  bool Reports = false; ///< a Lock: several threads may exceed the budget
  uint64_t Reported = 0;
  std::shared_ptr<const std::string> First;
};

} // namespace inmem::detail

#endif
