//===- TraceWatch.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/TraceWatch.h"

#include "report/base/Words.h"

#include <algorithm>
#include <cstring>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

namespace inmem::tools {

namespace fs = std::filesystem;

/// The folder before the first wildcard in a pattern.
static fs::path fixedPart(const fs::path &Root, const std::string &Glob) {
  const size_t Wild = Glob.find_first_of("*?\\");
  const size_t Slash = Glob.rfind('/', Wild);
  const std::string Fixed =
      Slash == std::string::npos ? std::string() : Glob.substr(0, Slash + 1);
  std::error_code Error;
  const fs::path Out = fs::weakly_canonical(Root / Fixed, Error);
  return Error ? Root / Fixed : Out;
}

TraceWatch::TraceWatch(fs::path Of, std::string Pattern)
    : Root(std::move(Of)), From(fixedPart(Root, Pattern)),
      Glob(std::move(Pattern)), Fd(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (!Glob.empty() && !Glob.starts_with('/'))
    Glob = report::globOf(Root.string()) + '/' + Glob;
}

TraceWatch::~TraceWatch() {
  if (Fd >= 0)
    close(Fd);
}

bool TraceWatch::wanted(const std::string &Path) const {
  if (!Glob.empty())
    return report::matchesGlob(Glob, Path);
  return Path.ends_with(".inmem") || Path.ends_with(".inmem.gz") ||
         Path.ends_with(".inmem.zst");
}

void TraceWatch::walk(const fs::path &Folder, unsigned Depth,
                      std::vector<Found> &Into) {
  constexpr size_t kFolders = 4096;
  constexpr unsigned kDepth = 8;
  if (Depth > kDepth || ++Folders > kFolders)
    return;
  // Watching a folder again keeps its watch.
  if (Fd >= 0)
    inotify_add_watch(Fd, Folder.c_str(),
                      IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE |
                          IN_MOVED_FROM | IN_MODIFY | IN_ONLYDIR);
  std::error_code Error;
  std::vector<fs::path> Below;
  for (fs::directory_iterator At(Folder, Error), End; !Error && At != End;
       At.increment(Error)) {
    const fs::path &Path = At->path();
    struct stat Now{};
    if (lstat(Path.c_str(), &Now) != 0)
      continue;
    const std::string Name = Path.filename().string();
    if (S_ISDIR(Now.st_mode)) {
      if (!Name.starts_with('.') && Name != "node_modules")
        Below.push_back(Path);
    } else if (S_ISREG(Now.st_mode) && wanted(Path.string())) {
      Into.push_back({Path.string(),
                      Now.st_mtim.tv_sec * 1000000000 + Now.st_mtim.tv_nsec,
                      static_cast<uint64_t>(Now.st_size)});
    }
  }
  std::ranges::sort(Below); // so that the limit always skips the same folders
  for (const fs::path &Path : Below)
    walk(Path, Depth + 1, Into);
}

std::vector<TraceWatch::Found> TraceWatch::scan() {
  std::vector<Found> Out;
  Folders = 0;
  walk(From, 0, Out);
  std::ranges::sort(Out, [](const Found &A, const Found &B) {
    return std::tuple(-A.ModifiedNs, A.Path) <
           std::tuple(-B.ModifiedNs, B.Path);
  });
  return Out;
}

bool TraceWatch::drain() {
  alignas(inotify_event) char Buffer[8192];
  bool Any = false;
  for (;;) {
    const ssize_t N = read(Fd, Buffer, sizeof Buffer);
    if (N <= 0)
      return Any;
    for (ssize_t At = 0; At < N;) {
      inotify_event Event;
      std::memcpy(&Event, Buffer + At, sizeof Event);
      const std::string Name =
          Event.len ? Buffer + At + sizeof Event : std::string();
      Any |= (Event.mask & (IN_ISDIR | IN_Q_OVERFLOW)) != 0 || !Glob.empty() ||
             Name.find(".inmem") != std::string::npos;
      At += static_cast<ssize_t>(sizeof Event + Event.len);
    }
  }
}

} // namespace inmem::tools
