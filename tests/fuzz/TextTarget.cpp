//===- TextTarget.cpp - Text to a trace, and back -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fuzz.h"

#include "trace/read/Reader.h"
#include "trace/text/Text.h"

using namespace inmem;
using namespace inmem::trace;

int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const fuzz::WithinASecond Limit;
  auto Bytes = assemble({reinterpret_cast<const char *>(Data), Size});
  if (!Bytes)
    return 0;
  const auto All = readTraces(Buffer::fromBytes(std::move(*Bytes), "input"));
  if (!All)
    return 0; // the header may hold what no process has
  const std::string Once = dump((*All)[0]);
  const auto Again = assemble(Once);
  fuzz::check(static_cast<bool>(Again), "what dump writes can be assembled");
  return 0;
}
