//===- Recorder.h - Counting an event: the hot path -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by Hooks.cpp right after an allocation and right before a free. No
// lock, no hash, no system call, no shared counter: the site record, this
// thread's slot, row and cells, and the live index. Everything else (first use
// of a site, sampling, mode=trace, a stopped recorder, the guard) finds slots
// that are 0 and goes to a slow path.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_RECORDER_H
#define INMEM_RUNTIME_RECORDER_H

#include "hot/Allocate.h"
#include "hot/Free.h"
#include "hot/Retag.h"
#include "hot/Suspension.h"

#endif
