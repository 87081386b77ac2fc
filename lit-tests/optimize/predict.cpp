// Intent: whether predictions hold on another input is seen beside what both programs use, with one command; what cannot be
// compared is said, and sampled traces count for all blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// RUN: %clangxx -O1 %s -o %t/plain
// RUN: %clangxx -O1 -static %s -o %t/static
// RUN: %inmem-clangxx -O1 -g %s -o %t/recorded
// RUN: env INMEM_OPTIONS=stacks=12:clock=events:output=%t/train.inmem %t/recorded 2000
// RUN: cd %t && %inmem verify-optimization --runs 1 --tolerance 10000 plain plain --trained train.inmem --recorded recorded -- 4000 | \
// RUN:   %FileCheck %s --check-prefix=HELD
// RUN: env INMEM_OPTIONS=stacks=2:clock=exact:output=%t/shallow.inmem %t/recorded 4000
// RUN: cd %t && %inmem verify-optimization --runs 1 --tolerance 10000 plain plain --trained shallow.inmem --recorded recorded -- 4000 | \
// RUN:   %FileCheck %s --check-prefix=HELD
// HELD: peak RSS
// HELD: CPU time
// HELD: PREDICTIONS
// HELD-NEXT: held for 100 % of the bytes, 3 contexts of 3
// HELD-NOT: {{note|NOT AS}}
//
// An input on which what was passed is kept: the programs are the same, and the predictions are not worth their profile.
// RUN: %not %inmem verify-optimization --runs 1 --tolerance 10000 %t/plain %t/plain --trained %t/train.inmem \
// RUN:   --recorded %t/recorded -- 4000 keep | %FileCheck %s --check-prefix=MISSED
// MISSED: held for {{[0-9.]+}} % of the bytes, 2 contexts of 3: below 90 %
// MISSED: NOT AS PREDICTED
// MISSED-NEXT: bytes blocks predicted was context
// MISSED-NEXT: 781 KiB 16.0 k short steady make:+1 < pass
// RUN: %not %inmem verify-optimization --runs 1 --tolerance 10000 --format json %t/plain %t/plain --trained %t/train.inmem \
// RUN:   --recorded %t/recorded -- 4000 keep > %t/missed.json
// RUN: %python %S/Inputs/holds.py %t/missed.json 'kind == "programs"' 'worse' 'predictions["missed"]["blocks"] == 16000' \
// RUN:   'not any(each["worse"] for each in figures.values())' 'recorded.endswith("recorded")' 'trained[0].endswith("train.inmem")' \
// RUN:   '[each["was"] for each in predictions["contexts"] if not each["held"]] == ["steady"]' 'predictions["held_share"] < 0.9'
//
// Live bytes of programs that cannot be recorded are those of the recorded one.
// RUN: %inmem verify-optimization --runs 1 --tolerance 10000 --format json %t/static %t/static --trained %t/train.inmem \
// RUN:   --recorded %t/recorded -- 4000 > %t/static.json
// RUN: %python %S/Inputs/holds.py %t/static.json 'live_bytes["peak"] >= 200000 + 32000' 'predictions["held_share"] == 1'
//
// Each figure of the text is in JSON.
// RUN: %inmem verify-optimization --format json %t/train.inmem %t/train.inmem > %t/same.json
// RUN: %python %S/Inputs/holds.py %t/same.json 'all(each["change_percent"] == 0 for each in figures.values())' \
// RUN:   'figures["allocations"]["old"] >= 10001' \
// RUN:   'all(type(each["old"]) is int for name, each in figures.items() if name != "wall_seconds")' 'predictions["held"]["contexts"] == 3' 'predictions["notes"] == []'
//
// As many bytes with a higher peak are worse, if it is above the tolerance.
// RUN: env INMEM_OPTIONS=stacks=12:clock=events:output=%t/batch.inmem %t/recorded 2000 batch
// RUN: %inmem verify-optimization %t/train.inmem %t/batch.inmem | %FileCheck %s --check-prefix=SAME
// SAME: peak live {{.*}} +0.{{[1-9]}} % same
// SAME: held for 100 %
// RUN: %not %inmem verify-optimization --tolerance 0 %t/train.inmem %t/batch.inmem | %FileCheck %s --check-prefix=PEAK
// PEAK: peak live {{.*}} +0.{{[1-9]}} % worse
// PEAK-NEXT: allocated {{.*}} +0.0 % not judged
// PEAK: held for 100 %
// RUN: %not %inmem verify-optimization --tolerance 0 --format json %t/train.inmem %t/batch.inmem > %t/peak.json
// RUN: %python %S/Inputs/holds.py %t/peak.json 'worse' '[name for name, each in figures.items() if each["worse"]] == ["peak_live_bytes"]'
// RUN: env INMEM_OPTIONS=stacks=12:clock=events:output=%t/more.inmem %t/recorded 2100
// RUN: %inmem verify-optimization --tolerance 0 %t/train.inmem %t/more.inmem | %FileCheck %s --check-prefix=MORE
// MORE: peak live {{.*}} % not judged
//
// A context is named by the program's own function, not by the library's; --top says how many.
// RUN: env INMEM_OPTIONS=stacks=12:clock=events:output=%t/deleted.inmem %t/recorded 2000 vector
// RUN: env INMEM_OPTIONS=stacks=12:clock=events:output=%t/kept.inmem %t/recorded 2000 Vector
// RUN: %not %inmem verify-optimization --top 1 %t/deleted.inmem %t/kept.inmem | %FileCheck %s --check-prefix=TOP
// TOP: 3 contexts of 5
// TOP: NOT AS PREDICTED
// TOP-NEXT: context
// TOP-NEXT: 58.6 KiB 2000 short steady use:+1 < main
// TOP-NEXT: 1 more context (--top 0 shows all)
// RUN: %not %inmem verify-optimization --top 0 %t/deleted.inmem %t/kept.inmem | %FileCheck %s --check-prefix=ALL
// ALL: 58.6 KiB 2000 short steady use:+1 < main
// ALL-NEXT: 46.9 KiB 2000 short steady use:+1 < main
// ALL-NOT: more context
//
// No trace is written.
// RUN: %not %inmem verify-optimization --runs 1 %t/plain %t/plain --trained %t/train.inmem --recorded %t/plain -- 10 2>&1 | \
// RUN:   %FileCheck %s --check-prefix=PLAIN
// PLAIN: inmem: {{.*}}plain: expected a program compiled with inmem, found one that writes no trace
//
// One allocation in seven, or some by their bytes, stand for all.
// RUN: env INMEM_OPTIONS=stacks=12:clock=events:every=7:output=%t/every.inmem %t/recorded 2000
// RUN: %inmem optimize -o %t/every.yaml %t/every.inmem 2>&1 | %FileCheck %s --check-prefix=NOTE
// NOTE: inmem: {{.*}}every.inmem (pid {{[0-9]+}}): one allocation in 7 recorded
// RUN: %FileCheck %s --check-prefix=EVERY < %t/every.yaml
// EVERY: _Z4keepi,
// EVERY: AllocCount: {{199.|200.}}, TotalSize: {{99...|100...}}, MinSize: 50,
// EVERY: _Z4passi4Mode,
// EVERY: AllocCount: {{799.|800.}}, TotalSize: {{399...|400...}}, MinSize: 50,
// RUN: %inmem verify-optimization %t/train.inmem %t/every.inmem | %FileCheck %s --check-prefix=SAMPLED
// SAMPLED: peak live {{[0-9.]+}} KiB ? - not judged
// SAMPLED: allocated {{.*}}KiB
// SAMPLED: blocks 10.0 k 10.0 k {{[+-]0.[01]}} %
// SAMPLED: note: {{.*}}every.inmem (pid {{[0-9]+}}):{{.*}}
// SAMPLED: figures are estimates
// RUN: env INMEM_OPTIONS=stacks=12:clock=events:sample_bytes=500:output=%t/bytes.inmem %t/recorded 20000
// RUN: %inmem optimize -q -o %t/bytes.yaml %t/bytes.inmem && %FileCheck %s --check-prefix=BYTES < %t/bytes.yaml
// BYTES: _Z4keepi,
// BYTES: AllocCount: {{1[6-9]...|2[0-4]...}}, TotalSize: {{[89]......?|1[01].....}},
//
// What differs in how it was recorded.
// RUN: env INMEM_OPTIONS=clock=auto:output=%t/alone.inmem %t/recorded 2000
// RUN: %inmem verify-optimization %t/train.inmem %t/alone.inmem > %t/alone.txt || test $? = 1
// RUN: %FileCheck %s --check-prefix=ALONE < %t/alone.txt
// ALONE: nothing was predicted for 1 context with
// ALONE: note: lifetimes are predicted in bytes and measured in time (clock=): classes may differ by that alone
// ALONE: note: only the old run has stacks (stacks=): sites with callers have no counterpart
// RUN: env INMEM_OPTIONS=stacks=12:clock=events:output=%t/other.inmem %t/recorded none
// RUN: %not %inmem verify-optimization %t/train.inmem %t/other.inmem 2>&1 | %FileCheck %s --check-prefix=OTHER
// OTHER: inmem: {{.*}}other.inmem: expected contexts that {{.*}}train.inmem has, found none
//
// A program that was built again meanwhile.
// RUN: cp %t/plain %t/recorded
// RUN: %not %inmem verify-optimization %t/train.inmem %t/train.inmem 2>&1 | %FileCheck %s --check-prefix=REBUILT
// REBUILT: inmem: {{.*}}train.inmem: the first line of {{.*}} was not found: the program must still be the file that was recorded

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

struct Entry {
  char text[50];
};
struct Table {
  Entry *entries[100000];
};
static Table *Kept;
static std::vector<char> *Numbers[2000];
static int Used;
static int Count;

__attribute__((noinline)) Entry *make(int i) {
  Entry *entry = new Entry;
  entry->text[0] = static_cast<char>(i);
  return entry;
}

__attribute__((noinline)) void keep(int i) {
  Entry *entry = make(i);
  Kept->entries[Count++] = entry;
}

enum class Mode { Delete, Keep, Batch };
static Entry *Batch[50];
static int Waiting;

__attribute__((noinline)) int pass(int i, Mode mode) {
  Entry *entry = make(i);
  const int text = entry->text[0];
  if (mode == Mode::Keep)
    Kept->entries[Count++] = entry;
  else if (mode == Mode::Delete)
    delete entry;
  else if (Batch[Waiting++] = entry; Waiting == 50)
    while (Waiting > 0)
      delete Batch[--Waiting];
  return text;
}

__attribute__((noinline)) int use(bool keeps) {
  auto *numbers = new std::vector<char>(30);
  if (keeps)
    Numbers[Used++] = numbers;
  else
    delete numbers;
  return Used;
}

__attribute__((noinline)) void other() {
  Entry *volatile entry = new Entry;
  entry->text[0] = 1;
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
  int sum = 0;
  if (argc > 1 && !std::strcmp(argv[1], "none")) {
    other();
    return 0;
  }
  const Mode mode = argc < 3 ? Mode::Delete : *argv[2] == 'k' ? Mode::Keep : Mode::Batch;
  Kept = new Table;
  for (int i = 0; i < rounds; ++i) {
    for (int k = 0; k < 4; ++k)
      sum += pass(i + k, mode);
    keep(i);
    if (argc > 2 && (*argv[2] == 'v' || *argv[2] == 'V'))
      sum += use(*argv[2] == 'V');
  }
  const timespec pause = {0, 500000000};
  nanosleep(&pause, nullptr);
  return sum == 1;
}
