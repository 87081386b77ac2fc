//===- Orders.h - Orders in which threads may have run ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_REPLAY_ORDERS_H
#define INMEM_TOOLS_REPLAY_ORDERS_H

#include "replay/Script.h"

#include <string>

namespace inmem::tools {

/// One order of all steps, as they may have run: the steps of a thread keep
/// their order, no block is freed before it is allocated, no thread begins
/// before what the main thread did until then, and the main thread does nothing
/// that it did behind the end of a thread before that has ended.
struct Order {
  std::string Name;
  std::vector<replayer::Turn> Turns; ///< of Script::Threads' steps, one thread
                                     ///< after the other
};

/// \p Count orders: as recorded; each thread until it has to wait, while
/// threads free their own blocks where an earlier one did; all in small turns;
/// and recorded ones in which threads were now slower, now faster. One for a
/// program of one thread.
std::vector<Order> makeOrders(const Script &S, size_t Count);

} // namespace inmem::tools

#endif
