//===- Orders.h - Requests of other processes -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `inmem ctl` puts orders into the trace that both map (trace::OrderQueue), and
// lowers the limit of each thread's cell of all types, which the hot path looks
// at anyway: the thread's next event takes the slow path and obeys first.
// Listening costs nothing, no thread, no signal, no descriptor.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_ORDERS_H
#define INMEM_RUNTIME_ORDERS_H

namespace inmem::rt {

/// Executes waiting orders. The process must be Ready. With the guard, without
/// the mutex.
void obeyOrders();
/// As obeyOrders(), with the mutex.
void obeyOrdersLocked();

/// Called by the runtime's own threads whenever they wake: executes orders that
/// no thread of an idle program gets to, up to the first one about profiles.
/// Without the mutex; looks at most every 20 ms.
void obeyForIdle();

/// Switches recording for all threads and updates the header. With the mutex.
void setRecording(bool On);

/// Installs handlers for the signals that give orders (signals=). With the
/// mutex.
void listenToSignals();

} // namespace inmem::rt

#endif
