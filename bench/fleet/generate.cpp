//===- generate.cpp - Traces of a fleet that does not exist ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// generate DIR TRACES [key=value]...: traces with the shape of real ones. A
// type has two sites; how much it allocates follows Zipf's law, and two in
// three types are those of one service. With types=30, a trace is as large as
// one of examples/atlas. Large programs have thousands of types, most of which
// have a few blocks in as few buckets of lifetimes.
//
//   services=8 builds=20 hosts=50 types=30 days=4 seed=1
//   regression=0   from this build on, the second type of service-0 allocates
//                  four times as much
//   first=0        number of the first trace
//
// Each trace is of a different process. Equal arguments write the same
// bytes.
//
//===----------------------------------------------------------------------===//
#include "trace/format/Format.h"
#include "trace/text/Text.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <random>

namespace {

struct Settings {
  std::map<std::string, uint64_t> Of = {
      {"services", 8}, {"builds", 20}, {"hosts", 50},     {"types", 30},
      {"days", 4},     {"seed", 1},    {"regression", 0}, {"first", 0}};
  uint64_t operator[](const char *Name) const { return Of.at(Name); }
};

constexpr const char *kWords[] = {"Record", "Query", "Session", "Token",
                                  "Packet", "Index", "Cache",   "Job"};

/// The spelling of a type of a service. All services share the libraries'
/// types.
std::string typeName(uint64_t Service, uint64_t Type) {
  if (Type % 3 == 0)
    return fmt::format("std::vector<lib::{}{}>", kWords[Type % 8], Type / 3);
  return fmt::format("svc{}::{}{}", Service, kWords[Type % 8], Type);
}

using Random = std::mt19937_64;

double uniform(Random &R, double From, double To) {
  return From + (To - From) * static_cast<double>(R() >> 11) * 0x1p-53;
}

struct Row {
  uint64_t Blocks = 0, Frees = 0, Size = 0;
};

/// Lifetimes around the type's centre, over about 38 buckets.
void addLives(std::string &Out, const Row &Of, double Centre, Random &R) {
  if (Of.Frees == 0)
    return;
  constexpr unsigned kOctaves = 5;
  const unsigned First = static_cast<unsigned>(Centre) - 2;
  std::vector<uint64_t> Weights;
  for (unsigned I = 0; I < kOctaves * 8; ++I) {
    const double Away = (I / 8.0) - kOctaves / 2.0;
    Weights.push_back(static_cast<uint64_t>(1000 * std::exp(-Away * Away) *
                                            uniform(R, .5, 1)));
  }
  uint64_t Sum = 0, Left = Of.Frees;
  for (const uint64_t W : Weights)
    Sum += W;
  std::vector<uint64_t> Counts;
  for (const uint64_t W : Weights)
    Left -= Counts.emplace_back(Of.Frees * W / Sum);
  // The remainder of the rounding goes to the middle buckets. A type with few
  // blocks has all of them there.
  for (; Left > 0; --Left)
    ++Counts[8 + (R() % 25 + R() % 25) / 2];
  for (unsigned O = 0; O < kOctaves; ++O) {
    std::string Cells;
    for (unsigned B = 0; B < 8; ++B)
      if (const uint64_t Count = Counts[O * 8 + B]; Count != 0)
        Cells += fmt::format(" {}={}/{}", B, Count, Count * Of.Size);
    if (!Cells.empty())
      Out += fmt::format("    octave {}{}\n", First + O, Cells);
  }
}

/// A row for a type that all traces of a service have.
Row typical(uint64_t Service, uint64_t Type) {
  Random Own(Service * 1000003 + Type);
  const double Rank = 1.0 + static_cast<double>(Type);
  Row Out;
  Out.Size = 16 + 8 * (Own() % 30);
  Out.Blocks = static_cast<uint64_t>(uniform(Own, 4e4, 1e5) / Rank) + 4;
  return Out;
}

std::string traceText(uint64_t Number, const Settings &S) {
  Random R(S["seed"] * 0x9e3779b97f4a7c15 + Number);
  const uint64_t Service = Number % S["services"];
  const uint64_t Build = Number / S["services"] % S["builds"] + 1;
  const uint64_t Host = R() % S["hosts"];
  constexpr uint64_t kStart = 1795000000, kDay = 86400;
  // Builds follow each other, as in CI.
  const uint64_t Start =
      (kStart + S["days"] * kDay * Build / (S["builds"] + 1)) * 1000000000 +
      Number * 1000;
  std::string Meta, Rows, Types = "  total live=0 peak=0\n";
  const double Load = uniform(R, .9, 1.1);
  uint64_t Live = 0;
  for (uint64_t T = 0; T < S["types"]; ++T) {
    const uint64_t Type = T % 3 == 0 ? T : T + Service * 7;
    Row Of = typical(Service, T);
    Of.Blocks = static_cast<uint64_t>(static_cast<double>(Of.Blocks) * Load);
    if (S["regression"] != 0 && Build >= S["regression"] && Service == 0 &&
        T == 1)
      Of.Blocks *= 4;
    Meta +=
        fmt::format("  type index={} id={:#x} size={} align=8 name=\"{}\"\n",
                    T + 1, 0x100 + T, Of.Size, typeName(Service, Type));
    uint64_t TypeLive = 0;
    for (uint64_t Half = 0; Half < 2; ++Half) {
      const uint64_t Site = 2 * T + Half + 1;
      Row Part = Of;
      Part.Blocks = Half == 0 ? Of.Blocks * 2 / 3 : Of.Blocks / 3;
      Part.Frees = T % 10 == 9 ? Part.Blocks * 9 / 10 : Part.Blocks;
      Meta += fmt::format(
          "  site id={} type={} key={:#x} kind=new function=\"svc{}::use{}()\" "
          "file=\"src/part{}.cpp\" line={} column=7\n",
          Site, T + 1, 0x1000 + Site, Service, Site, T % 9, 10 * Site);
      const double Centre =
          6 + static_cast<double>(Random(Type * 31 + Half)() % 18);
      // The sums of a histogram around 2^(centre + 2).
      const auto Mean = static_cast<uint64_t>(std::exp2(Centre + 2));
      Rows += fmt::format("  row site={} type={} allocations={} bytes={} "
                          "frees={} freed-bytes={} temporary={}",
                          Site, T + 1, Part.Blocks, Part.Blocks * Part.Size,
                          Part.Frees, Part.Frees * Part.Size, Part.Frees / 20);
      Rows += fmt::format(
          " timed={} weighted-timed={} sum={} min={} max={}\n", Part.Frees,
          Part.Frees, Part.Frees * Mean,
          inmem::trace::bucketStart(static_cast<unsigned>(Centre) - 2, 0),
          inmem::trace::bucketStart(static_cast<unsigned>(Centre) + 3, 0) - 1);
      addLives(Rows, Part, Centre, R);
      TypeLive += (Part.Blocks - Part.Frees) * Part.Size;
    }
    Types += fmt::format("  total live={} peak={}\n", TypeLive,
                         TypeLive + Of.Size * 100);
    Live += TypeLive;
  }
  return fmt::format(
             "header state=complete pid={} clock=exact "
             "ticks-per-second=2400000000 start-unix-ns={} end-unix-ns={} "
             "live-bytes={} peak-live-bytes={} host=\"host{:03}\" "
             "executable=\"/srv/service-{}\"\nextent meta\n"
             "  process \"./service-{}\" \"--run\"\n"
             "  thread index=1 tid=1 start=5 name=\"main\"\n",
             1 + Number % 4000000, Start, Start + 900000000, Live,
             Live + 1000000, Host, Service, Service) +
         fmt::format("  note kind=labels ticks=1 "
                     "text=\"service=service-{},build={:03},team=team-{}\"\n",
                     Service, Build, Service % 3) +
         Meta + "extent rows owner=1\n" + Rows + "extent types\n" + Types;
}

} // namespace

int main(int Count, char **Words) {
  if (Count < 3) {
    std::fputs("usage: generate DIR TRACES [key=value]...\n", stderr);
    return 2;
  }
  Settings S;
  for (int I = 3; I < Count; ++I) {
    const std::string Word = Words[I];
    const size_t Equals = Word.find('=');
    const auto At = S.Of.find(Word.substr(0, Equals));
    if (Equals == std::string::npos || At == S.Of.end()) {
      std::fprintf(stderr, "generate: unknown setting %s\n", Words[I]);
      return 2;
    }
    At->second = std::strtoull(Word.c_str() + Equals + 1, nullptr, 10);
  }
  std::filesystem::create_directories(Words[1]);
  const uint64_t All = std::strtoull(Words[2], nullptr, 10);
  for (uint64_t N = S["first"]; N < S["first"] + All; ++N) {
    const auto Bytes = inmem::trace::assemble(traceText(N, S));
    if (!Bytes) {
      std::fprintf(stderr, "generate: %s\n", Bytes.status().str().c_str());
      return 1;
    }
    std::ofstream Out(fmt::format("{}/{:07}.inmem", Words[1], N),
                      std::ios::binary);
    Out.write(reinterpret_cast<const char *>(Bytes->data()),
              static_cast<std::streamsize>(Bytes->size()));
    if (!Out.flush()) {
      std::perror(Words[1]);
      return 1;
    }
  }
  return 0;
}
