//===- TraceTarget.cpp - Bytes of a trace to everything in trace/ ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reader, verifier and dump of any bytes end, stay within the bytes, and take
// memory in proportion to them (SECURITY.md states the figure).
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include "TraceInput.h"

#include "trace/read/Reader.h"
#include "trace/read/Verifier.h"

using namespace inmem;
using namespace inmem::trace;

constexpr size_t kReaderMultiple = 32;
constexpr size_t kReaderBase = 128 << 10; // a stream's pairs, pieces of text

int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const fuzz::WithinASecond Limit;
  auto Bytes = fuzz::unpackTrace(Data, Size);
  const size_t FileBytes = Bytes.size();
  const auto File = Buffer::fromBytes(std::move(Bytes), "input");
  fuzz::resetPeak();
  {
    const auto All = readTraces(File);
    if (All)
      for (const Trace &T : *All) {
        verify(T);
        size_t Characters = 0;
        const TextSink Count = [&](std::string_view Piece) {
          Characters += Piece.size();
        };
        dump(T, {true, true}, Count);
        dumpTypes(T, Count);
        for (const Entry &E : T.Entries)
          T.buckets(E);
        for (const Site &S : T.Sites)
          T.frames(S);
      }
  }
  fuzz::check(fuzz::peakOfHeap() <= kReaderBase + kReaderMultiple * FileBytes,
              "reading takes at most 32 times the file");
  return 0;
}
