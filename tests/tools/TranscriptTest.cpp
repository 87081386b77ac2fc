//===- TranscriptTest.cpp - Output of `inmem`, to the letter --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each file of transcripts/ is a session: `$ COMMAND`, then what it writes,
// with `2> ` before lines of standard error and `exit N` where it is not 0.
// The commands run in a folder with NAME.inmem for each transcripts/NAME.trace,
// for the two samples of SampleTrace.h, and for the other files of that folder.
// With INMEM_UPDATE_TRANSCRIPTS=1 the files are written again: read the
// difference before you commit it.
//
//===----------------------------------------------------------------------===//
#include "support/SampleTrace.h"
#include "support/TemporaryFolder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>

using namespace inmem;
using namespace inmem::test;
namespace fs = std::filesystem;

namespace {

const fs::path kFolder = INMEM_TRANSCRIPTS;

std::string slurp(const fs::path &Path) {
  std::ifstream In(Path, std::ios::binary);
  return {std::istreambuf_iterator<char>(In), {}};
}

void write(const fs::path &Path, const std::vector<std::byte> &Bytes) {
  std::ofstream(Path, std::ios::binary)
      .write(reinterpret_cast<const char *>(Bytes.data()),
             static_cast<std::streamsize>(Bytes.size()));
}

std::vector<std::string> sessions() {
  std::vector<std::string> Out;
  for (const auto &Entry : fs::directory_iterator(kFolder))
    if (Entry.path().extension() == ".session")
      Out.push_back(Entry.path().stem());
  std::sort(Out.begin(), Out.end());
  return Out;
}

class Transcript : public testing::TestWithParam<std::string> {
protected:
  Transcript() {
    write(Dir / "sample.inmem", assembled(kSample));
    write(Dir / "everything.inmem", assembled(kEverything));
    for (const auto &Entry : fs::directory_iterator(kFolder)) {
      const fs::path &Path = Entry.path();
      if (Path.extension() == ".trace")
        write(Dir / Path.stem().concat(".inmem"), assembled(slurp(Path)));
      else if (Path.extension() != ".session")
        fs::copy_file(Path, Dir / Path.filename());
    }
    fs::create_directory(Dir / "bin");
    fs::create_symlink(INMEM_TOOL, Dir / "bin/inmem");
  }

  static void append(std::string &Out, const std::string &Text,
                     const char *Before) {
    std::istringstream Lines(Text);
    for (std::string Line; std::getline(Lines, Line);)
      Out += Before + Line + (Lines.eof() ? "\\\n" : "\n");
  }

  /// Output of a command, as a transcript has it.
  std::string run(const std::string &Command) {
    const fs::path Bin = Dir / "bin", Out = Bin / "out", Err = Bin / "err";
    std::ofstream(Bin / "command") << Command << '\n';
    const std::string Line =
        "cd '" + Dir.string() +
        "' && env -u NO_COLOR -u SOURCE_DATE_EPOCH "
        "COLUMNS=100 LC_ALL=C.UTF-8 TZ=UTC PATH='" +
        Bin.string() + "':\"$PATH\" sh '" + (Bin / "command").string() +
        "' >'" + Out.string() + "' 2>'" + Err.string() + "' </dev/null";
    const int Status = std::system(Line.c_str());
    std::string Text;
    append(Text, slurp(Out), "");
    append(Text, slurp(Err), "2> ");
    if (const int Code = WEXITSTATUS(Status); Code != 0)
      Text += "exit " + std::to_string(Code) + "\n";
    return Text;
  }

private:
  TemporaryFolder Temporary{"inmem-transcript"};

protected:
  const fs::path Dir = Temporary.path();
};

TEST_P(Transcript, IsWhatTheCommandsWrite) {
  const fs::path File = kFolder / (GetParam() + ".session");
  const std::string Before = slurp(File);
  std::string After, Command, Old;
  const auto Finish = [&] {
    if (!Command.empty()) {
      const std::string New = run(Command);
      EXPECT_EQ(Old, New) << "$ " << Command;
      After += "$ " + Command + "\n" + New;
    } else {
      After += Old; // Words on the file.
    }
    Old.clear();
  };
  std::istringstream Lines(Before);
  for (std::string Line; std::getline(Lines, Line);) {
    if (Line.starts_with("$ ")) {
      Finish();
      Command = Line.substr(2);
    } else {
      Old += Line + '\n';
    }
  }
  Finish();
  if (std::getenv("INMEM_UPDATE_TRANSCRIPTS") && After != Before)
    std::ofstream(File, std::ios::binary) << After;
}

INSTANTIATE_TEST_SUITE_P(Sessions, Transcript, testing::ValuesIn(sessions()),
                         [](const auto &Info) { return Info.param; });

} // namespace
