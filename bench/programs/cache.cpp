// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cache.cpp - a cache server without its sockets: requests arrive in bursts,
// are parsed into small strings and vectors, and stay in flight together; some
// store entries, which live until they are the oldest of too many. What a burst
// leaves behind lies between entries.
//
//   cache [BURSTS [ENTRIES [SEED]]]    prints a checksum
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

uint32_t Seed = 1;
uint32_t next() {
  Seed ^= Seed << 13;
  Seed ^= Seed >> 17;
  Seed ^= Seed << 5;
  return Seed;
}

struct Entry {
  std::string Key;
  std::vector<char> Value;
  uint32_t Hits = 0;
};

class Cache {
public:
  explicit Cache(size_t Most) : Most(Most) {}

  Entry *find(const std::string &Key) {
    const auto Found = Index.find(Key);
    if (Found == Index.end())
      return nullptr;
    Order.splice(Order.begin(), Order, Found->second);
    return Found->second->get();
  }

  void store(const std::string &Key, const std::string &Body) {
    if (Entry *Known = find(Key)) {
      Known->Value.assign(Body.begin(), Body.end());
      return;
    }
    auto Fresh = std::make_unique<Entry>();
    Fresh->Key = Key;
    Fresh->Value = std::vector<char>(Body.begin(), Body.end());
    Order.push_front(std::move(Fresh));
    Index.emplace(Key, Order.begin());
    if (Index.size() > Most) {
      Index.erase(Order.back()->Key);
      Order.pop_back();
    }
  }

private:
  using List = std::list<std::unique_ptr<Entry>>;
  size_t Most;
  List Order;
  std::unordered_map<std::string, List::iterator> Index;
};

struct Request {
  std::string Method, Path;
  std::vector<std::string> Segments;
  std::map<std::string, std::string> Headers;
  std::string Body;
};

std::string textOf(uint32_t Keys) {
  const uint32_t Key = next() % 4 ? next() % (Keys / 16) : next() % Keys;
  std::string Text = next() % 5 ? "GET" : "PUT";
  Text += " /tenants/" + std::to_string(Key % 97) + "/objects/key-" +
          std::to_string(Key) + "-of-a-certain-length\n";
  for (uint32_t I = next() % 8; I > 0; --I)
    Text += "X-Header-Number-" + std::to_string(I) +
            ": a value that is long enough to be on the heap " +
            std::to_string(next()) + "\n";
  Text += "\n";
  Text.append(next() % 300 + 20, static_cast<char>('a' + Key % 26));
  return Text;
}

std::unique_ptr<Request> parse(const std::string &Text) {
  auto Out = std::make_unique<Request>();
  const size_t Blank = Text.find(' '), End = Text.find('\n');
  Out->Method = Text.substr(0, Blank);
  Out->Path = Text.substr(Blank + 1, End - Blank - 1);
  for (size_t At = 1; At < Out->Path.size();) {
    const size_t Slash = std::min(Out->Path.find('/', At), Out->Path.size());
    Out->Segments.push_back(Out->Path.substr(At, Slash - At));
    At = Slash + 1;
  }
  size_t At = End + 1;
  for (size_t Stop; (Stop = Text.find('\n', At)) != At; At = Stop + 1) {
    const size_t Colon = Text.find(':', At);
    Out->Headers[Text.substr(At, Colon - At)] =
        Text.substr(Colon + 2, Stop - Colon - 2);
  }
  Out->Body = Text.substr(At + 1);
  return Out;
}

} // namespace

int main(int Argc, char **Argv) {
  const auto Number = [&](int I, uint32_t Default) {
    return Argc > I ? static_cast<uint32_t>(std::atoi(Argv[I])) : Default;
  };
  const uint32_t Bursts = Number(1, 60), Entries = Number(2, 60000);
  Seed = Number(3, 1) * 2654435761u | 1;
  Cache C(Entries);
  uint64_t Sum = 0;
  for (uint32_t Burst = 0; Burst < Bursts; ++Burst) {
    // One burst in ten is a large one.
    const uint32_t Size = Burst % 10 == 3 ? 40000 : 2000 + next() % 4000;
    std::vector<std::unique_ptr<Request>> InFlight;
    for (uint32_t I = 0; I < Size; ++I) {
      InFlight.push_back(parse(textOf(Entries * 4)));
      const Request &R = *InFlight.back();
      if (Entry *Found = C.find(R.Path)) {
        ++Found->Hits;
        Sum += Found->Value.size();
      } else if (R.Method == "PUT" || R.Headers.size() > 4) {
        C.store(R.Path, R.Body);
      }
      Sum += R.Segments.size();
    }
  }
  std::printf("%llu\n", static_cast<unsigned long long>(Sum));
  return 0;
}
