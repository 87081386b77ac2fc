//===- ImportTarget.cpp - Other tools' profiles (`inmem import`) ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each reader gets the same bytes. What one of them accepts becomes a trace
// without damage.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"

#include "report/import/Imported.h"
#include "report/model/Profile.h"
#include "trace/read/Reader.h"

using namespace inmem;
using namespace inmem::report;

int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const fuzz::WithinASecond Limit;
  const auto *Begin = reinterpret_cast<const std::byte *>(Data);
  const auto File = trace::Buffer::fromBytes({Begin, Begin + Size}, "input");
  for (const ImportFormat &F : importFormats()) {
    const auto Read = F.Read(*File);
    if (!Read) {
      fuzz::check(!Read.status().str().empty(),
                  "what is refused has a message");
      continue;
    }
    auto Bytes = Read->write();
    fuzz::check(static_cast<bool>(Bytes), "what is read can be written");
    const auto All =
        trace::readTraces(trace::Buffer::fromBytes(std::move(*Bytes), "made"));
    fuzz::check(All && All->size() == 1 && !All->front().damaged(),
                "what is written is a trace");
    fuzz::check(static_cast<bool>(buildProfile(*All)), "it has a profile");
  }
  return 0;
}
