//===- ProfileApi.cpp - inmem/profile_api.h -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profiler/Profiler.h"

#include "hot/Recorder.h"
#include "profiler/SampleCounts.h"
#include "state/Runtime.h"
#include "threads/ThreadLifetimes.h"

using namespace inmem::rt;

int inmem_profile_start(const struct inmem_profile_options *Options) {
  SlowEvent Inside(Thread);
  if (!Inside || !ensureStarted())
    return 0;
  const bool Cpu = Options && Options->clock == INMEM_PROFILE_CPU;
  ProfileSettings O = {
      Cpu ? inmem::trace::ProfileClock::Cpu : inmem::trace::ProfileClock::Wall,
      Options ? Options->interval_ns : 0, Options ? Options->depth : 0};
  return startProfile(O);
}

void inmem_profile_stop(void) {
  SlowEvent Inside(Thread);
  if (Inside)
    stopProfile();
}

size_t inmem_profile_read(void (*Visit)(const struct inmem_profile_sample *,
                                        void *),
                          void *Data) {
  size_t Calls = 0;
  for (uint32_t N = 0;; ++N) {
    inmem_profile_sample Out = {};
    {
      SlowEvent Inside(Thread);
      Locked L(Process.Mutex);
      Profiled P;
      if (!Inside || !profiled(N, P))
        return Calls;
      if (!P.IsCurrent)
        continue;
      Out.thread_id = P.Cell->Lifetime;
      if (P.Cell->Lifetime && P.Cell->Lifetime <= livedThreadCount())
        Out.tid = livedThread(P.Cell->Lifetime).Lifetime->Tid;
      Out.blocked = P.Cell->Wait != 0;
      Out.system_call = P.Call;
      Out.target = P.Target;
      Out.frames = reinterpret_cast<const void *const *>(P.Frames);
      Out.depth = P.Depth;
      Out.count = P.Cell->Count;
    }
    ++Calls;
    Visit(&Out, Data);
  }
}
