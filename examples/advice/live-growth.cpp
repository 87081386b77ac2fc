// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subscriptions that outlive their connections. Each phase is a moment at which
// it is known what was alive.
#include "inmem/inmem.h"

#include <cstdio>
#include <cstdlib>
#include <string>

struct Subscription {
  int Topic;
  char Filter[28];
};

static int served(int Topic) {
  auto *Of = static_cast<Subscription *>(std::malloc(sizeof(Subscription)));
  Subscription *volatile Hidden = Of;
  Hidden->Topic = Topic;
  const std::string Message =
      "a message to all that subscribed to " + std::to_string(Topic);
  const int Out = Hidden->Topic + static_cast<int>(Message.size());
#ifdef ADVICE
  std::free(Of);
#endif
  return Out;
}

int main() {
  long Sum = 0;
  for (const char *Phase : {"morning", "noon", "evening"}) {
    inmem_phase(Phase);
    for (int I = 0; I < 1000; ++I)
      Sum += served(I);
  }
  std::printf("%ld\n", Sum);
}
