//===- CopiedStrings.cpp - The compiler's record of copied strings --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects/Objects.h"

#include "registry/Modules.h"
#include "registry/RecordBuilder.h"
#include "registry/SiteRegistry.h"
#include "trace/format/FeatureRecords.h"

namespace inmem::rt {

using namespace trace;

static void writeCopy(const inmem_string_copy &C) {
  StringCopyRecord R = {};
  R.Key = C.key;
  R.Line = C.line;
  R.Column = C.column;
  R.Kind = C.kind;
  R.Flags = C.flags;
  RecordBuilder Builder(RecordKind::StringCopy, sizeof R);
  R.Function = Builder.string(textAt(C.function));
  R.File = Builder.string(textAt(C.file));
  R.Name = Builder.string(textAt(C.name));
  Builder.append(&R, sizeof R);
}

static void writeSource(const inmem_source &S) {
  SourceRecord R = {};
  R.Hash = S.hash;
  R.Flags = S.flags;
  RecordBuilder Builder(RecordKind::Source, sizeof R);
  R.File = Builder.string(textAt(S.file));
  Builder.append(&R, sizeof R);
}

void writeStringCopies(RegisteredModule &M) {
  if (M.HasCopies || !M.Descriptor ||
      // NOLINTNEXTLINE(bugprone-sizeof-expression): of the member, a pointer
      !INMEM_MODULE_HAS(M.Descriptor, copies_end))
    return;
  M.HasCopies = true;
  for (const inmem_string_copy *C = M.Descriptor->copies_begin;
       C < M.Descriptor->copies_end; ++C)
    writeCopy(*C);
  // NOLINTNEXTLINE(bugprone-sizeof-expression): as above
  if (!INMEM_MODULE_HAS(M.Descriptor, sources_end))
    return;
  for (const inmem_source *S = M.Descriptor->sources_begin;
       S < M.Descriptor->sources_end; ++S)
    writeSource(*S);
}

void forgetStringCopies() {
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next)
    M->HasCopies = false;
}

} // namespace inmem::rt
