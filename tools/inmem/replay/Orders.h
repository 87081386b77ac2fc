//===- Orders.h - Orders in which threads may have run ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_REPLAY_ORDERS_H
#define INMEM_TOOLS_REPLAY_ORDERS_H

#include "replay/Script.h"

#include <string>

namespace inmem::tools {

/// One possible order of all steps. A thread's steps keep their order, and no
/// block is freed before it is allocated. A thread begins after the steps that
/// the main thread recorded before it. Steps that the main thread recorded
/// after a thread's end come after that end.
struct Order {
  std::string Name;
  std::vector<replayer::Turn> Turns; ///< of Script::Threads' steps, one thread
                                     ///< after the other
};

/// Makes \p Count orders: as recorded; each thread until it has to wait, with
/// threads freeing their own blocks if the freeing thread ran earlier; all in
/// small turns; and recorded ones with varying thread speeds. A single-threaded
/// program has only one.
std::vector<Order> makeOrders(const Script &S, size_t Count);

} // namespace inmem::tools

#endif
