//===- Fuzz.h - Code that fuzz targets share ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target is LLVMFuzzerTestOneInput: it crashes (or check() ends the process)
// where something is wrong. Linked with libFuzzer, or with Replay.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FUZZ_FUZZ_H
#define INMEM_FUZZ_FUZZ_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size);

namespace inmem::fuzz {

/// Ends the process, with a line that says what does not hold.
inline void check(bool Holds, const char *What) {
  if (Holds)
    return;
  std::fprintf(stderr, "does not hold: %s\n", What);
  std::abort();
}

/// The most heap that was in use since the last call of resetPeak, beyond what
/// was in use then; in bytes. Always 0 without sanitizers.
size_t peakOfHeap();
void resetPeak();

/// Demands that what is done in its scope takes less than a second of CPU time:
/// unlike libFuzzer's -timeout, a busy machine makes no difference.
class WithinASecond {
public:
  WithinASecond() : Start(std::clock()) {}
  ~WithinASecond() {
    check(std::clock() - Start < CLOCKS_PER_SEC,
          "an input takes less than a second");
  }
  WithinASecond(const WithinASecond &) = delete;
  WithinASecond &operator=(const WithinASecond &) = delete;

private:
  std::clock_t Start;
};

} // namespace inmem::fuzz

#endif
