// Intent: files below folders that projects use for code of others are a library's, with -I as with -isystem; so are those of another repository, and
// what library= names. mine= and the unit's own folder make them the program's. Without the AST half, too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && %split-file %s %t && mkdir -p %t/app/third_party/kit/include %t/app/own %t/app/.git %t/app/lib/sub/.git %t/elsewhere/.git
// RUN: cp %t/kit.h %t/app/third_party/kit/include/kit.h && cp %t/kit.h %t/app/own/kit.h
// RUN: cp %t/kit.h %t/app/lib/sub/kit.h && cp %t/kit.h %t/elsewhere/kit.h
// RUN: cp %t/main.cpp %t/app/main.cpp && cp %t/main.cpp %t/app/third_party/kit/main.cpp
// DEFINE: %{flags} =
// DEFINE: %{main} = main.cpp
// DEFINE: %{lines} = cd %t/app && %inmem-clangxx %{flags} %{main} -o %t/exe && rm -f %t/inmem && env INMEM_OPTIONS=output=%t/inmem %t/exe && \
// DEFINE:   %inmem report %t/inmem --format json > %t/json && \
// DEFINE:   %python %S/Inputs/lines.py %t/json main.cpp > %t/out && %python %S/Inputs/lines.py %t/json kit.h >> %t/out && \
// DEFINE:   %FileCheck %t/main.cpp --input-file=%t/out --check-prefix

// The user's lines alone.
// REDEFINE: %{flags} = -isystem third_party/kit/include
// RUN: %{lines} THEIRS
// REDEFINE: %{flags} = -Ithird_party/kit/include
// RUN: %{lines} THEIRS
// REDEFINE: %{flags} = -O2 -I%t/app/own/../third_party/kit/include
// RUN: %if all-tiers %{ %{lines} THEIRS %}
// REDEFINE: %{flags} = -save-temps=obj -Ithird_party/kit/include
// RUN: %{lines} THEIRS
// A submodule, and another repository.
// REDEFINE: %{flags} = -Ilib/sub
// RUN: %{lines} THEIRS
// REDEFINE: %{flags} = -I../elsewhere
// RUN: %if all-tiers %{ %{lines} THEIRS %}
// REDEFINE: %{flags} = -Iown -fplugin-arg-inmem-library=unused/*,own/*
// RUN: %{lines} THEIRS
// REDEFINE: %{flags} = -Iown -fplugin-arg-inmem-library=%t/app/own/kit.h
// RUN: %if all-tiers %{ %{lines} THEIRS %}
// What is installed, for a program in no repository.
// RUN: echo '{"version": 0, "use-external-names": false, "roots": [{"type": "file", "name": "/usr/include/kit/kit.h", "external-contents": "%{t}/kit.h"}]}' > %t/overlay
// RUN: bash -ec 'F=$(mktemp -d); cp %t/main.cpp $F; %inmem-clangxx -ivfsoverlay %t/overlay -I/usr/include/kit $F/main.cpp -o %t/installed; rm -r $F'
// RUN: rm -f %t/inmem && env INMEM_OPTIONS=output=%t/inmem %t/installed && %inmem report %t/inmem --format json > %t/json
// RUN: %python %S/Inputs/lines.py %t/json main.cpp > %t/out && %python %S/Inputs/lines.py %t/json kit.h >> %t/out
// RUN: %FileCheck %t/main.cpp --input-file=%t/out --check-prefix=THEIRS

// The lines of the header.
// REDEFINE: %{flags} = -Iown
// RUN: %{lines} MINE
// REDEFINE: %{flags} = -Ithird_party/kit/include -fplugin-arg-inmem-mine=*/kit/*
// RUN: %{lines} MINE
// REDEFINE: %{flags} = -isystem third_party/kit/include -fplugin-arg-inmem-mine=third_party/*
// RUN: %if all-tiers %{ %{lines} MINE %}
// REDEFINE: %{main} = third_party/kit/main.cpp
// REDEFINE: %{flags} = -Ithird_party/kit/include
// RUN: %{lines} MINE

// RUN: not %inmem-clangxx -fplugin-arg-inmem-library= -c %t/main.cpp -o %t/o 2>&1 | %FileCheck %s --check-prefix=BAD
// BAD: bad value '' for plugin option 'inmem-library'; valid: globs of source files

//--- kit.h
#pragma once
#include <vector>
namespace kit {
inline void *volatile Kept;
struct Buffer {
  std::vector<char> Bytes;
  void write(const char *Text) {
    while (*Text)
      Bytes.push_back(*Text++);
  }
};
[[gnu::noinline]] inline long render(int I) {
  Buffer B;
  B.write("the text of a message");
  Kept = B.Bytes.data();
  auto *Number = new long(I);
  Kept = Number;
  delete Number;
  return static_cast<long>(B.Bytes.size());
}
} // namespace kit
//--- main.cpp
#include <kit.h>
// THEIRS: whole
// THEIRS-NEXT: line [[#@LINE+10]]: 70
// THEIRS-NEXT: whole
// THEIRS-NOT: line
// MINE: whole
// MINE-NEXT: whole
// MINE-NEXT: line 9: 60
// MINE-NEXT: line 16: 10
int main() {
  long Sum = 0;
  for (int I = 0; I < 10; ++I)
    Sum += kit::render(I);
  return Sum == 0;
}
