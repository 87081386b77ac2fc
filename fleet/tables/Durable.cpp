//===- Durable.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/tables/Durable.h"

#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <random>
#include <sstream>
#include <unistd.h>

namespace inmem::fleet {

namespace fs = std::filesystem;
using trace::Result;
using trace::Status;

std::function<void(const char *)> StepHook;

void reachStep(const char *Step) {
  if (StepHook)
    StepHook(Step);
}

static Status failure(const fs::path &Of, const char *Doing) {
  return Status::error(Of.string(),
                       std::string(Doing) + ": " + std::strerror(errno));
}

static Status sync(const fs::path &Of, int Flags) {
  const int File = open(Of.c_str(), Flags | O_CLOEXEC);
  if (File < 0)
    return failure(Of, "cannot be opened");
  const int Done = fsync(File);
  const Status Error = Done == 0 ? Status() : failure(Of, "cannot be synced");
  close(File);
  return Error;
}

static fs::path folderOf(const fs::path &File) {
  const fs::path Folder = File.parent_path();
  return Folder.empty() ? fs::path(".") : Folder;
}

static Status syncFolder(const fs::path &Folder) {
  return sync(Folder, O_RDONLY | O_DIRECTORY);
}

/// Host and pid are for people. Containers of one image may have equal ones.
static std::string hostName() {
  constexpr size_t kLongest = 32;
  char Name[kLongest + 1] = {};
  if (gethostname(Name, kLongest) != 0 || Name[0] == '\0')
    return "host";
  std::string Out = Name;
  for (char &C : Out)
    if (!isalnum(static_cast<unsigned char>(C)) && C != '-')
      C = '_';
  return Out;
}

static uint64_t randomNumber() {
  std::random_device Device;
  return uint64_t{Device()} << 32 | Device();
}

fs::path partOf(const fs::path &Final) {
  static const std::string Host = hostName();
  static const uint64_t Random = randomNumber();
  // Readers of folders skip names with this prefix.
  return folderOf(Final) / fmt::format("_{}.{}.{}.{:016x}.part",
                                       Final.filename().string(), Host,
                                       getpid(), Random);
}

bool isPart(std::string_view Name) {
  return Name.starts_with('_') && Name.ends_with(".part");
}

Status makeFolder(const fs::path &Folder) {
  std::error_code Error;
  if (fs::is_directory(Folder, Error))
    return {};
  const fs::path Above = folderOf(Folder);
  if (Above != Folder)
    if (Status Made = makeFolder(Above); !Made.ok())
      return Made;
  if (!fs::create_directory(Folder, Error) && Error)
    return Status::error(Folder.string(),
                         "cannot be created: " + Error.message());
  return syncFolder(Above);
}

Status publish(const fs::path &Final) {
  const fs::path Part = partOf(Final);
  reachStep("sync");
  if (Status Done = sync(Part, O_RDONLY); !Done.ok())
    return Done;
  reachStep("rename");
  if (rename(Part.c_str(), Final.c_str()) != 0)
    return failure(Final, "cannot be renamed to");
  reachStep("sync folder");
  return syncFolder(folderOf(Final));
}

static Status writePart(const fs::path &Final, std::string_view Text) {
  const fs::path Part = partOf(Final);
  std::ofstream Out(Part, std::ios::binary | std::ios::trunc);
  Out.write(Text.data(), static_cast<std::streamsize>(Text.size()));
  Out.close();
  if (Out)
    return {};
  Status Error = failure(Part, "cannot be written");
  unlink(Part.c_str());
  return Error;
}

Status writeDurably(const fs::path &Final, std::string_view Text) {
  reachStep("write");
  if (Status Done = writePart(Final, Text); !Done.ok())
    return Done;
  return publish(Final);
}

Result<bool> createDurably(const fs::path &Final, std::string_view Text) {
  reachStep("write");
  if (Status Done = writePart(Final, Text); !Done.ok())
    return Done;
  return publishNew(Final);
}

Result<bool> publishNew(const fs::path &Final) {
  const fs::path Part = partOf(Final);
  if (Status Done = sync(Part, O_RDONLY); !Done.ok())
    return Done;
  reachStep("link");
  // Unlike rename(), this fails if the file exists.
  const bool Linked = link(Part.c_str(), Final.c_str()) == 0;
  const int Why = errno;
  unlink(Part.c_str());
  if (!Linked && Why == EEXIST)
    return false;
  if (!Linked) {
    errno = Why;
    return failure(Final, "cannot be created");
  }
  reachStep("sync folder");
  if (Status Done = syncFolder(folderOf(Final)); !Done.ok())
    return Done;
  return true;
}

Status removeDurably(const fs::path &File) {
  reachStep("remove");
  if (unlink(File.c_str()) != 0 && errno != ENOENT)
    return failure(File, "cannot be removed");
  return {};
}

Result<std::string> readAll(const fs::path &File) {
  std::ifstream In(File, std::ios::binary);
  std::ostringstream Out;
  Out << In.rdbuf();
  if (!In)
    return failure(File, "cannot be read");
  return std::move(Out).str();
}

} // namespace inmem::fleet
