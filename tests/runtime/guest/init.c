// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first program of an AArch64 guest (guest.py): runs the programs that the
// host names. It speaks with the host by semihosting, which takes no driver: a
// request is an instruction, upon which qemu opens, reads or writes the host's
// file.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  HostOpen = 1,
  HostClose = 2,
  HostWrite = 5,
  HostRead = 6,
  HostRename = 15
};
enum { ForReading = 1, ForWriting = 5 };

static long ask(long Operation, intptr_t A, intptr_t B, intptr_t C) {
  volatile intptr_t Block[3] = {A, B, C};
  register long Result __asm__("x0") = Operation;
  register volatile intptr_t *Arguments __asm__("x1") = Block;
  __asm__ volatile("hlt #0xf000" : "+r"(Result) : "r"(Arguments) : "memory");
  return Result;
}

/// The host reads names and bytes where they are, so they must be in memory:
/// this has been written to.
static char Buffer[1 << 20], Name[4096];

static long hostOpen(const char *Path, int Mode) {
  snprintf(Name, sizeof Name, "%s", Path);
  return ask(HostOpen, (intptr_t)Name, Mode, (intptr_t)strlen(Name));
}
static void hostClose(long File) { ask(HostClose, File, 0, 0); }
static size_t hostRead(long File, size_t Bytes) {
  return Bytes - (size_t)ask(HostRead, File, (intptr_t)Buffer, (intptr_t)Bytes);
}
static void hostRename(const char *From, const char *To) {
  static char Other[sizeof Name];
  snprintf(Name, sizeof Name, "%s", From);
  snprintf(Other, sizeof Other, "%s", To);
  volatile intptr_t Block[4] = {(intptr_t)Name, (intptr_t)strlen(Name),
                                (intptr_t)Other, (intptr_t)strlen(Other)};
  register long Result __asm__("x0") = HostRename;
  register volatile intptr_t *Arguments __asm__("x1") = Block;
  __asm__ volatile("hlt #0xf000" : "+r"(Result) : "r"(Arguments) : "memory");
}

/// Folder of the host through which it speaks with us, and this process's
/// number there.
static char Folder[2048];
static int Worker;

[[gnu::format(printf, 1, 2)]] static void complain(const char *Format, ...) {
  va_list Arguments;
  va_start(Arguments, Format);
  fprintf(stderr, "guest: ");
  vfprintf(stderr, Format, Arguments);
  fprintf(stderr, "\n");
  va_end(Arguments);
}

/// The mode of files that are the host's.
enum { Fetched = S_ISVTX | 0755 };

static void makeFoldersOf(const char *Path) {
  char Part[4096];
  for (const char *Slash = strchr(Path + 1, '/'); Slash;
       Slash = strchr(Slash + 1, '/')) {
    snprintf(Part, sizeof Part, "%.*s", (int)(Slash - Path), Path);
    mkdir(Part, 0755);
  }
}

/// \p Text is "nanoseconds path\nsource": a file that the host has changed at
/// that time.
static void fetchFile(char *Text) {
  char *Path;
  const long long Ns = strtoll(Text, &Path, 10);
  char *Source = strchr(++Path, '\n');
  *Source++ = 0;
  const struct timespec Changed[2] = {{Ns / 1000000000, Ns % 1000000000},
                                      {Ns / 1000000000, Ns % 1000000000}};
  struct stat Is;
  if (stat(Path, &Is) == 0 && Is.st_mtim.tv_sec == Changed[1].tv_sec &&
      Is.st_mtim.tv_nsec == Changed[1].tv_nsec)
    return;
  const long From = hostOpen(Source, ForReading);
  if (From < 0) {
    complain("the host has no %s", Source);
    return;
  }
  // Not in place: another worker's program may run it.
  char New[4096];
  snprintf(New, sizeof New, "%s.%d.new", Path, Worker);
  makeFoldersOf(Path);
  const int To = open(New, O_WRONLY | O_CREAT | O_TRUNC, 0755);
  for (size_t Bytes; (Bytes = hostRead(From, sizeof Buffer)) > 0;)
    if (write(To, Buffer, Bytes) != (ssize_t)Bytes)
      complain("cannot write %s: %s", New, strerror(errno));
  fchmod(To, Fetched);
  futimens(To, Changed);
  close(To);
  rename(New, Path);
  hostClose(From);
}

static void sendFile(const char *Path, const char *As) {
  const int From = open(Path, O_RDONLY);
  const long To = hostOpen(As, ForWriting);
  if (From < 0 || To < 0)
    complain("cannot send %s: %s", Path,
             From < 0 ? strerror(errno) : "the host cannot create it");
  for (ssize_t Bytes;
       From >= 0 && To >= 0 && (Bytes = read(From, Buffer, sizeof Buffer)) > 0;)
    if (ask(HostWrite, To, (intptr_t)Buffer, Bytes) != 0)
      complain("the host takes only a part of %s", As);
  if (From >= 0)
    close(From);
  if (To >= 0)
    hostClose(To);
}

/// When the program began: newer files of its folder go to the host, and are
/// not kept.
static struct timespec Begun;
static int sendIfNew(const char *Path, const struct stat *Is, int Kind,
                     struct FTW *Where) {
  (void)Where;
  const struct timespec T = Is->st_mtim;
  const bool New = T.tv_sec > Begun.tv_sec ||
                   (T.tv_sec == Begun.tv_sec && T.tv_nsec >= Begun.tv_nsec);
  if (New && Kind == FTW_F && S_ISREG(Is->st_mode) &&
      !(Is->st_mode & S_ISVTX)) {
    sendFile(Path, Path);
    unlink(Path);
  }
  return 0;
}

static void rest(long Ms) {
  const struct timespec T = {Ms / 1000, Ms % 1000 * 1000000};
  nanosleep(&T, NULL);
}

enum { MostWords = 256 };
struct Job {
  char *Arguments[MostWords], *Environment[MostWords];
  const char *Folder;
  long Seconds;
};

/// Reads one, and fetches its files. Each text begins with what it is.
static bool readJob(const char *Path, struct Job *J) {
  static char Text[1 << 18];
  const long File = hostOpen(Path, ForReading);
  if (File < 0)
    return false;
  const size_t Bytes = hostRead(File, sizeof Text);
  hostClose(File);
  memcpy(Text, Buffer, Bytes);
  *J = (struct Job){.Folder = "/", .Seconds = 60};
  size_t Arguments = 0, Variables = 0;
  for (char *At = Text, *Next; At < Text + Bytes; At = Next) {
    Next = At + strlen(At) + 1;
    if (*At == 'F')
      fetchFile(At + 1);
    else if (*At == 'A' && Arguments < MostWords - 1)
      J->Arguments[Arguments++] = At + 1;
    else if (*At == 'E' && Variables < MostWords - 1)
      J->Environment[Variables++] = At + 1;
    else if (*At == 'D')
      J->Folder = At + 1;
    else if (*At == 'T')
      J->Seconds = strtol(At + 1, NULL, 10);
    else
      complain("cannot understand %s", At);
  }
  return true;
}

static const char *const Outputs[] = {"out", "err"};

[[noreturn]] static void begin(const struct Job *J) {
  setpgid(0, 0);
  for (int I = 0; I < 2; ++I) {
    snprintf(Name, sizeof Name, "/run/%s.%d", Outputs[I], Worker);
    dup2(open(Name, O_WRONLY | O_CREAT | O_TRUNC, 0600), I + 1);
  }
  dup2(open("/dev/null", O_RDONLY), 0);
  if (chdir(J->Folder) == 0)
    execve(J->Arguments[0], J->Arguments, J->Environment);
  complain("cannot run %s in %s: %s", J->Arguments[0], J->Folder,
           strerror(errno));
  _exit(127);
}

/// \returns the exit code, as a shell has it.
static int runJob(const struct Job *J) {
  snprintf(Name, sizeof Name, "/run/begun.%d", Worker);
  unlink(Name);
  struct stat Is = {0};
  const int Stamp = open(Name, O_WRONLY | O_CREAT, 0600);
  fstat(Stamp, &Is);
  close(Stamp);
  Begun = Is.st_mtim;
  const pid_t Child = fork();
  if (Child == 0)
    begin(J);
  const time_t End = time(NULL) + J->Seconds;
  int Status = 0;
  while (waitpid(Child, &Status, WNOHANG) != Child) {
    if (time(NULL) > End)
      kill(-Child, SIGKILL);
    rest(4);
  }
  return WIFSIGNALED(Status) ? 128 + WTERMSIG(Status) : WEXITSTATUS(Status);
}

/// Runs jobs for ever: the host writes Folder/job.WORKER.NUMBER, and waits for
/// Folder/done.WORKER.NUMBER.
[[noreturn]] static void work(void) {
  for (int Number = 0;; ++Number) {
    char Path[sizeof Folder + 64], Part[sizeof Path + 8];
    struct Job J;
    snprintf(Path, sizeof Path, "%s/job.%d.%d", Folder, Worker, Number);
    while (!readJob(Path, &J))
      rest(10);
    const int Status = runJob(&J);
    nftw(J.Folder, sendIfNew, 16, FTW_PHYS);
    for (int I = 0; I < 2; ++I) {
      snprintf(Part, sizeof Part, "/run/%s.%d", Outputs[I], Worker);
      snprintf(Path, sizeof Path, "%s/%s.%d.%d", Folder, Outputs[I], Worker,
               Number);
      sendFile(Part, Path);
    }
    snprintf(Path, sizeof Path, "%s/done.%d.%d", Folder, Worker, Number);
    snprintf(Part, sizeof Part, "%s.part", Path);
    const long To = hostOpen(Part, ForWriting);
    const int Length = snprintf(Buffer, sizeof Buffer, "%d", Status);
    ask(HostWrite, To, (intptr_t)Buffer, Length);
    hostClose(To);
    hostRename(Part, Path);
  }
}

/// guest=FOLDER and workers=N of the kernel's command line.
int main(void) {
  memset(Buffer, 1, sizeof Buffer);
  mkdir("/proc", 0755), mount("none", "/proc", "proc", 0, "");
  mkdir("/dev", 0755), mount("none", "/dev", "devtmpfs", 0, "");
  mkdir("/sys", 0755), mount("none", "/sys", "sysfs", 0, "");
  mkdir("/dev/shm", 01777), mount("none", "/dev/shm", "tmpfs", 0, "");
  mkdir("/tmp", 01777), mkdir("/run", 0755);
  const char *Workers = getenv("workers"), *Given = getenv("guest");
  if (!Workers || !Given)
    complain("guest= and workers= are missing");
  snprintf(Folder, sizeof Folder, "%s", Given ? Given : "/");
  for (int I = 0; Workers && I < atoi(Workers); ++I)
    if (fork() == 0) {
      Worker = I;
      memset(Buffer, 1, sizeof Buffer); // a copy of our own
      work();
    }
  struct utsname About;
  uname(&About);
  char Ready[sizeof Folder + 16];
  snprintf(Ready, sizeof Ready, "%s/ready", Folder);
  const long To = hostOpen(Ready, ForWriting);
  const int Length =
      snprintf(Buffer, sizeof Buffer, "Linux %s, pages of %ld bytes",
               About.release, sysconf(_SC_PAGESIZE));
  ask(HostWrite, To, (intptr_t)Buffer, Length);
  hostClose(To);
  for (;;)
    if (wait(NULL) < 0)
      pause();
}
