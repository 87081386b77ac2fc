//===- Attacher.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "live/Attacher.h"

#include "files/ElfFacts.h"
#include "live/Tracee.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <thread>
#include <unistd.h>

namespace inmem::tools {

namespace fs = std::filesystem;
using trace::Attachment;
using trace::AttachResult;
using trace::AttachState;
using trace::Status;

namespace {

constexpr uint16_t kMachine =
#if defined(__x86_64__)
    EM_X86_64;
#elif defined(__aarch64__)
    EM_AARCH64;
#else
    EM_NONE;
#endif

std::string folderOf(pid_t Pid) { return "/proc/" + std::to_string(Pid); }

std::string firstLine(const std::string &Path) {
  std::ifstream In(Path);
  std::string Line;
  std::getline(In, Line);
  return Line;
}

/// The `Name: value` lines of /proc/PID/status.
std::map<std::string, std::string, std::less<>> statusOf(pid_t Pid) {
  std::map<std::string, std::string, std::less<>> Out;
  std::ifstream In(folderOf(Pid) + "/status");
  for (std::string Line; std::getline(In, Line);)
    if (const size_t Colon = Line.find(':'); Colon != std::string::npos) {
      const size_t Value = Line.find_first_not_of(" \t", Colon + 1);
      Out[Line.substr(0, Colon)] =
          Value == std::string::npos ? "" : Line.substr(Value);
    }
  return Out;
}

bool areOneFile(const std::string &A, const std::string &B) {
  struct stat Of, To;
  return stat(A.c_str(), &Of) == 0 && stat(B.c_str(), &To) == 0 &&
         Of.st_dev == To.st_dev && Of.st_ino == To.st_ino;
}

Status gone(pid_t Pid) {
  return Status::error("", "there is no process " + std::to_string(Pid));
}

/// A string in the process's memory, up to its NUL.
std::string textAt(pid_t Pid, uint64_t Address) {
  char Text[512] = {};
  readMemory(Pid, Address, Text, sizeof Text - 1);
  return Text;
}

/// A path that makes the runtime wait for __inmem_attach.
std::string markedPath(const std::string &File) {
  const size_t Slash = File.rfind('/');
  return File.substr(0, Slash) + trace::kAttachPath + File.substr(Slash + 1);
}

} // namespace

std::string Attacher::nameOfProcess() const {
  const std::string Name = firstLine(folderOf(Pid) + "/comm");
  return "process " + std::to_string(Pid) +
         (Name.empty() ? "" : " (" + Name + ")");
}

Status Attacher::failed(const std::string &What) const {
  return Status::error(nameOfProcess(), What);
}

Status Attacher::forbidden() const {
  struct stat Owner;
  const bool Others = stat(folderOf(Pid).c_str(), &Owner) == 0 &&
                      Owner.st_uid != geteuid() && geteuid() != 0;
  const std::string Scope = firstLine("/proc/sys/kernel/yama/ptrace_scope");
  if (Others)
    return failed("no permission: it is another user's; run as that user or "
                  "as root");
  if (Scope.empty() || Scope == "0")
    return failed("no permission to trace it: it has special rights, or this "
                  "program lacks CAP_SYS_PTRACE");
  // Root is refused only if it lacks the capability, as in containers.
  const std::string Allow =
      geteuid() == 0 ? "give this program CAP_SYS_PTRACE" : "run as root";
  return failed("no permission: kernel.yama.ptrace_scope is " + Scope +
                (Scope == "3"
                     ? ", which forbids tracing until the system is rebooted; "
                       "start the program with `inmem run`"
                     : "; " + Allow +
                           ", or set it to 0 (sysctl -w "
                           "kernel.yama.ptrace_scope=0)"));
}

Status Attacher::checkStatus(const Facts &Of, bool Force) const {
  const auto Get = [&](std::string_view Name) {
    const auto At = Of.find(Name);
    return At == Of.end() ? std::string() : At->second;
  };
  if (const std::string State = Get("State");
      State.starts_with('Z') || State.starts_with('X'))
    return failed("has ended; its parent has not waited for it yet");
  if (const std::string By = Get("TracerPid"); !By.empty() && By != "0")
    return failed("is traced already, by process " + By +
                  "; only one program can trace it");
  if (const std::string Filter = Get("Seccomp");
      !Force && !Filter.empty() && Filter != "0")
    return failed("runs under seccomp, which may kill it for a system call of "
                  "the runtime; --force attaches all the same");
  if (Get("x86_Thread_features").find("shstk") != std::string::npos)
    return failed("has a shadow stack, on which no call can be put; start it "
                  "with GLIBC_TUNABLES=glibc.cpu.hwcaps=-SHSTK");
  // A call ends with a fault, and a fault resets an ignored SIGSEGV.
  const std::string Ignored = Get("SigIgn");
  if (!Ignored.empty() &&
      std::stoull(Ignored, nullptr, 16) >> (SIGSEGV - 1) & 1)
    return failed("ignores SIGSEGV, so that no call can be put into it");
  return {};
}

Status Attacher::checkProgram() {
  const std::string Program = folderOf(Pid) + "/exe";
  const auto Is = elfFacts(Program);
  if (!canTrace())
    return failed("attaching is for x86-64 only; start the program with "
                  "`inmem run`");
  if (!Is)
    return failed("its program cannot be read, or is not an ELF file");
  if (!Is->Is64Bit)
    return failed("is a 32-bit program; attaching is for 64-bit ones");
  if (Is->Machine != kMachine)
    return failed("runs on another architecture than this inmem");
  RecordsItself = Is->Static && (Is->HasRuntime || Is->Instrumented);
  if (RecordsItself)
    return {};
  if (Is->Static)
    return failed("is a static executable, which cannot load the runtime; "
                  "compile it with inmem-clang");
  // Distributions install musl under different names, but its loader's name is
  // fixed.
  if (runnableOf(Program).Loader.find("/ld-musl-") != std::string::npos)
    return failed("its C library is musl; attaching is for glibc");
  for (const RemoteImage &I : Images) {
    for (const char *Sanitizer : {"libasan", "libtsan", "libubsan", "liblsan",
                                  "libhwasan", "vgpreload_"})
      if (I.isNamed(Sanitizer))
        return failed("runs under " + std::string(I.name()) +
                      ", which replaces the allocator");
  }
  if (!libc())
    return failed("has no glibc; attaching is for programs that use it");
  const RemoteImage &Itself = Images.front();
  if (Itself.find("__asan_init").Start || Itself.find("__tsan_init").Start ||
      Itself.find("__msan_init").Start)
    return failed("is built with a sanitizer, which replaces the allocator");
  if (Itself.find("malloc").Start && Itself.find("free").Start && !hasRuntime())
    return failed("defines malloc itself: its calls are bound already; start "
                  "it with `inmem run`");
  return {};
}

trace::Result<Attacher> Attacher::of(pid_t Pid, bool Force) {
  Attacher Out(Pid);
  std::error_code Error;
  if (Pid <= 0 || !fs::exists(folderOf(Pid), Error))
    return gone(Pid);
  const auto Facts = statusOf(Pid);
  if (const auto Tgid = Facts.find("Tgid");
      Tgid != Facts.end() && Tgid->second != std::to_string(Pid))
    return Status::error("", std::to_string(Pid) + " is a thread of process " +
                                 Tgid->second);
  if (Pid == getpid())
    return Out.failed("is this program");
  if (const auto Kernel = Facts.find("Kthread");
      Kernel != Facts.end() && Kernel->second == "1")
    return Out.failed("is a thread of the kernel");
  // Check the status first: a process that has ended has no maps to read.
  if (Status Wrong = Out.checkStatus(Facts, Force); !Wrong.ok())
    return Wrong;
  if (!Out.readImages())
    return statusOf(Pid).empty() ? gone(Pid) : Out.forbidden();
  if (Status Wrong = Out.checkProgram(); !Wrong.ok())
    return Wrong;
  Out.SharesFiles = areOneFile(folderOf(Pid) + "/root", "/") &&
                    areOneFile(folderOf(Pid) + "/ns/mnt", "/proc/self/ns/mnt");
  return Out;
}

bool Attacher::readImages() {
  auto Found = mappingsOf(Pid);
  if (!Found)
    return false;
  Maps = std::move(*Found);
  Images = imagesOf(Pid, Maps, Images);
  if (Images.empty())
    return false;
  // Check the program first, wherever it is mapped.
  std::error_code Error;
  const std::string Program = fs::read_symlink(folderOf(Pid) + "/exe", Error);
  if (const auto At = std::ranges::find(Images, Program, &RemoteImage::Path);
      At != Images.end())
    std::rotate(Images.begin(), At, At + 1);
  for (const RemoteImage &I : Images)
    if (const uint64_t At = I.find("__inmem_attachment").Start)
      Runtime = At;
  return true;
}

const RemoteImage *Attacher::libc() const {
  const auto At = std::ranges::find_if(Images, &RemoteImage::isLibc);
  return At == Images.end() ? nullptr : &*At;
}

uint64_t Attacher::functionOf(std::string_view Library,
                              std::string_view Name) const {
  for (const RemoteImage &I : Images)
    if (I.isNamed(Library))
      if (const uint64_t Found = I.find(Name).Start)
        return Found;
  return 0;
}

std::optional<Attachment> Attacher::attachment() const {
  Attachment Out;
  if (!Runtime || readMemory(Pid, Runtime, &Out, sizeof Out) != sizeof Out ||
      Out.Version != trace::kAttachVersion)
    return std::nullopt;
  return Out;
}

/// True if \p Holds for \p T according to a scan of its stack, or else its
/// return addresses. \param Frames finds return addresses; null for only the
/// scan
template <class Rule>
static bool holdsFor(const ThreadCopy &T, StackFrames *Frames, Rule Holds) {
  if (Holds(T.view()))
    return true;
  const auto Returns = Frames ? Frames->returnAddresses(T) : std::nullopt;
  return Returns && Holds(T.view(), *Returns);
}

static bool isSafe(const ThreadCopy &T, const SafePointRules &Rules,
                   StackFrames *Frames) {
  return holdsFor(T, Frames,
                  [&](const auto &...By) { return Rules.isSafe(By...); });
}

/// As isSafe(), for threads that need not be at a safe point.
static bool isOutsideRuntime(const ThreadCopy &T, const SafePointRules &Rules,
                             StackFrames *Frames) {
  return holdsFor(T, Frames, [&](const auto &...By) {
    return Rules.isOutsideRuntime(By...);
  });
}

template <class Action> Status Attacher::atSafePoint(Action Act) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kPatience(30);
  constexpr size_t kLeastRounds = 200; // even on a busy machine
  const auto Read = [this](uint64_t From, void *To, size_t Bytes) {
    return readMemory(Pid, From, To, Bytes);
  };
  const SafePointRules Rules(Images, Read);
  std::optional<StackFrames> Frames;
  const Uninterrupted Whole;
  const auto Begin = Clock::now();
  bool Forbidden = false;
  for (size_t Round = 0;
       Round < kLeastRounds || Clock::now() - Begin < kPatience; ++Round) {
    // Unwinding is slow at first, while it reads tables.
    constexpr size_t kScansOnly = 8, kFilesAgain = 64;
    const std::vector<pid_t> Threads = threadsOf(Pid);
    if (Threads.empty())
      return failed("has ended, or all its threads wait for a device");
    if (Round % kFilesAgain == kScansOnly) {
      // The first walk reads tables: no thread is stopped for that.
      Frames.emplace(Pid, Read);
      for (const ThreadCopy &T : copiesOf(Pid, Threads))
        (void)Frames->returnAddresses(T);
    }
    for (const pid_t Tid : Threads) {
      Tracee::Failure Why;
      const auto One = Tracee::stop(Pid, Tid, Why);
      Forbidden = Why == Tracee::Failure::Forbidden;
      if (Forbidden)
        break;
      if (!One || !isSafe(One->copy(), Rules, Frames ? &*Frames : nullptr) ||
          !One->hasRoom(Maps))
        continue;
      return Act(*One);
    }
    if (Forbidden && Round > 0)
      return forbidden();
    if (const auto Fresh = mappingsOf(Pid))
      Maps = *Fresh; // includes stacks of new threads
    std::this_thread::sleep_for(
        std::chrono::milliseconds(1 + static_cast<int>(Round % 4)));
  }
  return failed("no moment was found at which a thread is outside the "
                "loader and the allocator; nothing was changed");
}

trace::Result<uint64_t> Attacher::open(Tracee &By, const std::string &Path) {
  // Before glibc 2.34, dlopen is in libdl, which few programs load.
  uint64_t Open = libc()->find("dlopen").Start;
  uint64_t Error = libc()->find("dlerror").Start;
  if (!Open) {
    Open = functionOf("libdl", "dlopen");
    Error = functionOf("libdl", "dlerror");
  }
  int Mode = RTLD_NOW;
  if (!Open) {
    constexpr int kFromOutside = static_cast<int>(0x80000000); // __RTLD_DLOPEN
    Open = libc()->find("__libc_dlopen_mode").Start;
    Mode |= kFromOutside;
  }
  if (!Open)
    return failed("its C library has no dlopen");
  auto Handle = By.call(Open, 0, static_cast<uint64_t>(Mode), &Path);
  if (!Handle || *Handle != 0 || !Error)
    return Handle;
  const auto Text = By.call(Error);
  return failed("cannot load the runtime: " +
                (Text && *Text ? textAt(Pid, *Text) : "no reason given"));
}

trace::Result<uint64_t> Attacher::openCopy(Tracee &By,
                                           const std::string &File) {
  const uint64_t Make = libc()->find("memfd_create").Start;
  const uint64_t Close = libc()->find("close").Start;
  if (!Make || !Close)
    return failed("does not see " + File +
                  ", and its C library cannot hold a copy in memory");
  const std::string Name = "libinmem_rt.so";
  const auto Fd = By.call(Make, 0, 0, &Name);
  if (!Fd || static_cast<int>(*Fd) < 0)
    return failed("does not see " + File +
                  ", and cannot hold a copy in memory");
  const std::string Number = std::to_string(static_cast<int>(*Fd));
  const int To =
      ::open((folderOf(Pid) + "/fd/" + Number).c_str(), O_WRONLY | O_CLOEXEC);
  const int From = ::open(File.c_str(), O_RDONLY | O_CLOEXEC);
  while (To >= 0 && From >= 0 &&
         sendfile(To, From, nullptr, size_t{1} << 30) > 0) {
  }
  ::close(To);
  ::close(From);
  auto Handle = open(By, markedPath("/proc/self/fd/" + Number));
  (void)By.call(Close, *Fd);
  return Handle;
}

Status Attacher::load(Tracee &By, const std::string &File) {
  const bool Sees = areOneFile(folderOf(Pid) + "/root" + File, File);
  auto Handle = Sees ? open(By, markedPath(File)) : openCopy(By, File);
  // The process's user may not be allowed to read the file.
  if (Sees && !Handle &&
      (Handle.status().what().ends_with("No such file or directory") ||
       Handle.status().what().ends_with("Permission denied")))
    Handle = openCopy(By, File);
  if (!Handle)
    return Handle.status();
  readImages();
  return Runtime ? Status()
                 : failed("the runtime was loaded, but is not found in it");
}

Status Attacher::callRuntime(Tracee &By, const char *Name,
                             const std::string *Text) {
  uint64_t Function = functionOf("libinmem_rt", Name);
  if (!Function)
    Function = functionOf("memfd:libinmem_rt", Name);
  if (!Function)
    return failed("its runtime is of another version");
  const auto Done = By.call(Function, 0, 0, Text);
  if (!Done)
    return Done.status();
  switch (static_cast<AttachResult>(*Done)) {
  case AttachResult::Done:
    return {};
  case AttachResult::BadOptions: {
    const auto Says = attachment();
    return Status::error("--options", Says ? Says->Message : "bad value");
  }
  case AttachResult::NotNow:
    return failed("records already, or does not any more");
  case AttachResult::CannotRecord:
    break;
  }
  return failed("cannot record: mode=off, special rights, or no address space");
}

Status Attacher::attach(const std::string &File, const std::string &Options) {
  const bool Again = hasRuntime();
  Status Done = atSafePoint([&](Tracee &By) {
    if (!Again)
      if (Status Wrong = load(By, File); !Wrong.ok())
        return Wrong;
    return callRuntime(By, "__inmem_attach", &Options);
  });
  if (Done.ok())
    redirectLateSlots();
  return Done;
}

Status Attacher::detach() {
  Status Done = atSafePoint(
      [&](Tracee &By) { return callRuntime(By, "__inmem_detach", nullptr); });
  if (Done.ok())
    release();
  return Done;
}

void Attacher::release() {
  const auto Read = [this](uint64_t From, void *To, size_t Bytes) {
    return readMemory(Pid, From, To, Bytes);
  };
  const SafePointRules Rules(Images, Read);
  std::optional<StackFrames> Frames;
  std::set<pid_t> Outside;
  const Uninterrupted Whole;
  constexpr size_t kMostRounds = 200, kScansOnly = 8;
  const auto IsOutside = [&](pid_t Tid) { return Outside.contains(Tid); };
  for (size_t Round = 0; Round < kMostRounds; ++Round) {
    std::vector<pid_t> Left = threadsOf(Pid);
    if (Left.empty())
      return;
    if (Round == kScansOnly)
      Frames.emplace(Pid, Read);
    std::erase_if(Left, IsOutside);
    for (const ThreadCopy &T : copiesOf(Pid, Left))
      if (isOutsideRuntime(T, Rules, Frames ? &*Frames : nullptr))
        Outside.insert(T.Tid); // what it calls from now on finds recording off
    // Threads that began during the round count, too.
    if (std::ranges::all_of(threadsOf(Pid), IsOutside)) {
      (void)atSafePoint([&](Tracee &By) {
        return callRuntime(By, "__inmem_release", nullptr);
      });
      return;
    }
    std::this_thread::sleep_for(
        std::chrono::milliseconds(1 + static_cast<int>(Round % 4)));
  }
}

void Attacher::redirectLateSlots() const {
  // A thread that was binding a function stores the address later.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto Says = attachment();
  constexpr uint64_t kMost = 1 << 20;
  if (!Says || Says->State != AttachState::Attached || Says->SlotCount > kMost)
    return;
  std::vector<trace::PatchedSlot> Slots(Says->SlotCount);
  const size_t Bytes = Slots.size() * sizeof Slots[0];
  Slots.resize(readMemory(Pid, Says->Slots, Slots.data(), Bytes) /
               sizeof Slots[0]);
  for (const trace::PatchedSlot &S : Slots) {
    uint64_t Holds = 0;
    if (S.Before == S.Bound || // already bound before attaching
        readMemory(Pid, S.Address, &Holds, sizeof Holds) != sizeof Holds ||
        Holds != S.Bound)
      continue;
    const iovec Local = {const_cast<uint64_t *>(&S.Now), sizeof S.Now};
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    const iovec Remote = {reinterpret_cast<void *>(S.Address), sizeof S.Now};
    process_vm_writev(Pid, &Local, 1, &Remote, 1, 0);
  }
}

} // namespace inmem::tools
