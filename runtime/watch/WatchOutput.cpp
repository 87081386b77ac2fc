//===- WatchOutput.cpp - The output of watch= -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "watch/Watch.h"

#include "platform/Errors.h"
#include "platform/Files.h"
#include "platform/Message.h"

#include "inmem/scope_api.h"

#include "hot/Recorder.h"
#include "platform/Image.h"
#include "registry/Modules.h"
#include "stacks/SymbolNames.h"
#include "state/Runtime.h"
#include "state/TracePath.h"

#include <stdlib.h>
#include <string.h>

/// Weak; every C++ program has it.
extern "C" __attribute__((weak)) char *
__cxa_demangle(const char *Linkage, char *Buffer, size_t *Length, int *Status);

namespace inmem::rt {

namespace {

constinit int Output = 2;

/// One line of text; a longer one is cut.
class Line {
public:
  Line &add(const char *S) {
    while (*S && Length + 2 < sizeof Text)
      Text[Length++] = takeShown(S);
    return *this;
  }
  Line &number(uint64_t N) {
    char Digits[24];
    PathBuilder(Digits, sizeof Digits).number(N);
    return add(Digits);
  }
  /// "512 B", "1.5 KiB"
  Line &bytes(uint64_t N) {
    constexpr const char *kUnits[] = {" B",   " KiB", " MiB",
                                      " GiB", " TiB", " PiB"};
    unsigned Unit = 0;
    uint64_t Tenths = N * 10;
    for (; Unit < 5 && N >= 1024; ++Unit) {
      Tenths = N / 1024 * 10 + N % 1024 * 10 / 1024;
      N /= 1024;
    }
    number(Tenths / 10);
    if (Unit > 0 && Tenths % 10)
      add(".").number(Tenths % 10);
    return add(kUnits[Unit]);
  }
  Line &signedBytes(int64_t N) {
    return N < 0 ? add("-").bytes(static_cast<uint64_t>(-N))
                 : bytes(static_cast<uint64_t>(N));
  }
  /// "45 us", "12.345 ms", "2.104 s"
  Line &duration(uint64_t Ns) {
    const uint64_t Us = Ns / 1000;
    if (Us < 1000)
      return number(Us).add(" us");
    const bool Short = Us < 1000000;
    const uint64_t Thousandths = Short ? Us : Us / 1000;
    char Part[8] = {};
    PathBuilder(Part, sizeof Part).number(1000 + Thousandths % 1000);
    number(Thousandths / 1000).add(".").add(Part + 1);
    return add(Short ? " ms" : " s");
  }
  Line &blocks(uint64_t N) {
    return number(N).add(N == 1 ? " block" : " blocks");
  }
  /// Pads to a column with at least one space.
  Line &to(size_t Column) {
    do
      add(" ");
    while (Length < Column && Length + 2 < sizeof Text);
    return *this;
  }
  void write(int Descriptor) {
    Text[Length++] = '\n';
    writeNext(Descriptor, Text, Length);
    Length = 0;
  }

private:
  char Text[1024];
  size_t Length = 0;
};

void addThread(Line &L, const inmem_thread_info &T) {
  L.add("'").add(T.name).add("' (tid ").number(T.tid).add(")");
}

/// The callable that std::thread's state class names, as in reports; or the
/// whole name.
char *calledByStdThread(char *Name) {
  constexpr char kBegin[] =
      "std::thread::_State_impl<std::thread::_Invoker<std::tuple<";
  constexpr char kEnd[] = "::_M_run()";
  constexpr size_t kBeginBytes = sizeof kBegin - 1, kEndBytes = sizeof kEnd - 1;
  const size_t Length = strlen(Name);
  if (strncmp(Name, kBegin, kBeginBytes) != 0 ||
      Length < kBeginBytes + kEndBytes ||
      strcmp(Name + Length - kEndBytes, kEnd) != 0)
    return Name;
  char *const Called = Name + kBeginBytes;
  char *Last = Name + Length - kEndBytes;
  for (int Closed = 0; Closed < 3 && Last > Called; Closed += *Last == '>')
    --Last;
  while (Last > Called && Last[-1] == ' ')
    --Last;
  *Last = 0;
  return Called;
}

/// Names of thread functions. Most threads run the same few functions, and a
/// name that only the file's symbol table has is read from disk. Used by one
/// thread at a time; valid when zero.
class StartNames {
public:
  const char *of(const void *Start) {
    const Module *In = moduleOf(Start);
    for (const Known &K : Names)
      if (K.In && K.Start == Start && K.In == In)
        return K.Text;
    Known &K = Names[Next++ % kKept];
    K.Start = Start;
    K.In = In;
    K.Text[0] = 0;
    char Linkage[sizeof K.Text];
    if (!inmem_code_name(Start, Linkage, sizeof Linkage))
      return K.Text;
    inmem_ignore_begin();
    int Status = 0;
    char *Plain = __cxa_demangle && strncmp(Linkage, "_Z", 2) == 0
                      ? __cxa_demangle(Linkage, nullptr, nullptr, &Status)
                      : nullptr;
    strncpy(K.Text, Plain ? calledByStdThread(Plain) : Linkage,
            sizeof K.Text - 1);
    K.Text[sizeof K.Text - 1] = 0;
    free(Plain);
    inmem_ignore_end();
    return K.Text;
  }

private:
  static constexpr unsigned kKept = 4;
  struct Known {
    const void *Start;
    const Module *In; ///< to detect a different module at this address
    char Text[400];
  };

  static const Module *moduleOf(const void *Code) {
    SlowEvent Inside(Thread);
    return Inside ? findModule(reinterpret_cast<uintptr_t>(Code)) : nullptr;
  }

  Known Names[kKept] = {};
  unsigned Next = 0;
};

/// Names of the one watcher that watch= starts.
constinit StartNames WatchedStarts;

} // namespace

bool openWatchOutput() {
  const char *Pattern = Process.Config.WatchOutput.Value;
  if (strcmp(Pattern, "stderr") == 0)
    return true;
  char Path[1024];
  PathBuilder Name(Path, sizeof Path);
  expandPattern(Pattern, "", Name);
  const int Fd = Name.ok() ? openForAppending(Path) : -ENAMETOOLONG;
  if (Fd < 0) {
    Message M;
    M.text("cannot write watch_output '").text(Path);
    M.text("': ").error(-Fd).emit();
    return false;
  }
  Output = Fd;
  return true;
}

void tellWatchOutput(void *, const inmem_thread_event *Event,
                     const inmem_thread_info *Of) {
  Line L;
  L.add("inmem: thread ");
  addThread(L, *Of);
  switch (Event->kind) {
  case INMEM_THREAD_CREATED:
    L.add(" created");
    if (Of->start)
      L.add(", runs ").add(WatchedStarts.of(Of->start));
    break;
  case INMEM_THREAD_DIED:
    L.add(" died after ").duration(Of->died_ns - Of->created_ns);
    L.add(": allocated ").bytes(Of->allocated_bytes);
    L.add(" in ").blocks(Of->allocations).add(", freed ");
    L.bytes(Of->freed_bytes);
    break;
  case INMEM_THREAD_BYTES:
    L.add(" has allocated ").bytes(Event->amount);
    L.add(": now ").bytes(Of->allocated_bytes).add(", ");
    L.bytes(Of->bytes_per_second).add("/s");
    break;
  default:
    L.add(" has allocated ").blocks(Event->amount).add(": now ");
    L.number(Of->allocations).add(", ");
    L.number(Of->allocations_per_second).add("/s");
  }
  L.write(Output);
}

void printThreads(int Descriptor, const inmem_thread_info *Threads,
                  size_t Count) {
  Line L;
  StartNames Starts;
  L.add("thread").to(17).add("tid").to(27).add("allocated").to(39);
  L.add("blocks").to(51).add("freed").to(63).add("live").to(75).add("per s");
  L.to(87).add("runs").write(Descriptor);
  for (size_t I = 0; I < Count; ++I) {
    const inmem_thread_info &T = Threads[I];
    L.add(T.name).to(17).number(T.tid).add(T.alive ? "" : " ended").to(27);
    L.bytes(T.allocated_bytes).to(39).number(T.allocations).to(51);
    L.bytes(T.freed_bytes).to(63).signedBytes(T.live_bytes).to(75);
    L.bytes(T.bytes_per_second).to(87);
    L.add(T.start ? Starts.of(T.start) : "").write(Descriptor);
  }
}

} // namespace inmem::rt

using namespace inmem::rt;

size_t inmem_code_name(const void *Code, char *Name, size_t Room) {
  if (Room == 0)
    return 0;
  Name[0] = 0;
  SlowEvent Inside(Thread);
  const auto Address = reinterpret_cast<uintptr_t>(Code);
  Image File;
  if (!Inside || !Image::around(Address, File))
    return 0;
  uint32_t Offset = 0;
  if (const char *Exported = File.symbolAt(Address, Offset)) {
    strncpy(Name, Exported, Room - 1);
    Name[Room - 1] = 0;
    return strlen(Name);
  }
  const Module *M = findModule(Address);
  if (!M)
    return 0;
  if (readSymbolName(*M, Address - M->Base, Name, Room))
    return strlen(Name);
  const char *Slash = strrchr(M->Path, '/');
  PathBuilder Out(Name, Room);
  Out.add(Slash ? Slash + 1 : M->Path).add("+0x");
  unsigned Shift = 60;
  for (const uint64_t Within = Address - M->Base; Shift > 0; Shift -= 4)
    if (Within >> Shift)
      break;
  for (;; Shift -= 4) {
    Out.add("0123456789abcdef"[(Address - M->Base) >> Shift & 15]);
    if (Shift == 0)
      break;
  }
  return Out.length();
}
