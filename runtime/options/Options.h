//===- Options.h - INMEM_OPTIONS --------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsed once, before the first event is recorded. options.inc is the list.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_OPTIONS_H
#define INMEM_RUNTIME_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

enum class SignalAction : uint8_t {
  Start,
  Stop,
  Reset,
  Flush,
  Snapshot,
  Heap ///< for snapshot=
};

/// The options as written, one member per line of options.inc. Texts are
/// owned by the structure.
struct Options {
  struct Text {
    char Value[512];
  };
  using Number = uint64_t;
  struct Choice {
    unsigned Index; ///< zero-based index of the word
  };
#define INMEM_OPTION(Kind, Member, Name, Default, Help) Kind Member;
#include "options/options.inc"
#undef INMEM_OPTION

  enum ModeWord : unsigned { ModeSummary, ModeTrace, ModeOff };
  enum ClockWord : unsigned { ClockAuto, ClockExact, ClockEvents };
  enum AddressesWord : unsigned { AddressesPlain, AddressesHash };
  enum CallersWord : unsigned { CallersOn, CallersOff };
  enum FreesWord : unsigned { FreesOff, FreesOn };
  enum CheckStacksWord : unsigned { CheckStacksOff, CheckStacksOn };
  enum ProfileClockWord : unsigned { ProfileWall, ProfileCpu };
  enum ChildrenWord : unsigned { ChildrenOn, ChildrenOff };
  enum StartWord : unsigned { StartOn, StartOff };
  enum MmapWord : unsigned { MmapOff, MmapOn };
  enum QuietWord : unsigned { QuietOff, QuietOn };

  uint64_t SizeRange; ///< bytes above MinSize, up to MaxSize

  // Derived from Periodic.
  double PeriodicSeconds;
  int64_t PeriodicResets; ///< -1: every time

  // Derived from Watch; interval 0: no watching.
  uint64_t WatchNs, WatchBytes, WatchBlocks;
  uint64_t ProfileNs;      ///< derived from Profile; 0: no samples
  int ProfileSignalNumber; ///< derived from ProfileSignal; 0: auto
  bool NamesCode;          ///< record names of referenced code in the trace

  // Derived from Signals.
  struct SignalCommand {
    int Signal;
    SignalAction Action;
    char Name[16]; ///< as written
  };
  static constexpr unsigned kMostSignals = 8;
  SignalCommand SignalCommands[kMostSignals + 1]; ///< including Snapshot's
  unsigned SignalCount;

  // Derived from Snapshot.
  enum HeapWord : unsigned {
    HeapNever,
    HeapAtExit,
    HeapAtSignal,
    HeapAtPeak, ///< this and the next are checked at flushes
    HeapAtRss
  };
  HeapWord HeapAt;
};

/// Receives one message about a key or value, without a final newline.
using Complain = void (*)(const char *Line);

/// Sets every option to its default, then applies \p Spec ("key=value:...", may
/// be null). For a bad key or value, \p Tell gets one line that names it and
/// lists the valid ones; that key gets its default.
void parseOptions(const char *Spec, Options &Result, Complain Tell);

/// Sets the period of summaries and the number of resets from `S` or `S,N`.
/// \returns false for a bad value, which changes nothing
bool setPeriodic(const char *Value, Options &O);

/// The next `KEY=VALUE` in \p Spec that equals \p Pair, or null.
const char *findPair(const char *Spec, const char *Pair);

/// Writes the list that help=1 shows to descriptor 2.
void printOptionsHelp();

/// True if \p Spec holds help=1.
bool wantsHelp(const char *Spec);

/// Parses "500ms" (ns us ms s min) or "64KiB" (KiB MiB GiB, k m g, B or none)
/// at \p S and moves \p S past it. \returns false if \p S has no number
bool takeDuration(const char *&S, uint64_t &Ns);
bool takeBytes(const char *&S, uint64_t &Bytes);

// Globs.cpp: Lists of globs on type names.

/// A part of a list.
struct Glob {
  const char *Begin = nullptr, *End = nullptr;

  size_t length() const { return static_cast<size_t>(End - Begin); }
  /// '*' is any text, '?' one character.
  bool matches(const char *Name) const;
};

/// Stores the next nonempty glob of the comma-separated \p Globs, and moves \p
/// Globs past it; false at the end. A comma inside <...> belongs to a name.
bool takeGlob(const char *&Globs, Glob &Next);

/// True if \p Name matches one of the comma-separated globs.
bool matchesAnyGlob(const char *Globs, const char *Name);

} // namespace inmem::rt

#endif
