//===- SampleTrace.h - Traces for tests, written by hand ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small enough to check every figure by eye; the numbers in tests refer to
// kSample.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TESTS_SUPPORT_SAMPLETRACE_H
#define INMEM_TESTS_SUPPORT_SAMPLETRACE_H

#include "trace/read/Reader.h"
#include "trace/text/Text.h"

#include <gtest/gtest.h>

namespace inmem::test {

/// Two threads, three types (one unknown), one array site, counters, one
/// snapshot, events. A tick is a nanosecond.
inline constexpr char kSample[] = R"(
header state=complete pid=7 parent=6 clock=exact ticks-per-second=1000000000 start-unix-ns=100 end-unix-ns=1100 live-bytes=312 peak-live-bytes=400 host="box" executable="/bin/app"
extent meta
  process "./app" "" "-v"
  module id=1 base=0x1000 path="/lib/libx.so" build-id=0a0b
  thread index=1 tid=70 start=5 name="main"
  thread index=2 tid=71 start=6 name="worker"
  type index=1 id=0x11 size=24 align=8 flags=class,polymorphic name="Foo"
    field name="next" offset=8 size=8 kind=pointer type-id=0x11 type-name="Foo *"
    field name="bits" offset=16 size=3 kind=bitfield bit=2 type-name="unsigned int"
  type index=2 id=0x12 size=8 align=8 name="std::_Rb_tree_node<std::pair<const int, Foo>>"
  site id=1 type=1 key=0x101 kind=new function="_Z4makei" file="src/a.cpp" line=3 column=10
  site id=2 type=1 key=0x102 kind=new[] function="_ZN3libI3FooE4moreEv" file="/usr/include/lib.h" line=50 column=1 cookie=8
    frame function="_Z4callv" file="/usr/include/c++/12/x.h" line=60
    frame function="_Z4userv" file="src/b.cpp" line=9 column=2
  site id=3 type=2 key=0x103 kind=allocator function="_Z3mapv" file="src/c.cpp" line=1
  site id=4 key=0x104 kind=caller function="_Z6opaquev" module=1 offset=0x40 symbol-offset=0x4
  site id=5 key=0x105 kind=caller module=1 offset=0x50
  object module=1 cell=0 type=1 event=constructed storage=heap manner=default class="Foo" function="_Z4makei" line=3
  object module=1 cell=1 type=1 event=constructed storage=stack manner=copy class="Foo"
  object module=1 cell=2 type=1 event=constructed storage=base manner=move class="Foo"
  object module=1 cell=3 type=1 event=destroyed class="Foo"
  object module=1 cell=4 event=constructed storage=member manner=move class="Bar"
  note kind=sealed ticks=9
  phase ticks=4 name="warm" snapshot=1
extent rows owner=1
  row site=1 type=1 allocations=10 bytes=240 frees=4 freed-bytes=96 temporary=2 timed=4 weighted-timed=4 sum=60 min=10 max=20
    octave 1 2=2/48
    octave 2 2=2/48
  row site=2 type=1 allocations=2 bytes=112
  row site=4 allocations=3 bytes=30 frees=3 freed-bytes=30 timed=3 weighted-timed=3 sum=3000 min=1000 max=1000
    octave 7 7=3/30
extent rows owner=2
  row site=1 type=1 frees=4 freed-bytes=96 timed=2 weighted-timed=2 sum=40 min=20 max=20
    octave 2 2=2/48
  row site=3 type=2 allocations=5 bytes=200 frees=3 freed-bytes=120 moved-out=1 moved-out-bytes=40 timed=3 weighted-timed=3 sum=12 min=4 max=4
    octave 0 4=3/120
  row site=5 allocations=1 bytes=112
extent cells owner=1
  cell type=1 delta=-16 high=8 limit=4096
  cell type=4294967295 delta=12 high=20 limit=4096
extent types
  total live=112 peak=300
  total live=176 peak=250
  total live=40 peak=44
extent counters owner=1 module=1
  counts 6 3 100 5 2
extent counters owner=2 module=1
  counts 1 1 50 1
extent events owner=1
  event allocate site=1 size=24 time=10
  event free site=1 size=24 time=300 life=300
  event retag site=2 size=24 time=0 from=1
extent snapshot kind=periodic ticks=3 unix-ns=50 live-bytes=10
  row site=1 type=1 allocations=4 bytes=96 frees=1 freed-bytes=24 timed=1 weighted-timed=1 sum=10 min=10 max=10
    octave 1 2=1/24
)";

/// A trace with every kind of extent and of record: a forked child's, with
/// clock=events, stacks=, frees=on, mode=trace, a mark and a reset.
inline constexpr char kEverything[] = R"(
header state=complete flags=forked,events,instrumented pid=8 parent=7 clock=events start-unix-ns=100 end-unix-ns=1100 live-bytes=72 peak-live-bytes=96 host="box" executable="/bin/app"
extent meta
  process "./app" "-v"
  module id=1 base=0x1000 path="/bin/app" build-id=0a0b
  thread index=1 tid=70 start=5 name="main"
  thread index=2 tid=71 start=6 name="worker"
  type index=1 id=0x11 size=24 align=8 flags=class name="Foo"
    field name="next" size=8 kind=pointer type-id=0x11 type-name="Foo *"
  site id=1 type=1 key=0x101 kind=new function="make" file="a.cpp" line=3
    frame function="user" file="b.cpp" line=9
  site id=4 type=1 key=0x102 kind=new flags=inherited function="before" file="a.cpp" line=8
  address id=1 module=1 offset=0x10 function="make"
  address id=2 module=1 offset=0x20
  address id=3 module=1 offset=0x30
  name address=2 function="_Z4mainv" symbol-offset=0x4
  symbol address=3
    frame function="inner" file="m.cpp" line=7
    frame function="outer" file="m.cpp" line=9
  stack id=1 address=2
  stack id=2 parent=1 address=1
  stack id=3 parent=1 address=3
  stacked-site id=2 site=1 stack=2
  stacked-site id=3 site=1 stack=3
  object module=1 cell=0 type=1 event=constructed storage=heap manner=default class="Foo" function="make" line=3
  object module=1 cell=1 type=1 event=destroyed class="Foo"
  string-copy kind=variable flags=view,alone name="Copy" function="make" file="a.cpp" line=5 column=7
  string-copy kind=argument flags=outside key=0x77 file="a.cpp" line=6 column=2
  source file="a.cpp" hash=0x1234567890
  note kind=warning ticks=9 text="beware"
  profile clock=wall depth=64 interval=1000 include="ma*" exclude="x"
  wait id=1 call=202 machine=62 target="app+0x10"
  phase ticks=40 snapshot=12 name="load"
extent rows owner=0 sequence=2
  row site=4 type=1 allocations=7 bytes=168 frees=2 freed-bytes=48
extent rows owner=1 sequence=3
  row site=2 type=1 allocations=4 bytes=96 frees=1 freed-bytes=24 timed=1 weighted-timed=1 sum=20 min=20 max=20
    octave 2 2=1/24
extent rows owner=2 sequence=4
  row site=3 type=1 allocations=2 bytes=48 frees=2 freed-bytes=48 timed=2 weighted-timed=2 sum=60 min=30 max=30
    octave 2 7=2/48
extent allocation-lives owner=1 sequence=5
  row site=2 type=1 frees=1 freed-bytes=24 timed=1 weighted-timed=1 sum=2 min=2 max=2
    octave 0 2=1/24
extent cells owner=1 sequence=6
  cell type=1 delta=8 high=24 limit=4096
  cell type=4294967295 delta=8 high=24 limit=4096
extent types sequence=7
  total
  total live=64 peak=72
extent counters owner=1 module=1 sequence=8
  counts 6 3
extent events owner=1 sequence=9
  event allocate site=2 size=24 time=10
  event free site=2 size=24 time=30 life=20
extent peak sequence=10
  at-peak site=2 live=72
  at-peak site=3 live=24
extent peak-rows sequence=30
  near-peak order=1 bytes=72
  near-peak site=2 allocations=3 bytes=72
extent frees owner=1 sequence=11
  freed site=2 stack=3 thread=2 frees=1 bytes=24
extent mapped sequence=31
  mapped site=4294967295 call=mmap calls=3 bytes=20480 unmapped=4096 peak=16384
  mapped site=0 call=mremap calls=1 bytes=4096 unmapped=4096 peak=4096
  mapped site=2 call=mmap calls=2 bytes=16384 peak=16384
extent snapshot sequence=12 kind=manual flags=7 ticks=40 unix-ns=50 live-bytes=48 peak-live-bytes=72 part-peak-live-bytes=48
  row site=2 type=1 allocations=2 bytes=48 timed=0
extent mark-rows sequence=13
  row-at snapshot=12 thread=1 site=2 type=1 allocations=2 bytes=48
extent mark-objects sequence=14
  objects-at snapshot=12 module=1 cell=0 count=4
extent mark-peaks sequence=16
  peak-at snapshot=12 type=1 peak=48
extent snapshot sequence=15 kind=periodic ticks=60 unix-ns=60 live-bytes=24
  row site=2 type=1 allocations=3 bytes=72 frees=1 freed-bytes=24 timed=1 weighted-timed=1 sum=20 min=20 max=20
    octave 2 2=1/24
extent thread-lives sequence=17
  thread-life block=1 tid=70 start=1 began=10 ended=90 name="main" after-allocations=3 after-bytes=72
  thread-life block=2 tid=71 began=20 name="worker"
extent thread-crossings sequence=18
  crossing life=1 kind=bytes at=50 amount=64 total=72 times=1
extent thread-lines sequence=19
  thread-line life=1 a-width=20 a0=48 a2=24
extent profile-cells sequence=20
  sample stack=3 life=1 wait=1 session=1 count=5
  sample life=2 flags=blocked session=1 count=1
)";

inline std::vector<std::byte> assembled(std::string_view Text) {
  auto Bytes = trace::assemble(Text);
  EXPECT_TRUE(Bytes) << Bytes.status().str();
  return Bytes ? *Bytes : std::vector<std::byte>();
}

inline trace::Result<std::vector<trace::Trace>>
readBytes(std::vector<std::byte> Bytes) {
  return trace::readTraces(
      trace::Buffer::fromBytes(std::move(Bytes), "test.inmem"));
}

/// As above, with the checksums of what was put into the bytes.
inline trace::Result<std::vector<trace::Trace>>
readSealed(std::vector<std::byte> Bytes) {
  trace::seal(Bytes);
  return readBytes(std::move(Bytes));
}

/// The only process of a text.
inline trace::Trace readText(std::string_view Text) {
  auto All = readBytes(assembled(Text));
  EXPECT_TRUE(All) << All.status().str();
  EXPECT_EQ(All->size(), 1u);
  return (*All)[0];
}

} // namespace inmem::test

#endif
