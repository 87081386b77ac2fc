//===- Patience.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "live/Patience.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

namespace inmem::tools {

namespace {

/// The fields of a `stat` file from field 3, the state.
std::string fieldsOf(const std::string &File) {
  std::ifstream In(File);
  std::string Line;
  std::getline(In, Line);
  const size_t End = Line.rfind(')'); // names may contain any character
  return End == std::string::npos ? std::string() : Line.substr(End + 1);
}

} // namespace

Patience::Patience(std::function<Look()> Of, Time Most)
    : Process(std::move(Of)), AtMost(Most), RanBefore(Process().Ran) {}

bool Patience::isOver(Time Now) {
  // This program may lack a processor, too, so a long gap is only partly known.
  constexpr Time kLongestGap = std::chrono::milliseconds(20);
  const Look Is = Process();
  if (Last >= Time{} && !Is.CanRun)
    Slept += std::min(Now - Last, kLongestGap);
  Last = Now;
  return Slept + Is.Ran - RanBefore >= AtMost;
}

Patience::Look lookAt(pid_t Pid) {
  Patience::Look Out;
  const std::string Folder = "/proc/" + std::to_string(Pid);
  std::istringstream Fields(fieldsOf(Folder + "/stat"));
  constexpr int kUserTime = 14;
  std::string Skipped;
  for (int Field = 3; Field < kUserTime; ++Field)
    Fields >> Skipped;
  long User = 0, System = 0;
  if (Fields >> User >> System)
    Out.Ran = std::chrono::nanoseconds(std::chrono::seconds(1)) *
              (User + System) / sysconf(_SC_CLK_TCK);
  std::error_code Error;
  for (const auto &Task :
       std::filesystem::directory_iterator(Folder + "/task", Error))
    Out.CanRun |= fieldsOf(Task.path().string() + "/stat").starts_with(" R");
  return Out;
}

} // namespace inmem::tools
