// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* threads.h - who allocates over time: a watcher over all threads.
 *
 *   inmem::ThreadWatcher Watcher({.threshold_bytes = 10 << 20});
 *   Watcher.on_threshold([](const inmem::ThreadEvent &E) { ... });
 *   Watcher.start();
 *
 * C11 and later, C++17 and later (C++20 for designated initialisers). The
 * functions are weak: where no runtime is present nothing has to be linked, and
 * a watcher watches nothing. docs/threads.md has examples.
 */
#ifndef INMEM_THREADS_H
#define INMEM_THREADS_H

#include "profile_api.h"
#include "scope_api.h"
#include "threads_api.h"

#ifdef __cplusplus

#include "detail/demangle.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace inmem {

struct ThreadInfo {
  uint64_t id = 0; ///< number from 1, in order of creation
  uint32_t tid = 0;
  bool alive = false;
  std::string name;          ///< the most recent name
  std::string start_routine; ///< empty: unknown
  uint64_t allocations = 0, allocated_bytes = 0;
  uint64_t frees = 0, freed_bytes = 0; ///< of blocks that any thread allocated
  uint64_t temporary_allocations = 0;
  int64_t live_allocations = 0, live_bytes = 0; ///< allocated minus freed
  /// Rates between the last two samples.
  uint64_t allocations_per_second = 0, bytes_per_second = 0;
  std::chrono::nanoseconds created{0}, died{0}; ///< since recording began
};

/// The argument of a callback, with the thread's counts at that time.
struct ThreadEvent : ThreadInfo {
  enum class Kind { Created = 1, Died = 2, Bytes = 3, Blocks = 4 };
  Kind kind = Kind::Created;
  uint64_t amount = 0; ///< the multiple that was crossed, in bytes or blocks
  uint64_t times = 1;  ///< multiples that this event represents
};

struct ThreadWatcherOptions {
  std::chrono::nanoseconds interval = std::chrono::milliseconds(500);
  uint64_t threshold_bytes = 0, threshold_blocks = 0; ///< 0: no events
};

namespace detail {

class WatchUnseen {
public:
  WatchUnseen() {
    if (inmem_ignore_begin)
      inmem_ignore_begin();
  }
  ~WatchUnseen() {
    if (inmem_ignore_end)
      inmem_ignore_end();
  }
  WatchUnseen(const WatchUnseen &) = delete;
  WatchUnseen &operator=(const WatchUnseen &) = delete;
};

/// For a `std::thread`, the class of the library's own start function names the
/// function that the thread runs.
inline std::string startRoutine(const void *Code) {
  char Name[1024];
  if (!Code || !inmem_code_name || !inmem_code_name(Code, Name, sizeof Name))
    return {};
  std::string Out = demangled(Name);
  static const std::string kBegin =
      "std::thread::_State_impl<std::thread::_Invoker<std::tuple<";
  const auto End = Out.rfind("> > >::_M_run()");
  if (Out.compare(0, kBegin.size(), kBegin) == 0 && End != std::string::npos)
    Out = Out.substr(kBegin.size(), End - kBegin.size());
  return Out;
}

/// Names of start functions by address, each looked up once.
class CodeNames {
public:
  std::string of(const void *Code) {
    const std::lock_guard<std::mutex> Held(Lock);
    const auto Known = Names.find(Code);
    return Known != Names.end()
               ? Known->second
               : Names.emplace(Code, startRoutine(Code)).first->second;
  }

private:
  std::mutex Lock;
  std::map<const void *, std::string> Names;
};

inline void describe(const inmem_thread_info &From, CodeNames &Names,
                     ThreadInfo &To) {
  To.id = From.id;
  To.tid = From.tid;
  To.alive = From.alive != 0;
  To.name = From.name;
  To.start_routine = Names.of(From.start);
  To.allocations = From.allocations;
  To.allocated_bytes = From.allocated_bytes;
  To.frees = From.frees;
  To.freed_bytes = From.freed_bytes;
  To.temporary_allocations = From.temporary;
  To.live_allocations = From.live;
  To.live_bytes = From.live_bytes;
  To.allocations_per_second = From.allocations_per_second;
  To.bytes_per_second = From.bytes_per_second;
  To.created = std::chrono::nanoseconds(From.created_ns);
  To.died = std::chrono::nanoseconds(From.died_ns);
}

/// A watcher's callbacks. Outlives the watcher's thread.
struct WatchCallbacks {
  using Callback = std::function<void(const ThreadEvent &)>;
  std::mutex Lock;
  std::shared_ptr<const Callback> Created, Died, Threshold;
  CodeNames Names;
  inmem_watch *Watch = nullptr;

  void set(std::shared_ptr<const Callback> &Which, Callback To) {
    auto Fresh = std::make_shared<const Callback>(std::move(To));
    const std::lock_guard<std::mutex> Held(Lock);
    Which.swap(Fresh);
  }
  std::shared_ptr<const Callback> forKind(int Kind) {
    const std::lock_guard<std::mutex> Held(Lock);
    return Kind == INMEM_THREAD_CREATED ? Created
           : Kind == INMEM_THREAD_DIED  ? Died
                                        : Threshold;
  }

  static void call(void *Context, const inmem_thread_event *Event,
                   const inmem_thread_info *Thread) {
    const auto Self = *static_cast<std::shared_ptr<WatchCallbacks> *>(Context);
    const auto Wanted = Self->forKind(Event->kind);
    if (!Wanted || !*Wanted)
      return;
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
    try {
      Self->tell(*Wanted, *Event, *Thread);
    } catch (const std::exception &E) {
      Self->failed(E.what());
    } catch (...) {
      Self->failed("");
    }
#else
    Self->tell(*Wanted, *Event, *Thread);
#endif
  }
  static void release(void *Context) {
    delete static_cast<std::shared_ptr<WatchCallbacks> *>(Context);
  }

private:
  void tell(const Callback &Wanted, const inmem_thread_event &Event,
            const inmem_thread_info &Thread) {
    ThreadEvent E;
    describe(Thread, Names, E);
    E.kind = static_cast<ThreadEvent::Kind>(Event.kind);
    E.amount = Event.amount;
    E.times = Event.times;
    Wanted(E);
  }
  void failed(const char *Text) const {
    const std::type_info *Type = abi::__cxa_current_exception_type();
    inmem_watch_failed(Watch, Type ? demangledType(Type->name()).c_str() : "?",
                       Text);
  }
};

} // namespace detail

/// Samples all threads of the process every interval, including threads created
/// earlier, by libraries and by uninstrumented code. Thread-safe except for
/// destruction. Its own memory and thread are not counted.
///
/// Callbacks run one at a time on the watcher's thread, outside every lock:
/// they may allocate and use, stop or destroy the watcher. An exception from a
/// callback is reported once for each type, and the watcher continues. They
/// take a `const ThreadEvent &`, a `const ThreadInfo &`, or a ThreadInfo and
/// the amount.
class ThreadWatcher {
public:
  using Options = ThreadWatcherOptions;

  ThreadWatcher() : ThreadWatcher(Options()) {}
  explicit ThreadWatcher(Options With) {
    if (!inmem_watch_new)
      return;
    const detail::WatchUnseen Unseen;
    Callbacks = std::make_shared<detail::WatchCallbacks>();
    auto *Shared = new std::shared_ptr<detail::WatchCallbacks>(Callbacks);
    const auto Interval = With.interval.count();
    const inmem_watch_options Plain = {
        Interval > 0 ? static_cast<uint64_t>(Interval) : 0,
        With.threshold_bytes, With.threshold_blocks};
    Watch = inmem_watch_new(&Plain, detail::WatchCallbacks::call, Shared,
                            detail::WatchCallbacks::release);
    if (!Watch)
      delete Shared;
    Callbacks->Watch = Watch;
  }
  ~ThreadWatcher() {
    const detail::WatchUnseen Unseen;
    if (Watch)
      inmem_watch_delete(Watch);
    Callbacks.reset();
  }
  ThreadWatcher(const ThreadWatcher &) = delete;
  ThreadWatcher &operator=(const ThreadWatcher &) = delete;

  /// A thread was created, after start().
  template <class F> void on_created(F Callback) {
    if (Callbacks)
      set(Callbacks->Created, std::move(Callback));
  }
  /// A thread ended; its totals are final.
  template <class F> void on_died(F Callback) {
    if (Callbacks)
      set(Callbacks->Died, std::move(Callback));
  }
  /// A thread allocated another multiple of a threshold.
  template <class F> void on_threshold(F Callback) {
    if (Callbacks)
      set(Callbacks->Threshold, std::move(Callback));
  }

  /// \returns false if the process records nothing.
  bool start() { return Watch && inmem_watch_start(Watch) != 0; }
  /// Samples once more and waits until the watcher's thread has ended. In a
  /// callback, the thread ends when the callback has returned.
  void stop() {
    if (Watch)
      inmem_watch_stop(Watch);
  }

  /// The current counts of all threads, ended ones included, in order of
  /// creation.
  std::vector<ThreadInfo> threads() const {
    std::vector<ThreadInfo> Out;
    if (!Watch)
      return Out;
    const detail::WatchUnseen Unseen;
    std::vector<inmem_thread_info> Plain;
    for (size_t Room = 64;;) {
      Plain.resize(Room);
      const size_t Count = inmem_watch_threads(Watch, Plain.data(), Room);
      if (Count <= Room) {
        Plain.resize(Count);
        break;
      }
      Room = Count + Count / 8;
    }
    Out.resize(Plain.size());
    for (size_t I = 0; I < Plain.size(); ++I)
      detail::describe(Plain[I], Callbacks->Names, Out[I]);
    return Out;
  }
  /// Writes a table of the threads to a file descriptor.
  void print(int Descriptor = 2) const {
    if (Watch)
      inmem_watch_print(Watch, Descriptor);
  }

  /// Resets the counts of all threads and forgets ended ones. Threshold
  /// crossings not reported yet are dropped.
  void reset() {
    if (Watch)
      inmem_watch_reset(Watch, 0);
  }
  /// Resets the counts of one thread.
  void reset(const ThreadInfo &Thread) {
    if (Watch && Thread.id != 0)
      inmem_watch_reset(Watch, Thread.id);
  }
  /// Resets the newest thread with kernel id \p Tid.
  void reset(uint32_t Tid) {
    const detail::WatchUnseen Unseen;
    const std::vector<ThreadInfo> All = threads();
    for (size_t I = All.size(); I-- > 0;)
      if (All[I].tid == Tid)
        return reset(All[I]);
  }

private:
  template <class F>
  void set(std::shared_ptr<const detail::WatchCallbacks::Callback> &Which,
           F Callback) {
    const detail::WatchUnseen Unseen;
    if constexpr (std::is_invocable_v<F &, const ThreadEvent &>)
      Callbacks->set(Which, std::move(Callback));
    else
      Callbacks->set(Which, [Callback = std::move(Callback)](
                                const ThreadEvent &E) mutable {
        Callback(static_cast<const ThreadInfo &>(E), E.amount);
      });
  }

  std::shared_ptr<detail::WatchCallbacks> Callbacks;
  inmem_watch *Watch = nullptr;
};

enum class ProfileClock { Wall = 1, Cpu = 2 };

struct ProfileStartOptions {
  /// 0 selects the default: 200 ms, or 10 ms of CPU time.
  std::chrono::nanoseconds interval{0};
  ProfileClock clock = ProfileClock::Wall;
  unsigned depth = 64; ///< maximum frames of a stack
};

/// A function's samples, counted in sampling intervals.
struct ProfileFunction {
  std::string function;
  uint64_t self = 0, total = 0; ///< in the function itself; with its callees
  uint64_t running = 0, blocked = 0; ///< parts of total
};
struct ProfileResult {
  uint64_t samples = 0, unwound = 0, running = 0, blocked = 0;
  std::vector<ProfileFunction> functions; ///< by self, descending
};

/// Starts sampling the stacks of all threads. \returns false if the process
/// records nothing or no signal is free. Thread-safe, as are the next two.
inline bool profile_start(ProfileStartOptions With = ProfileStartOptions()) {
  if (!inmem_profile_start)
    return false;
  const auto Ns = With.interval.count();
  const inmem_profile_options Plain = {Ns > 0 ? static_cast<uint64_t>(Ns) : 0,
                                       static_cast<int>(With.clock),
                                       With.depth};
  return inmem_profile_start(&Plain) != 0;
}
/// Stops sampling; the samples are kept.
inline void profile_stop() {
  if (inmem_profile_stop)
    inmem_profile_stop();
}
/// The samples so far; sampling continues.
inline ProfileResult profile_read() {
  struct Reader {
    ProfileResult Out;
    detail::CodeNames Names;
    std::map<std::string, ProfileFunction> Functions;
    static void visit(const inmem_profile_sample *S, void *Data) {
      auto &Self = *static_cast<Reader *>(Data);
      Self.Out.samples += S->count;
      if (S->depth == 0)
        return;
      Self.Out.unwound += S->count;
      (S->blocked ? Self.Out.blocked : Self.Out.running) += S->count;
      std::vector<std::string> Seen;
      for (unsigned I = 0; I < S->depth; ++I) {
        std::string Name = Self.Names.of(S->frames[I]);
        ProfileFunction &F = Self.Functions[Name];
        F.self += I == 0 ? S->count : 0;
        if (std::find(Seen.begin(), Seen.end(), Name) != Seen.end())
          continue;
        F.total += S->count;
        (S->blocked ? F.blocked : F.running) += S->count;
        Seen.push_back(std::move(Name));
      }
    }
  };
  Reader R;
  if (!inmem_profile_read)
    return R.Out;
  const detail::WatchUnseen Unseen;
  inmem_profile_read(Reader::visit, &R);
  for (auto &Each : R.Functions) {
    Each.second.function = Each.first;
    R.Out.functions.push_back(std::move(Each.second));
  }
  std::sort(R.Out.functions.begin(), R.Out.functions.end(),
            [](const ProfileFunction &A, const ProfileFunction &B) {
              return A.self != B.self ? A.self > B.self
                                      : A.function < B.function;
            });
  return std::move(R.Out);
}

} // namespace inmem
#endif
#endif
