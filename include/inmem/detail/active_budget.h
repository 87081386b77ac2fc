// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// active_budget.h - a budget in force, as the runtime calls it. Part of
// budget.h.
#ifndef INMEM_DETAIL_ACTIVE_BUDGET_H
#define INMEM_DETAIL_ACTIVE_BUDGET_H

#include "../allocation_scope.h"
#include "../excess.h"
#include "../type_limit.h"
#include "print_stack.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <unistd.h>
#include <utility>

namespace inmem::detail {

/// A budget that is in force from its construction to its destruction.
class ActiveBudget {
public:
  ActiveBudget(std::uint64_t Bytes, std::uint64_t Blocks, TypeLimits *Types,
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
      std::fprintf(stderr,
                   "inmem: a budget of thread %d was destroyed by thread %d\n",
                   static_cast<int>(Owner), static_cast<int>(gettid()));
      std::abort(); // its memory is freed, and its thread would still use it
    }
    if (Reported)
      std::fprintf(stderr, "inmem: budget of %s:%d: %s%s\n",
                   shortPath(File).c_str(), Line, First->c_str(),
                   others().c_str());
  }
  ActiveBudget(const ActiveBudget &) = delete;
  ActiveBudget &operator=(const ActiveBudget &) = delete;

  const inmem_budget &counters() const { return Budget; }
  int status() const { return Status; }
  void check() {
    std::shared_ptr<const std::string> Text;
    {
      std::lock_guard<std::mutex> Lock(Reports);
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
      std::fprintf(stderr, "inmem: %s (%s:%d)\n", Text->c_str(),
                   shortPath(Self.File).c_str(), Self.Line);
      printStack();
      std::abort();
    }
#ifdef INMEM_DETAIL_EXCEPTIONS
    if (E->may_throw)
      throw budget_exceeded(std::move(Text), Resume());
#endif
    std::lock_guard<std::mutex> Lock(Self.Reports);
    if (Self.Reported++ == 0)
      Self.First = std::move(Text);
  }

  inmem_budget Budget = {};
  const Action *What;
  const char *File;
  int Line;
  pid_t Owner;
  int Status;
  std::mutex Reports; ///< several threads may go over at once
  std::uint64_t Reported = 0;
  std::shared_ptr<const std::string> First;
};

} // namespace inmem::detail

#endif
