//===- Options.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options/Options.h"
#include "options/EditDistance.h"

#include "unwind/Unwind.h"

#include "platform/Message.h"
#include "platform/Signals.h"

#include <string.h>

namespace inmem::rt {

namespace {

enum class Kind { Text, Number, Choice };

struct Line {
  Kind K;
  const char *Name;
  const char *Default;
  const char *Help;
  size_t Offset;
};

constexpr Line kLines[] = {
#define INMEM_OPTION(K, Member, Name, Default, Help)                           \
  {Kind::K, Name, Default, Help, offsetof(Options, Member)},
#include "options/options.inc"
#undef INMEM_OPTION
};

/// A piece of the specification; not NUL-terminated.
struct Piece {
  const char *Begin;
  size_t Length;
  bool is(const char *S) const {
    return strlen(S) == Length && memcmp(S, Begin, Length) == 0;
  }
};

bool parseNumber(Piece P, uint64_t &Result) {
  if (P.Length == 0)
    return false;
  uint64_t Value = 0;
  for (size_t I = 0; I < P.Length; ++I) {
    char C = P.Begin[I];
    if (C < '0' || C > '9' || __builtin_mul_overflow(Value, 10u, &Value) ||
        __builtin_add_overflow(Value, static_cast<uint64_t>(C - '0'), &Value))
      return false;
  }
  Result = Value;
  return true;
}

/// Index of \p Value among the words "a|b|c:..." of a choice's help.
bool parseChoice(const char *Help, Piece Value, unsigned &Result) {
  unsigned Index = 0;
  for (const char *Word = Help;; ++Index) {
    size_t Length = strcspn(Word, "|:");
    if (Length == Value.Length && memcmp(Word, Value.Begin, Length) == 0) {
      Result = Index;
      return true;
    }
    if (Word[Length] != '|')
      return false;
    Word += Length + 1;
  }
}

bool setOption(const Line &L, Piece Value, Options &O) {
  char *Member = reinterpret_cast<char *>(&O) + L.Offset;
  switch (L.K) {
  case Kind::Text: {
    auto &Text = *reinterpret_cast<Options::Text *>(Member);
    if (Value.Length >= sizeof Text.Value)
      return false;
    memcpy(Text.Value, Value.Begin, Value.Length);
    Text.Value[Value.Length] = 0;
    return true;
  }
  case Kind::Number:
    return parseNumber(Value, *reinterpret_cast<uint64_t *>(Member));
  case Kind::Choice:
    return parseChoice(L.Help, Value,
                       reinterpret_cast<Options::Choice *>(Member)->Index);
  }
  return false;
}

/// The most address space that a trace may take, in MiB.
constexpr uint64_t kMostPresize = uint64_t{1} << 16;

/// A shorter period would take most of the process's time.
constexpr double kLeastPeriod = 0.001;
constexpr double kMostPeriod = 1e9;

/// "S" or "S,N": seconds (a decimal fraction is allowed; 0: never) and resets.
bool parsePeriodic(const char *S, double &Seconds, int64_t &Resets) {
  double Value = 0, Scale = 1;
  bool Digits = false, Fraction = false;
  for (; (*S >= '0' && *S <= '9') || (*S == '.' && !Fraction); ++S) {
    if (*S == '.') {
      Fraction = true;
      continue;
    }
    Digits = true;
    Value = Value * 10 + (*S - '0');
    if (Fraction)
      Scale *= 10;
  }
  uint64_t Count = 0;
  bool Negative = false;
  if (*S == ',') {
    Negative = S[1] == '-';
    S += Negative ? 2 : 1;
    if (!parseNumber({S, strlen(S)}, Count) || (Negative && Count != 1) ||
        Count > INT64_MAX)
      return false;
  } else if (*S) {
    return false;
  }
  // If there are very many digits, both are infinite and the quotient is NaN.
  const double Period = Value / Scale;
  if (!Digits ||
      !(Period == 0 || (Period >= kLeastPeriod && Period <= kMostPeriod)))
    return false;
  Seconds = Period;
  Resets = Negative ? -1 : static_cast<int64_t>(Count);
  return true;
}

/// Parses the number at the start of \p S and moves \p S past it.
bool takeNumber(const char *&S, uint64_t &Result) {
  const size_t Digits = strspn(S, "0123456789");
  if (!parseNumber({S, Digits}, Result))
    return false;
  S += Digits;
  return true;
}

struct UnitOf {
  const char *Name;
  uint64_t Factor;
};

/// Parses one of the units, longest names first, at \p S.
template <size_t N>
bool takeUnit(const char *&S, const UnitOf (&Units)[N], uint64_t &Value) {
  for (const UnitOf &U : Units) {
    const size_t Length = strlen(U.Name);
    if (strncmp(S, U.Name, Length) != 0)
      continue;
    S += Length;
    return !__builtin_mul_overflow(Value, U.Factor, &Value);
  }
  return false;
}

} // namespace

bool takeDuration(const char *&S, uint64_t &Ns) {
  constexpr UnitOf kUnits[] = {{"ns", 1},
                               {"us", 1000},
                               {"ms", 1000000},
                               {"s", 1000000000},
                               {"min", 60000000000}};
  return takeNumber(S, Ns) && takeUnit(S, kUnits, Ns);
}

bool takeBytes(const char *&S, uint64_t &Bytes) {
  constexpr UnitOf kUnits[] = {
      {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"k", 1 << 10},
      {"m", 1 << 20},   {"g", 1 << 30},   {"B", 1},         {"", 1}};
  return takeNumber(S, Bytes) && takeUnit(S, kUnits, Bytes);
}

namespace {

bool skipComma(const char *&S) {
  if (*S != ',')
    return false;
  ++S;
  return true;
}

/// "500ms,1MiB,1000": interval, bytes and blocks; the last two are optional.
bool parseWatch(const char *S, Options &O) {
  O.WatchNs = O.WatchBytes = O.WatchBlocks = 0;
  if (!*S)
    return true;
  constexpr uint64_t kLeast = 1000000, kMost = 86400 * uint64_t{1000000000};
  uint64_t Ns, Bytes = 0, Blocks = 0;
  if (!takeDuration(S, Ns) || Ns < kLeast || Ns > kMost)
    return false;
  if (skipComma(S) && !takeBytes(S, Bytes))
    return false;
  if (skipComma(S) && !takeNumber(S, Blocks))
    return false;
  if (*S)
    return false;
  O.WatchNs = Ns;
  O.WatchBytes = Bytes;
  O.WatchBlocks = Blocks;
  return true;
}

bool parseSignalName(Piece P, int &Signal) {
  constexpr struct {
    const char *Name;
    int Signal;
  } kNames[] = {{"HUP", SIGHUP},     {"USR1", SIGUSR1}, {"USR2", SIGUSR2},
                {"WINCH", SIGWINCH}, {"URG", SIGURG},   {"IO", SIGIO},
                {"PWR", SIGPWR},     {"PROF", SIGPROF}};
  for (const auto &N : kNames)
    if (P.is(N.Name)) {
      Signal = N.Signal;
      return true;
    }
  uint64_t Offset = 0;
  constexpr size_t kPrefix = sizeof "RTMIN+" - 1;
  if (P.Length <= kPrefix || memcmp(P.Begin, "RTMIN+", kPrefix) != 0 ||
      !parseNumber({P.Begin + kPrefix, P.Length - kPrefix}, Offset) ||
      Offset > static_cast<uint64_t>(SIGRTMAX - SIGRTMIN))
    return false;
  Signal = SIGRTMIN + static_cast<int>(Offset);
  return true;
}

/// "200ms", or "0".
bool parseProfile(const char *S, uint64_t &Ns) {
  if (strcmp(S, "0") == 0)
    return Ns = 0, true;
  constexpr uint64_t kLeast = 100000, kMost = 3600 * uint64_t{1000000000};
  return takeDuration(S, Ns) && !*S && Ns >= kLeast && Ns <= kMost;
}

bool parseProfileSignal(const char *S, int &Signal) {
  if (strcmp(S, "auto") == 0)
    return Signal = 0, true;
  return parseSignalName({S, strlen(S)}, Signal);
}

bool parseSignalAction(Piece P, SignalAction &Action) {
  constexpr const char *kWords[] = {"start", "stop", "reset", "flush",
                                    "snapshot"};
  for (unsigned I = 0; I < sizeof kWords / sizeof *kWords; ++I)
    if (P.is(kWords[I])) {
      Action = static_cast<SignalAction>(I);
      return true;
    }
  return false;
}

/// "USR1:reset,USR2:flush"
bool parseSignals(const char *S, Options &O) {
  O.SignalCount = 0;
  while (*S) {
    size_t Length = strcspn(S, ","), Colon = strcspn(S, ":,");
    if (Colon >= Length || O.SignalCount == Options::kMostSignals)
      return false;
    Options::SignalCommand &Given = O.SignalCommands[O.SignalCount];
    if (Colon >= sizeof Given.Name ||
        !parseSignalName({S, Colon}, Given.Signal) ||
        !parseSignalAction({S + Colon + 1, Length - Colon - 1}, Given.Action))
      return false;
    memcpy(Given.Name, S, Colon);
    Given.Name[Colon] = 0;
    ++O.SignalCount;
    S += Length + (S[Length] == ',');
  }
  return true;
}

/// "service=web,build=13": keys must not be empty, values may be.
bool labelsAreGood(const char *S) {
  while (*S) {
    const size_t Length = strcspn(S, ","), Key = strcspn(S, "=,");
    if (Key == 0 || Key >= Length)
      return false;
    S += Length;
    if (*S && !S[1]) // trailing comma
      return false;
    S += *S != 0;
  }
  return true;
}

/// "exit", "peak", "rss" or a signal's name.
bool parseSnapshot(const char *S, Options &O) {
  int Signal;
  const char *Name = strncmp(S, "SIG", 3) == 0 ? S + 3 : S;
  O.HeapAt = !*S                      ? Options::HeapNever
             : strcmp(S, "exit") == 0 ? Options::HeapAtExit
             : strcmp(S, "peak") == 0 ? Options::HeapAtPeak
             : strcmp(S, "rss") == 0  ? Options::HeapAtRss
                                      : Options::HeapAtSignal;
  return O.HeapAt != Options::HeapAtSignal ||
         (strlen(Name) < sizeof(Options::SignalCommand::Name) &&
          parseSignalName({Name, strlen(Name)}, Signal));
}

/// Adds the signal of snapshot= to the signals that trigger actions.
void addSnapshotSignal(Options &O) {
  if (O.HeapAt != Options::HeapAtSignal)
    return;
  const char *S = O.Snapshot.Value;
  const char *Name = strncmp(S, "SIG", 3) == 0 ? S + 3 : S;
  Options::SignalCommand &Given = O.SignalCommands[O.SignalCount];
  parseSignalName({Name, strlen(Name)}, Given.Signal);
  Given.Action = SignalAction::Heap;
  strcpy(Given.Name, Name);
  ++O.SignalCount;
}

/// Checks constraints beyond the value's syntax, and sets the members derived
/// from it.
bool applyValue(const Line &L, Options &O) {
  if (L.Offset == offsetof(Options, Every))
    return O.Every > 0;
  if (L.Offset == offsetof(Options, Presize))
    return O.Presize <= kMostPresize;
  if (L.Offset == offsetof(Options, Stacks))
    return O.Stacks <= kMaxDepth;
  if (L.Offset == offsetof(Options, Output))
    return O.Output.Value[0] != 0;
  if (L.Offset == offsetof(Options, Signals))
    return parseSignals(O.Signals.Value, O);
  if (L.Offset == offsetof(Options, Watch))
    return parseWatch(O.Watch.Value, O);
  if (L.Offset == offsetof(Options, Profile))
    return parseProfile(O.Profile.Value, O.ProfileNs);
  if (L.Offset == offsetof(Options, ProfileDepth))
    return O.ProfileDepth >= 1 && O.ProfileDepth <= kMaxDepth;
  if (L.Offset == offsetof(Options, ProfileSignal))
    return parseProfileSignal(O.ProfileSignal.Value, O.ProfileSignalNumber);
  if (L.Offset == offsetof(Options, WatchOutput))
    return O.WatchOutput.Value[0] != 0;
  if (L.Offset == offsetof(Options, Snapshot))
    return parseSnapshot(O.Snapshot.Value, O);
  if (L.Offset == offsetof(Options, Labels))
    return labelsAreGood(O.Labels.Value);
  if (L.Offset == offsetof(Options, Periodic))
    return parsePeriodic(O.Periodic.Value, O.PeriodicSeconds, O.PeriodicResets);
  return true;
}

void setDefault(const Line &L, Options &O) {
  setOption(L, {L.Default, strlen(L.Default)}, O);
  applyValue(L, O);
}

class LineBuffer {
public:
  LineBuffer &add(const char *S, size_t Length) {
    for (size_t I = 0; I < Length && Used < sizeof Buffer - 1; ++I)
      Buffer[Used++] = S[I];
    Buffer[Used] = 0;
    return *this;
  }
  LineBuffer &add(const char *S) { return add(S, strlen(S)); }
  /// Adds user input, shortened so that the valid values still fit.
  LineBuffer &add(Piece P) {
    constexpr size_t kMost = 100;
    return P.Length <= kMost ? add(P.Begin, P.Length)
                             : add(P.Begin, kMost).add("...");
  }
  const char *c_str() const { return Buffer; }

private:
  char Buffer[900] = {};
  size_t Used = 0;
};

/// The option that \p Key most likely meant, of which one in three letters may
/// differ; or null.
const char *closestKey(Piece Key) {
  const char *Meant = nullptr;
  unsigned Least = mostTypos(Key.Length) + 1;
  for (const Line &L : kLines) {
    const unsigned Far =
        editDistance(Key.Begin, Key.Length, L.Name, strlen(L.Name));
    if (Far < Least && Far < strlen(L.Name)) {
      Least = Far;
      Meant = L.Name;
    }
  }
  return Meant;
}

void complainAboutKey(Piece Key, Complain Tell) {
  LineBuffer B;
  B.add("INMEM_OPTIONS: unknown option '").add(Key).add("'");
  if (const char *Meant = closestKey(Key))
    B.add("; did you mean '").add(Meant).add("'?");
  B.add("; the options are");
  for (const Line &L : kLines)
    B.add(" ").add(L.Name);
  B.add(" help");
  Tell(B.c_str());
}

void complainAboutValue(const Line &L, Piece Value, Complain Tell) {
  LineBuffer B;
  B.add("INMEM_OPTIONS: bad value '").add(Value);
  B.add("' for ").add(L.Name).add("; expected ").add(L.Help);
  B.add("; using ").add(*L.Default ? L.Default : "the default");
  Tell(B.c_str());
}

/// Length of the pair at \p At: up to a ':' that begins another "key=" or ends
/// the string. A value may contain other colons, as in std::string.
size_t pairLength(const char *At) {
  for (size_t Length = 0;; ++Length) {
    if (!At[Length])
      return Length;
    if (At[Length] != ':')
      continue;
    const char *Next = At + Length + 1;
    size_t Key = strspn(Next, "abcdefghijklmnopqrstuvwxyz_");
    if (!*Next || (Key > 0 && Next[Key] == '='))
      return Length;
  }
}

} // namespace

void parseOptions(const char *Spec, Options &Result, Complain Tell) {
  for (const Line &L : kLines)
    setDefault(L, Result);
  for (const char *At = Spec ? Spec : ""; *At;) {
    size_t Length = pairLength(At);
    Piece Pair{At, Length};
    At += Length + (At[Length] == ':');
    if (Pair.Length == 0)
      continue;
    const void *Equal = memchr(Pair.Begin, '=', Pair.Length);
    size_t KeyLength =
        Equal
            ? static_cast<size_t>(static_cast<const char *>(Equal) - Pair.Begin)
            : Pair.Length;
    Piece Key{Pair.Begin, KeyLength};
    Piece Value{Pair.Begin + KeyLength + (Equal ? 1 : 0),
                Pair.Length - KeyLength - (Equal ? 1 : 0)};
    if (Key.is("help"))
      continue;
    const Line *Found = nullptr;
    for (const Line &L : kLines)
      if (Key.is(L.Name))
        Found = &L;
    if (!Found) {
      complainAboutKey(Key, Tell);
      continue;
    }
    if (!setOption(*Found, Value, Result) || !applyValue(*Found, Result)) {
      complainAboutValue(*Found, Value, Tell);
      setDefault(*Found, Result);
    }
  }
  if (Result.MaxSize != 0 && Result.MaxSize < Result.MinSize) {
    Tell("INMEM_OPTIONS: max_size is less than min_size; max_size is ignored");
    Result.MaxSize = 0;
  }
  Result.SizeRange =
      (Result.MaxSize != 0 ? Result.MaxSize : UINT64_MAX) - Result.MinSize;
  Result.NamesCode = Result.Stacks > 0 || Result.WatchNs > 0 ||
                     Result.ProfileNs > 0 ||
                     Result.Frees.Index == Options::FreesOn;
  addSnapshotSignal(Result);
}

bool setPeriodic(const char *Value, Options &O) {
  return parsePeriodic(Value, O.PeriodicSeconds, O.PeriodicResets);
}

const char *findPair(const char *Spec, const char *Pair) {
  for (const char *At = Spec ? Spec : ""; *At;) {
    size_t Length = pairLength(At);
    if (Piece{At, Length}.is(Pair))
      return At;
    At += Length + (At[Length] == ':');
  }
  return nullptr;
}

bool wantsHelp(const char *Spec) { return findPair(Spec, "help=1"); }

void printOptionsHelp() {
  Message()
      .text("options of INMEM_OPTIONS, key=value joined by ':' (name, default, "
            "meaning)")
      .emit();
  for (const Line &L : kLines)
    Message()
        .text("  ")
        .text(L.Name)
        .text("=")
        .text(L.Default)
        .text("  ")
        .text(L.Help)
        .emit();
}

} // namespace inmem::rt
