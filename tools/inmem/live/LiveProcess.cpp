//===- LiveProcess.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "live/LiveProcess.h"

#include "live/Patience.h"
#include "live/RemoteImage.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace inmem::tools {

using namespace trace;
namespace fs = std::filesystem;

namespace {

/// The IDs of a process in its own and the outer namespaces.
std::vector<uint64_t> idsOf(pid_t Pid) {
  std::vector<uint64_t> Ids{static_cast<uint64_t>(Pid)};
  std::ifstream Status("/proc/" + std::to_string(Pid) + "/status");
  for (std::string Line; std::getline(Status, Line);)
    if (Line.starts_with("NSpid:")) {
      std::istringstream Words(Line.substr(6));
      for (uint64_t Id; Words >> Id;)
        Ids.push_back(Id);
    }
  return Ids;
}

std::string nameOfProcess(pid_t Pid) {
  std::ifstream In("/proc/" + std::to_string(Pid) + "/comm");
  std::string Name;
  std::getline(In, Name);
  return "process " + std::to_string(Pid) +
         (Name.empty() ? "" : " (" + Name + ")");
}

/// `\012` in /proc/PID/maps is a newline.
std::string unescaped(const std::string &Text) {
  std::string Out;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text.compare(I, 4, "\\012") == 0) {
      Out += '\n';
      I += 3;
    } else {
      Out += Text[I];
    }
  }
  return Out;
}

/// Files that the process maps shared and writable, or has open, even if
/// unlinked. Paths are in the process's own view of the file system.
struct Candidates {
  std::vector<std::string> Paths;
  bool HasRuntime = false;
};

std::optional<Candidates> candidatesOf(pid_t Pid) {
  const std::string Folder = "/proc/" + std::to_string(Pid);
  std::ifstream Maps(Folder + "/maps");
  if (!Maps)
    return std::nullopt;
  Candidates Out;
  for (std::string Line; std::getline(Maps, Line);) {
    Out.HasRuntime |= Line.find("libinmem_rt") != std::string::npos;
    std::istringstream Words(Line);
    std::string Range, Access, Offset, Device, Inode, Path;
    Words >> Range >> Access >> Offset >> Device >> Inode;
    std::getline(Words >> std::ws, Path);
    if (Access.starts_with("rw") && Access.ends_with('s') &&
        Path.starts_with('/') && Offset.find_first_not_of('0') == Offset.npos)
      Out.Paths.push_back(Folder + "/root" + unescaped(Path));
  }
  std::error_code Error;
  for (const auto &Entry : fs::directory_iterator(Folder + "/fd", Error))
    if (const fs::path Target = fs::read_symlink(Entry.path(), Error);
        !Error && Target.is_absolute())
      Out.Paths.push_back(Entry.path());
  return Out;
}

template <class T> std::atomic_ref<T> shared(T &Word) {
  return std::atomic_ref<T>(Word);
}

/// A lock between tools; the process itself never takes it.
class FileLock {
public:
  explicit FileLock(int File) : Fd(File) {
    while (flock(Fd, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() { flock(Fd, LOCK_UN); }
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;

private:
  int Fd;
};

} // namespace

Status LiveProcess::failed(const std::string &What) const {
  return Status::error(nameOfProcess(Pid), What + ": " + std::strerror(errno));
}

LiveProcess::~LiveProcess() {
  if (Header)
    munmap(Header, kHeaderBytes);
  if (Fd >= 0)
    close(Fd);
}

Result<LiveProcess> LiveProcess::attach(pid_t Pid, bool ForCommands) {
  std::error_code Error;
  if (Pid <= 0 || !fs::exists("/proc/" + std::to_string(Pid), Error))
    return Status::error("", "there is no process " + std::to_string(Pid));
  const auto Files = candidatesOf(Pid);
  if (!Files)
    return Status::error(nameOfProcess(Pid),
                         "cannot be looked at: it is another user's, or "
                         "protected");
  const std::vector<uint64_t> Ids = idsOf(Pid);
  for (const std::string &Path : Files->Paths) {
    const int Fd = open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FileHeader H;
    const bool Ours = Fd >= 0 &&
                      pread(Fd, &H, sizeof H, 0) == ssize_t{sizeof H} &&
                      std::memcmp(H.Magic, kMagic, sizeof kMagic) == 0 &&
                      std::find(Ids.begin(), Ids.end(), H.Pid) != Ids.end() &&
                      H.State == RunState::Running;
    if (Fd >= 0)
      close(Fd);
    if (!Ours)
      continue;
    if (H.Version != kVersion)
      return Status::error(nameOfProcess(Pid), "its trace is of version " +
                                                   std::to_string(H.Version) +
                                                   ", expected " +
                                                   std::to_string(kVersion));
    LiveProcess Out(
        open(Path.c_str(), (ForCommands ? O_RDWR : O_RDONLY) | O_CLOEXEC), Pid,
        Path);
    if (Out.Fd < 0)
      return Out.failed("cannot open its trace");
    void *Page =
        mmap(nullptr, kHeaderBytes, PROT_READ | (ForCommands ? PROT_WRITE : 0),
             MAP_SHARED, Out.Fd, 0);
    if (Page == MAP_FAILED)
      return Out.failed("cannot map its trace");
    Out.Header = static_cast<FileHeader *>(Page);
    return Out;
  }
  if (Files->HasRuntime && isDetached(Pid))
    return Status::error(nameOfProcess(Pid), "is detached: `inmem attach " +
                                                 std::to_string(Pid) +
                                                 "` records again");
  return Status::error(
      nameOfProcess(Pid),
      Files->HasRuntime
          ? "runs with inmem but keeps no trace: INMEM_OPTIONS=mode=off, a "
            "trace that could not be written, or nothing allocated yet since "
            "it was forked"
          : "does not run with inmem: neither built with it, nor started by "
            "`inmem run`, or it is exiting");
}

/// Finds a file's current name. A file that was created without a name and then
/// linked keeps its first name in /proc, so this looks for it in the same
/// folder.
static std::string nameOfFile(const fs::path &Folder, int Fd) {
  struct stat Wanted, Found;
  if (fstat(Fd, &Wanted) != 0 || Wanted.st_nlink == 0)
    return "";
  std::error_code Error;
  for (const auto &Entry : fs::directory_iterator(Folder, Error))
    if (lstat(Entry.path().c_str(), &Found) == 0 &&
        Found.st_ino == Wanted.st_ino && Found.st_dev == Wanted.st_dev)
      return Entry.path().filename();
  return "";
}

std::string LiveProcess::shownPath() const {
  const std::string Root = "/proc/" + std::to_string(Pid) + "/root";
  std::error_code Error;
  const fs::path Target = fs::read_symlink(Path, Error);
  std::string Shown = Error ? Path : Target.string();
  if (Shown.starts_with(Root))
    Shown.erase(0, Root.size());
  constexpr std::string_view kNoName = " (deleted)";
  if (!Shown.ends_with(kNoName))
    return Shown;
  const fs::path Folder = fs::path(Shown).parent_path();
  const std::string Name = nameOfFile(Root + Folder.string(), Fd);
  return Name.empty() ? Shown : (Folder / Name).string();
}

bool LiveProcess::hasEnded() const {
  return shared(Header->State).load() != RunState::Running || kill(Pid, 0) != 0;
}

Status LiveProcess::give(CommandKind Kind, const std::string &Name) {
  const FileLock Turn(Fd);
  if (hasEnded())
    return Status::error(nameOfProcess(Pid), "has ended");
  CommandQueue &Q = Header->Commands;
  uint32_t Given = shared(Q.Given).load();
  if (Given - shared(Q.Obeyed).load() >= CommandQueue::kRoom)
    return Status::error(nameOfProcess(Pid),
                         std::to_string(CommandQueue::kRoom) +
                             " orders wait already: it has neither allocated "
                             "nor freed since");
  ControlCommand O = {};
  O.Kind = Kind;
  O.UnixNs = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::system_clock::now().time_since_epoch())
          .count());
  Name.copy(O.Name, sizeof O.Name - 1);
  // The process's signal handlers also give commands, but they finish within
  // microseconds.
  for (int Try = 0; shared(Q.Writing).exchange(1) != 0 && Try < 100; ++Try)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  Given = shared(Q.Given).load();
  Q.Slots[Given % CommandQueue::kRoom] = O;
  shared(Q.Given).store(Given + 1);
  shared(Q.Writing).store(0);
  return alertThreads();
}

Status LiveProcess::alertThreads() const {
  struct stat About;
  if (fstat(Fd, &About) != 0)
    return failed("cannot look at its trace");
  const auto Size = static_cast<uint64_t>(About.st_size);
  void *Whole = mmap(nullptr, Size, PROT_READ | PROT_WRITE, MAP_SHARED, Fd, 0);
  if (Whole == MAP_FAILED)
    return failed("cannot map its trace");
  auto *Base = static_cast<char *>(Whole);
  // When a process ends, it cuts off the space after its last extent.
  ExtentHeader Is;
  for (uint64_t At = kHeaderBytes;
       pread(Fd, &Is, sizeof Is, static_cast<off_t>(At)) == sizeof Is;) {
    const uint64_t Bytes = Is.Bytes;
    if (Is.Magic != kExtentMagic || Bytes < sizeof Is || At > Size ||
        Bytes > Size - At)
      break;
    auto &E = *reinterpret_cast<ExtentHeader *>(Base + At);
    auto *Cells = reinterpret_cast<Cell *>(&E + 1);
    const uint64_t Room = (Bytes - sizeof E) / sizeof(Cell);
    const uint64_t Used =
        E.Kind == ExtentKind::Cells ? std::min(shared(E.Used).load(), Room) : 0;
    for (uint64_t I = 0; I < Used && !hasEnded(); ++I) {
      Cell &C = Cells[I];
      if (C.Type != kProcessCell)
        continue;
      int64_t Limit = shared(C.Limit).load();
      if (isCommandLimit(Limit))
        continue; // Its thread's next event looks for commands anyway.
      // Publish the peak that the cell implies before its limit is overwritten.
      const int64_t High =
          shared(Header->LiveBytes).load() + shared(C.High).load();
      int64_t Peak = shared(Header->PeakLiveBytes).load();
      while (High > Peak &&
             !shared(Header->PeakLiveBytes).compare_exchange_weak(Peak, High)) {
      }
      if (shared(C.Limit).compare_exchange_strong(Limit, kCommandLimit))
        shared(C.High).store(kCommandLimit);
    }
    At += Bytes;
  }
  munmap(Whole, Size);
  return {};
}

bool LiveProcess::waitObeyed(std::chrono::milliseconds AtMost) const {
  Patience Left([this] { return lookAt(Pid); }, AtMost);
  for (;;) {
    if (shared(Header->Commands.Given).load() ==
        shared(Header->Commands.Obeyed).load())
      return true;
    if (hasEnded() ||
        Left.isOver(std::chrono::steady_clock::now().time_since_epoch()))
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Status LiveProcess::flush() const {
  return fsync(Fd) == 0 ? Status() : failed("cannot write its trace to disk");
}

} // namespace inmem::tools
