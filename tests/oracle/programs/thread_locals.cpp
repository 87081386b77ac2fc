// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oracle-flags: -pthread
// Thread-local objects that own memory; freed while their thread ends.
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

thread_local std::vector<std::string> Log;

int main() {
  for (int t = 0; t < 8; ++t)
    std::thread([t] {
      for (int i = 0; i < 100; ++i)
        Log.push_back("entry " + std::to_string(i * t) +
                      " of a thread's own log");
    }).join();
  std::puts("done");
}
