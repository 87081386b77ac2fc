// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// excess.h - an allocation that exceeds a budget, and what to do then. Part
// of budget.h.
#ifndef INMEM_EXCESS_H
#define INMEM_EXCESS_H

#include "scope_api.h"

#include <functional>
#include <memory> // also std::bad_alloc
#include <string>

namespace inmem {

namespace detail {
/// Ends inmem_ignore_begin().
struct Resume {
  ~Resume() {
    if (inmem_ignore_end)
      inmem_ignore_end();
  }
};
} // namespace detail

/// Thrown by the allocation that exceeds a budget; the block was not allocated.
class budget_exceeded : public std::bad_alloc {
public:
  /// Throw while allocations are ignored, so that the exception itself is not
  /// counted; the temporary Resume re-enables counting.
  budget_exceeded(std::shared_ptr<const std::string> Text,
                  const detail::Resume &)
      : Text(std::move(Text)) {}
  const char *what() const noexcept override { return Text->c_str(); }

private:
  std::shared_ptr<const std::string> Text;
};

/// An allocation that exceeds a budget.
struct Excess {
  std::string what;        ///< "blocks" or "bytes"
  std::string limited;     ///< the type that the limit is for; empty: all
  uint64_t limit, reached; ///< reached: with this allocation
  std::string type;        ///< type of the block
  std::string place;       ///< source location in the program's own code
  uint64_t size;

  /// "an allocation of 24 bytes (Foo) by make  a.cpp:3 goes over ..."
  std::string message() const {
    return "an allocation of " + std::to_string(size) +
           (size == 1 ? " byte (" : " bytes (") + type + ") by " + place +
           (limit == 0 ? std::string(", where none is allowed")
                       : ": " + std::to_string(reached) + " " + what +
                             ", the budget is " + std::to_string(limit)) +
           (limited.empty() ? "" : " of type " + limited);
  }
};

enum class OnExcess {
  Throw, ///< budget_exceeded; as Report if it could not be caught
  Abort, ///< a message with the stack on stderr, then std::abort
  Report ///< a message on stderr when the budget's scope ends
};

/// The response to an excess: one of the above, or a function. The function is
/// called at the allocation, possibly by several threads concurrently. It must
/// not throw, and its own allocations are not counted.
class ExcessResponse {
public:
  ExcessResponse(OnExcess Kind) : Kind(Kind) {}
  template <class Function, class = decltype(std::declval<Function &>()(
                                std::declval<const Excess &>()))>
  ExcessResponse(Function Callback) : Callback(std::move(Callback)) {}

  OnExcess Kind = OnExcess::Report;
  std::function<void(const Excess &)> Callback;
};
using Action = ExcessResponse; ///< deprecated name

} // namespace inmem

#endif
