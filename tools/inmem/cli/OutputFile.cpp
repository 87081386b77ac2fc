//===- OutputFile.cpp - Drafts that replace files -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/OutputFile.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace inmem::tools {

namespace fs = std::filesystem;

namespace {

bool isOne(const struct stat &A, const struct stat &B) {
  return S_ISREG(A.st_mode) && A.st_dev == B.st_dev && A.st_ino == B.st_ino;
}

/// The draft to remove on a fatal signal: its name, and whether it exists.
char DraftToRemove[PATH_MAX];
std::atomic<bool> HasDraft;

void removeDraft(int Signal) {
  if (HasDraft)
    unlink(DraftToRemove);
  std::signal(Signal, SIG_DFL);
  raise(Signal);
}

/// \param Name empty if the draft no longer exists
void setDraftToRemove(const std::string &Name) {
  HasDraft = false;
  if (Name.empty() || Name.size() >= sizeof DraftToRemove)
    return;
  std::memcpy(DraftToRemove, Name.c_str(), Name.size() + 1);
  HasDraft = true;
  for (const int Signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ}) {
    struct sigaction Now{};
    // An ignored signal, as with nohup, does not end this process.
    if (sigaction(Signal, nullptr, &Now) == 0 && Now.sa_handler == SIG_DFL)
      std::signal(Signal, removeDraft);
  }
}

/// The target of a file name: follows links, even to files that do not exist.
std::string resolved(const std::string &Path) {
  fs::path Name(Path);
  std::error_code Error;
  for (int Hops = 0; Hops < 40; ++Hops) {
    const fs::path Next = fs::read_symlink(Name, Error);
    if (Error)
      break;
    Name = Next.is_absolute() ? Next : Name.parent_path() / Next;
  }
  return Name.string();
}

std::string folderOf(const std::string &Path) {
  const size_t Slash = Path.rfind('/');
  return Slash == std::string::npos ? "." : Path.substr(0, Slash + 1);
}

/// A hidden name next to Target for the incomplete file.
std::string nameBeside(const std::string &Target) {
  const size_t Slash = Target.rfind('/');
  const size_t At = Slash == std::string::npos ? 0 : Slash + 1;
  // Half of the maximum name length leaves room for the rest.
  return Target.substr(0, At) + "." + Target.substr(At, NAME_MAX / 2) + "." +
         std::to_string(getpid()) + ".tmp";
}

} // namespace

bool isSameFile(const std::string &A, const std::string &B) {
  struct stat First{}, Second{};
  return stat(A.c_str(), &First) == 0 && stat(B.c_str(), &Second) == 0 &&
         isOne(First, Second);
}

bool isSameFile(int Fd, const std::string &Path) {
  struct stat First{}, Second{};
  return fstat(Fd, &First) == 0 && stat(Path.c_str(), &Second) == 0 &&
         isOne(First, Second);
}

int descriptorNamed(std::string_view Path) {
  if (Path == "/dev/stdout")
    return STDOUT_FILENO;
  if (Path == "/dev/stderr")
    return STDERR_FILENO;
  for (const std::string_view Folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!Path.starts_with(Folder))
      continue;
    int Fd = -1;
    const char *End = Path.data() + Path.size();
    const auto [Stop, Wrong] =
        std::from_chars(Path.data() + Folder.size(), End, Fd);
    return Wrong == std::errc() && Stop == End ? Fd : -1;
  }
  return -1;
}

trace::Status OutputFile::failure(const char *Doing) const {
  return trace::Status::error(Shown, std::string("cannot ") + Doing + ": " +
                                         std::strerror(errno));
}

trace::Status OutputFile::openDraft(Draft How, bool MayOverwrite) {
  struct stat Old{};
  const bool Exists = stat(Target.c_str(), &Old) == 0;
  if (Exists && access(Target.c_str(), W_OK) != 0)
    return failure("open");
  constexpr mode_t kUsual = 0666;
  int Fd = -1;
  if (How == Draft::Nameless)
    Fd = ::open(folderOf(Target).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC,
                kUsual);
  if (Fd < 0) {
    DraftName = nameBeside(Target);
    setDraftToRemove(DraftName);
    unlink(DraftName.c_str()); // left by a killed process with the same pid
    Fd = ::open(DraftName.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC,
                kUsual);
    if (Fd < 0) {
      DraftName.clear();
      setDraftToRemove({});
    }
  }
  // The user may be allowed to write to the file, but not to its folder.
  if (Fd < 0 && Exists && MayOverwrite && (errno == EACCES || errno == EPERM)) {
    Fd = ::open(Target.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    Target.clear();
  }
  if (Fd < 0)
    return failure("open");
  if (Exists && !Target.empty()) {
    // Only root may change the owner. Set the mode afterwards, because chown()
    // clears bits.
    if (Old.st_uid != geteuid() || Old.st_gid != getegid())
      (void)!fchown(Fd, Old.st_uid, Old.st_gid);
    fchmod(Fd, Old.st_mode & 07777);
  }
  To = fdopen(Fd, "w");
  if (!To) {
    const trace::Status Wrong = failure("open");
    ::close(Fd);
    return Wrong;
  }
  Owned = true;
  return {};
}

trace::Result<OutputFile> OutputFile::open(const std::string &Path,
                                           std::FILE *Default, Draft How) {
  OutputFile Out;
  Out.Shown = Path;
  if (Path.empty() || Path == "-") {
    Out.Shown = "output";
    Out.To = Default;
    return Out;
  }
  const int Fd = descriptorNamed(Path);
  if (Fd == STDOUT_FILENO || Fd == STDERR_FILENO) {
    Out.To = Fd == STDOUT_FILENO ? stdout : stderr;
    return Out;
  }
  struct stat Old{};
  const bool IsDevice =
      Fd < 0 && stat(Path.c_str(), &Old) == 0 && !S_ISREG(Old.st_mode);
  if (Fd >= 0 || IsDevice) {
    const int Copy = Fd >= 0 ? fcntl(Fd, F_DUPFD_CLOEXEC, 3)
                             : ::open(Path.c_str(), O_WRONLY | O_CLOEXEC);
    Out.To = Copy >= 0 ? fdopen(Copy, "w") : nullptr;
    if (!Out.To) {
      const trace::Status Wrong = Out.failure("open");
      if (Copy >= 0)
        ::close(Copy);
      return Wrong;
    }
    Out.Owned = true;
    return Out;
  }
  Out.Target = resolved(Path);
  if (trace::Status Wrong = Out.openDraft(How, true); !Wrong.ok())
    return Wrong;
  return Out;
}

trace::Result<OutputFile> OutputFile::replace(const std::string &Path) {
  OutputFile Out;
  Out.Shown = Path;
  Out.Target = resolved(Path);
  if (trace::Status Wrong = Out.openDraft(Draft::Nameless, false); !Wrong.ok())
    return Wrong;
  return Out;
}

OutputFile::OutputFile(OutputFile &&From) noexcept
    : To(std::exchange(From.To, nullptr)),
      Owned(std::exchange(From.Owned, false)), Wrote(From.Wrote),
      WriteError(From.WriteError), Shown(std::move(From.Shown)),
      Target(std::move(From.Target)),
      DraftName(std::exchange(From.DraftName, {})) {}

void OutputFile::close() {
  if (Owned && To)
    std::fclose(To);
  To = nullptr;
  if (!DraftName.empty()) {
    unlink(DraftName.c_str());
    setDraftToRemove({});
    DraftName.clear();
  }
}

OutputFile::~OutputFile() { close(); }

void OutputFile::write(std::string_view Text) {
  if (!Wrote || std::fwrite(Text.data(), 1, Text.size(), To) == Text.size())
    return;
  Wrote = false;
  WriteError = errno;
}

bool OutputFile::publish() const {
  if (!DraftName.empty())
    return rename(DraftName.c_str(), Target.c_str()) == 0;
  const std::string Draft = "/proc/self/fd/" + std::to_string(fileno(To));
  const auto Name = [&Draft](const std::string &As) {
    return linkat(AT_FDCWD, Draft.c_str(), AT_FDCWD, As.c_str(),
                  AT_SYMLINK_FOLLOW) == 0;
  };
  if (Name(Target))
    return true;
  if (errno != EEXIST)
    return false;
  // Linking cannot replace a file, but a rename does, atomically.
  const std::string Temporary = nameBeside(Target);
  setDraftToRemove(Temporary);
  unlink(Temporary.c_str());
  const bool Good =
      Name(Temporary) && rename(Temporary.c_str(), Target.c_str()) == 0;
  const int Why = errno;
  if (!Good)
    unlink(Temporary.c_str());
  setDraftToRemove({});
  errno = Why;
  return Good;
}

trace::Status OutputFile::commit() {
  if (std::fflush(To) != 0 && Wrote) {
    Wrote = false;
    WriteError = errno;
  }
  errno = WriteError;
  if (!Wrote || std::ferror(To))
    return failure("write");
  if (isDraft()) {
    if (!publish())
      return failure("write");
    DraftName.clear();
    setDraftToRemove({});
  }
  std::FILE *Whole = Owned ? std::exchange(To, nullptr) : nullptr;
  if (Whole && std::fclose(Whole) != 0)
    return failure("write");
  return {};
}

} // namespace inmem::tools
