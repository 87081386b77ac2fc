// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation in a part of the run that must not wait for an allocator.
#include "inmem/inmem.h"

#include <cstdio>
#include <vector>

static float mix(const std::vector<float> &In, std::vector<float> &Out) {
  for (size_t I = 0; I < In.size(); ++I)
    Out[I] = In[I] * 0.5f;
  return Out.back();
}

int main() {
  const std::vector<float> In(512, 1.0f);
  std::vector<float> Kept(In.size());
  float Sum = 0;
  inmem_phase("steady: audio");
  for (int Period = 0; Period < 1000; ++Period) {
#ifdef ADVICE
    Sum += mix(In, Kept);
#else
    std::vector<float> Out(In.size());
    Sum += mix(In, Out);
#endif
  }
  inmem_phase("shut down");
  std::printf("%g\n", Sum);
}
