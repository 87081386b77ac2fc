//===- FilesTest.cpp - Files that commands read, write and refuse ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ToolFixture.h"

#include "tools/inmem/files/ElfFacts.h"

using namespace inmem;
using namespace inmem::test;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

TEST_F(Tool, AFullDiskIsAnError) {
  // The text fits into a buffer: the error comes when it is flushed.
  for (const char *Line :
       {"report sample.inmem -o /dev/full", "dump sample.inmem -o /dev/full",
        "merge sample.inmem -o /dev/full",
        "export --format pprof sample.inmem -o /dev/full"}) {
    const Ran R = inmem(Line);
    EXPECT_EQ(R.Code, 4) << Line;
    EXPECT_THAT(R.Err, HasSubstr("cannot write")) << Line;
  }
  for (const std::string Command : {"report", "dump", "dump --types"}) {
    const std::string Line = "cd '" + Dir + "' && " INMEM_TOOL_WORD " " +
                             Command + " sample.inmem >/dev/full 2>err";
    EXPECT_EQ(WEXITSTATUS(std::system(Line.c_str())), 4) << Command;
    EXPECT_THAT(slurp(Dir + "/err"), HasSubstr("cannot write")) << Command;
  }
}

TEST(ElfFacts, EachMachineHasItsLoader) {
  EXPECT_STREQ(tools::loaderFor(EM_X86_64), "/lib64/ld-linux-x86-64.so.2");
  EXPECT_STREQ(tools::loaderFor(EM_AARCH64), "/lib/ld-linux-aarch64.so.1");
  EXPECT_STREQ(tools::loaderFor(EM_RISCV), "");
#ifdef __aarch64__
  EXPECT_EQ(access(tools::loaderFor(EM_AARCH64), X_OK), 0);
#else
  EXPECT_EQ(access(tools::loaderFor(EM_X86_64), X_OK), 0);
#endif
}

TEST_F(Tool, DoctorAsksNoLoaderAboutAProgramForAnotherMachine) {
  std::string Program = slurp(INMEM_TOOL);
  const Elf64_Half Other = EM_RISCV;
  Program.replace(offsetof(Elf64_Ehdr, e_machine), sizeof Other,
                  reinterpret_cast<const char *>(&Other), sizeof Other);
  std::ofstream(Dir + "/foreign", std::ios::binary) << Program;
  const Ran R = inmem("doctor foreign");
  EXPECT_THAT(R.Out, HasSubstr("note   foreign: the loader of its architecture "
                               "does not run here, so its libraries are "
                               "unknown"));
  EXPECT_THAT(R.Out, Not(HasSubstr("not found by the loader")));
}

TEST_F(Tool, DumpsOfSeveralProcessesSayWhichIsWhich) {
  EXPECT_THAT(inmem("dump sample.inmem").Out, StartsWith("header"));
  EXPECT_EQ(inmem("merge -o m.inmem sample.inmem other.inmem").Code, 0);
  EXPECT_THAT(inmem("dump m.inmem").Out,
              StartsWith("# m.inmem, pid 7\nheader"));
  EXPECT_THAT(inmem("dump sample.inmem other.inmem").Out,
              StartsWith("# sample.inmem, pid 7\nheader"));
}

TEST_F(Tool, ADumpOfAThreadHasAllThatItCounted) {
  const std::string Main = inmem("dump --thread main sample.inmem").Out;
  for (const char *Part : {"counts 6 3 100 5 2", "cell type=4294967295"})
    EXPECT_THAT(Main, HasSubstr(Part));
  EXPECT_THAT(Main, Not(HasSubstr("counts 1 1 50 1"))); // the worker's
  // Counters and the process's cell say nothing of one type.
  const std::string Foo = inmem("dump --type Foo sample.inmem").Out;
  for (const char *Part : {"counts ", "cell type=4294967295"})
    EXPECT_THAT(Foo, Not(HasSubstr(Part)));
}

TEST_F(Tool, ADumpOfATypeHasItsRowsByAnyOfItsNames) {
  const std::string Foo = inmem("dump --type Foo sample.inmem").Out;
  EXPECT_THAT(Foo, HasSubstr("  row site=1 type=1 allocations=10"));
  EXPECT_THAT(Foo, Not(HasSubstr("row site=3")));
  EXPECT_THAT(Foo, Not(HasSubstr("row site=4"))); // of no type
  for (const char *Name : {"std::map<int, Foo> node",
                           "std::_Rb_tree_node<std::pair<const int, Foo>>"}) {
    const std::string Node =
        inmem("dump sample.inmem --type '" + std::string(Name) + "'").Out;
    EXPECT_THAT(Node, HasSubstr("  row site=3 type=2 allocations=5")) << Name;
    EXPECT_THAT(Node, Not(HasSubstr("row site=1"))) << Name;
  }
}

TEST_F(Tool, DumpEndsAtAFileThatItCannotRead) {
  const Ran R = inmem("dump sample.inmem nosuch.inmem sample.inmem");
  EXPECT_EQ(R.Code, 3);
  EXPECT_THAT(R.Err, HasSubstr("nosuch.inmem: cannot open"));
  EXPECT_EQ(R.Out.find("# sample"), R.Out.rfind("# sample"));
}

TEST_F(Tool, ACheckThatCannotWriteOneOfItsFilesFails) {
  std::ofstream(Dir + "/budget.toml") << "[totals]\nblocks = 1000\n";
  const std::string Check = "check --budget budget.toml sample.inmem ";
  EXPECT_EQ(inmem(Check + "--junit a.xml --sarif a.sarif").Code, 0);
  for (const char *Files :
       {"--junit /nonexistent/x --sarif a.sarif",
        "--junit a.xml --sarif /nonexistent/x", "-o /nonexistent/x",
        "--github --junit /nonexistent/x"}) {
    const Ran R = inmem(Check + Files);
    EXPECT_EQ(R.Code, 4) << Files;
    EXPECT_THAT(R.Err, HasSubstr("/nonexistent/x")) << Files;
  }
}

TEST_F(Tool, RunsThatAreSummedAreOne) {
  // 21 allocations each.
  std::ofstream(Dir + "/budget.toml") << "[totals]\nblocks = 30\n";
  const std::string Check = "check --budget budget.toml ";
  EXPECT_EQ(inmem(Check + "sample.inmem other.inmem").Code, 0);
  const Ran R = inmem(Check + "--sum sample.inmem other.inmem");
  EXPECT_EQ(R.Code, 1) << R.Err;
  EXPECT_THAT(R.Out, HasSubstr("+33.3 %  blocks in all     ≤ 30     40"));
}

TEST_F(Tool, ATraceMayBeCompressedOrComeThroughAPipe) {
  const std::string Plain = inmem("report --format csv sample.inmem").Out;
  ASSERT_THAT(Plain, HasSubstr("Foo"));
  const auto Shell = [&](const std::string &Commands) {
    return std::system(("cd '" + Dir + "' && " + Commands).c_str());
  };
  ASSERT_EQ(Shell("gzip -k sample.inmem && zstd -q sample.inmem && "
                  "gzip -c sample.inmem | head -c 300 > cut.gz && "
                  "zstd -qc sample.inmem | head -c 300 > cut.zst && "
                  // Two streams are one file: two processes.
                  "cp sample.inmem.gz two.gz && gzip -c other.inmem >> two.gz"),
            0);
  for (const char *Files :
       {"sample.inmem.gz", "sample.inmem.zst", "- <sample.inmem",
        "- <sample.inmem.gz", "- <sample.inmem.zst"}) {
    const Ran R = inmem(std::string("report --format csv ") + Files);
    EXPECT_EQ(R.Code, 0) << Files << '\n' << R.Err;
    EXPECT_EQ(R.Out, Plain) << Files;
  }
  EXPECT_EQ(inmem("report --format csv two.gz").Out,
            inmem("report --format csv sample.inmem other.inmem").Out);
  const Ran Piped = inmem("report --format csv - <sample.inmem");
  EXPECT_EQ(Shell("cat sample.inmem | " INMEM_TOOL_WORD
                  " report --format csv - >piped 2>&1"),
            0);
  EXPECT_EQ(slurp(Dir + "/piped"), Piped.Out);
  for (const char *File : {"cut.gz", "cut.zst"}) {
    const Ran R = inmem(std::string("report ") + File);
    EXPECT_EQ(R.Code, 3) << File;
    EXPECT_THAT(R.Err, HasSubstr(std::string(File) + ": cannot unpack "));
    EXPECT_THAT(R.Err, HasSubstr("it ends early"));
  }
}

// It is unpacked in pieces of 256 KiB, which is also what a small trace has.
TEST_F(Tool, ACompressedTraceMayEndWithAPiece) {
  for (const char *Bytes : {"262143", "262144", "262145", "524288"}) {
    const std::string Size = Bytes;
    ASSERT_EQ(std::system(("cd '" + Dir + "' && cp sample.inmem padded && " +
                           "truncate -s " + Size + " padded && " +
                           "gzip -kf padded && zstd -qkf padded")
                              .c_str()),
              0);
    const Ran Plain = inmem("report --format csv padded");
    ASSERT_THAT(Plain.Out, HasSubstr("Foo")) << Size << '\n' << Plain.Err;
    for (const char *File : {"padded.gz", "padded.zst"}) {
      const Ran R = inmem(std::string("report --format csv ") + File);
      EXPECT_EQ(R.Code, Plain.Code) << Size << ' ' << File << '\n' << R.Err;
      EXPECT_EQ(R.Out, Plain.Out) << Size << ' ' << File;
    }
  }
}

TEST_F(Tool, AProcessIsCountedOnce) {
  const std::string Report = "report --format csv ";
  const std::string Once = inmem(Report + "sample.inmem").Out;
  inmem("merge -o m.inmem sample.inmem other.inmem");
  const std::string Both = inmem(Report + "m.inmem").Out;
  EXPECT_NE(Once, Both);
  for (const auto &[Files, Expected] :
       {std::pair("sample.inmem sample.inmem", Once),
        std::pair("m.inmem sample.inmem", Both),
        std::pair("other.inmem m.inmem", Both)}) {
    const Ran R = inmem(Report + Files);
    EXPECT_EQ(R.Code, 0) << R.Err;
    EXPECT_EQ(R.Out, Expected) << Files;
    EXPECT_THAT(R.Err, HasSubstr("it is counted once")) << Files;
  }
}

TEST_F(Tool, OfAProcessThatIsGivenTwiceTheWholeTraceIsKept) {
  std::filesystem::copy_file(Dir + "/sample.inmem", Dir + "/cut.inmem");
  std::filesystem::resize_file(Dir + "/cut.inmem", 5000);
  const std::string Whole = inmem("report --format csv sample.inmem").Out;
  for (const char *Files : {"sample.inmem cut.inmem", "cut.inmem sample.inmem"})
    EXPECT_EQ(inmem(std::string("report --format csv ") + Files).Out, Whole)
        << Files;
}

TEST_F(Tool, ATraceThatWasCutStaysCutWhenMerged) {
  std::filesystem::resize_file(Dir + "/sample.inmem", 5000);
  EXPECT_EQ(inmem("merge -o m.inmem sample.inmem other.inmem").Code, 0);
  for (const char *File : {"sample.inmem", "m.inmem"}) {
    const Ran R = inmem(std::string("report ") + File);
    EXPECT_THAT(R.Out, HasSubstr("the trace was cut short")) << File;
    EXPECT_THAT(R.Out, Not(HasSubstr("was killed"))) << File;
  }
}

TEST_F(Tool, MergesToStandardOutput) {
  const Ran R = inmem("merge -o - sample.inmem other.inmem");
  EXPECT_EQ(R.Code, 0) << R.Err;
  EXPECT_EQ(inmem("merge -o m.inmem sample.inmem other.inmem").Code, 0);
  EXPECT_EQ(R.Out, slurp(Dir + "/m.inmem"));
  EXPECT_FALSE(std::filesystem::exists(Dir + "/-"));
}

TEST_F(Tool, AnOptionLeavesTheFilesBehindIt) {
  for (const char *Line : {"report --by site sample.inmem --top 3",
                           "report --buckets 1ms,1s sample.inmem other.inmem",
                           "report --type 'Foo*' sample.inmem",
                           "diff --by type sample.inmem other.inmem --top 3",
                           "diff --top 3 sample.inmem other.inmem"})
    EXPECT_EQ(inmem(Line).Code, 0) << Line << '\n' << inmem(Line).Err;
}

TEST_F(Tool, WhatATraceDoesNotHaveIsWrongUsage) {
  for (const char *What : {"phase", "stack", "blame", "frees"}) {
    const Ran R = inmem(std::string("report sample.inmem --by ") + What);
    EXPECT_EQ(R.Code, 2) << What;
    EXPECT_THAT(R.Err, HasSubstr(std::string("--by ") + What + ": ")) << What;
    EXPECT_THAT(R.Out, testing::IsEmpty()) << What;
  }
}

TEST_F(Tool, AChoiceIsNotTakenForTheWhole) {
  const std::string All = inmem("report sample.inmem").Out;
  const std::string Some = inmem("report sample.inmem --type Foo").Out;
  EXPECT_THAT(All, Not(HasSubstr("chosen of it")));
  EXPECT_THAT(All, Not(HasSubstr("chosen")));
  EXPECT_THAT(Some, HasSubstr("  chosen     352 B in 12 blocks, 160 B alive; "
                              "above: the whole process\n"));
  const std::string Full = inmem("report --full sample.inmem --type Foo").Out;
  EXPECT_THAT(Full, HasSubstr("the whole process"));
  EXPECT_THAT(Full, testing::ContainsRegex("chosen of it .* 1 type, "));
}

TEST_F(Tool, ANameInCsvCannotReachTheTerminal) {
  std::string Text = kSample;
  for (size_t At; (At = Text.find("\"Foo\"")) != std::string::npos;)
    Text.replace(At, 5, "\"F\\x1b]0;o\\xe2\\x80\\xaeo\"");
  write("hostile.inmem", assembled(Text));
  for (const char *Line :
       {"report --format csv hostile.inmem", "report hostile.inmem",
        "diff sample.inmem hostile.inmem"}) {
    const Ran R = inmem(Line);
    EXPECT_EQ(R.Code, 0) << R.Err;
    EXPECT_THAT(R.Out, HasSubstr("F?]0;o?o")) << Line;
    EXPECT_THAT(R.Out, Not(HasSubstr("\x1b"))) << Line;
    EXPECT_THAT(R.Out, Not(HasSubstr("\xe2\x80\xae"))) << Line;
  }
}

TEST_F(Tool, WrongValuesAreNamedWithWhatIsValid) {
  const auto Says = [&](const std::string &Line, const std::string &Message) {
    const Ran R = inmem(Line);
    EXPECT_EQ(R.Code, 2) << Line;
    EXPECT_THAT(R.Err, StartsWith("inmem: " + Message + "\n")) << Line;
  };
  const std::string Size = "--min-bytes: expected a size such as 64k, found "
                           "'1q'";
  Says("flame --min-bytes 1q sample.inmem", Size);
  Says("dump --min-bytes 1q sample.inmem", Size);
  Says("top --once --min-bytes 1q sample.inmem", Size);
  Says("top --once --sort size sample.inmem",
       "--sort: expected live, blocks, growth, rate, churn, allocated, total "
       "or name, "
       "found 'size'");
  Says("flame --metric size sample.inmem",
       "--metric: expected bytes, count, live, peak, lived, cpu or wall, found "
       "'size'");
  Says("flame --format png sample.inmem",
       "--format: expected svg or folded, found 'png'");
  Says("report --lived 5ms sample.inmem",
       "--lived: expected a range such as 1ms..1s, found '5ms'");
  Says("report --lived .. sample.inmem",
       "--lived: expected a range such as 1ms..1s, found '..'");
  Says("report --lived xy sample.inmem",
       "--lived: expected a range such as 1ms..1s, found 'xy'");
  Says("report --assume libx.so sample.inmem",
       "--assume: expected LIB.so:FUNC=TYPE, found 'libx.so'");
  for (const char *Wrong : {":f=A", "l:=A", "l:f=", "l=f:A", "l:f"})
    EXPECT_EQ(inmem("report sample.inmem --assume " + std::string(Wrong)).Code,
              2)
        << Wrong;
  Says("check sample.inmem",
       "check: expected --budget FILE, --baseline OLD or --learn");
  Says("check --learn --slack much sample.inmem",
       "--slack: expected such as '5 %', 16 or '5 % + 1 KiB', found 'much'");
  Says("check --baseline sample.inmem --tolerance much sample.inmem",
       "--tolerance: expected such as '5 %', 16 or '5 % + 1 KiB', found "
       "'much'");
  EXPECT_THAT(
      inmem("export --format xml -o x sample.inmem").Err,
      StartsWith(
          "inmem: --format: expected pprof, collapsed, "
          "collapsed-lived, speedscope, callgrind, dhat, massif, chrome, "
          "perfetto, heaptrack, otlp or parquet, found 'xml'\n"));
  write("still.inmem", assembled("header\nextent meta\n"));
  for (const std::string Format : {"massif", "chrome"})
    EXPECT_THAT(inmem("export -o x still.inmem --format " + Format).Err,
                StartsWith("inmem: export --format " + Format +
                           ": the trace has no snapshots over time"));
}

TEST_F(Tool, AToleranceIsTaken) {
  EXPECT_EQ(inmem("check --baseline sample.inmem --tolerance '2 %' "
                  "sample.inmem")
                .Code,
            0);
}

TEST_F(Tool, CommasWithinBracketsSeparateNoGlobs) {
  const auto Types = [&](const std::string &Globs) {
    const Ran R =
        inmem("report --format csv sample.inmem --type '" + Globs + "'");
    EXPECT_EQ(R.Code, 0) << R.Err;
    return std::count(R.Out.begin(), R.Out.end(), '\n') - 1;
  };
  EXPECT_EQ(Types("std::map<int, Foo> node"), 1);
  EXPECT_EQ(Types("std::map<int, Foo> node,Foo"), 2);
  EXPECT_EQ(Types("Foo,std::map<int, Foo> node"), 2);
  EXPECT_EQ(Types("a<b,Foo"), 1); // not closed: a character as others are
  EXPECT_EQ(Types("nothing"), 0);
}

TEST_F(Tool, WhatALibraryAllocatesCanBeGivenAType) {
  const auto Types = [&](const std::string &Assume) {
    const Ran R =
        inmem("report --format json --no-symbols sample.inmem " + Assume);
    EXPECT_EQ(R.Code, 0) << R.Err;
    std::vector<std::string> Out;
    const auto All = nlohmann::json::parse(R.Out);
    for (const auto &T : All["types"])
      if (T["type"].is_string())
        Out.push_back(T["type"]);
    return Out;
  };
  EXPECT_THAT(Types(""), Not(testing::Contains("lib::Bar")));
  EXPECT_THAT(Types("--assume 'libx.so:opaque*=lib::Bar'"),
              testing::Contains("lib::Bar"));
  EXPECT_THAT(Types("--assume 'liby.so:opaque*=lib::Bar'"),
              Not(testing::Contains("lib::Bar")));
}

TEST_F(Tool, TheLibraryIsToBlameOnlyIfAskedFor) {
  write("calls.inmem",
        assembled("header pid=3\nextent meta\n process \"./a\"\n"
                  " module id=1 base=0x1000 path=\"/bin/a\"\n"
                  " type index=1 id=1 size=8 name=\"A\"\n"
                  " site id=1 type=1 key=1 kind=new function=\"_ZNSt1v4pushEv\""
                  " file=\"/usr/include/c++/12/v\" line=3\n"
                  " address id=1 module=1 offset=0x10 function=\"caller\"\n"
                  " address id=2 module=1 offset=0x20 "
                  "function=\"_ZNSt1v4pushEv\"\n"
                  " stack id=1 address=1\n stack id=2 parent=1 address=2\n"
                  " stacked-site id=2 site=1 stack=2\n"
                  "extent rows owner=1\n"
                  " row site=2 type=1 allocations=1 bytes=8\n"));
  const auto Blamed = [&](const std::string &Arguments) {
    const Ran R = inmem("report --blame --details 0 calls.inmem " + Arguments);
    EXPECT_EQ(R.Code, 0) << R.Err;
    const size_t From = R.Out.find("BLAME"), To = R.Out.find("STILL ALIVE");
    return R.Out.substr(std::min(R.Out.size(), From), To - From);
  };
  for (const char *Usual : {"", "--blame-ignore boost::"}) {
    EXPECT_THAT(Blamed(Usual), HasSubstr("caller")) << Usual;
    EXPECT_THAT(Blamed(Usual), Not(HasSubstr("std::v"))) << Usual;
  }
  EXPECT_THAT(Blamed("--blame-ignore ''"), HasSubstr("std::v"));
}

TEST_F(Tool, AFlameGraphIsCalledAsTheFirstProcess) {
  const auto Process = [](const std::string &Command) {
    return assembled("header pid=3\nextent meta\n" + Command +
                     " module id=1 base=0x1000 path=\"/lib/l.so\"\n"
                     " type index=1 id=1 size=8 name=\"A\"\n"
                     " site id=1 type=1 key=1 kind=new function=\"f\"\n"
                     " address id=1 module=1 offset=0x10 function=\"main\"\n"
                     " stack id=1 address=1\n"
                     " stacked-site id=2 site=1 stack=1\n"
                     "extent rows owner=1\n"
                     " row site=2 type=1 allocations=1 bytes=8\n");
  };
  write("named.inmem", Process(" process \"./first\"\n"));
  write("nameless.inmem", Process(""));
  const Ran R = inmem("flame named.inmem nameless.inmem");
  ASSERT_EQ(R.Code, 0) << R.Err;
  EXPECT_THAT(R.Out, HasSubstr("./first"));
  EXPECT_EQ(inmem("flame nameless.inmem named.inmem").Code, 0);
}

} // namespace
