// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lsm.cpp - a small log-structured merge store in the manner of leveldb: a
// sorted memory table, sorted runs of prefix-compressed blocks with bloom
// filters, merging iterators. Rich in small objects on the stack (slices,
// statuses, iterators) whose constructors and destructors inmem counts.
//
//   lsm [KEYS]      writes, reads, overwrites, deletes, scans; prints a
//                   checksum; exit code 1 if a read gives a wrong value
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

class Slice {
public:
  Slice() : Data(""), Size(0) {}
  Slice(const char *Data, size_t Size) : Data(Data), Size(Size) {}
  Slice(const std::string &S) : Data(S.data()), Size(S.size()) {}
  Slice(const Slice &Other) : Data(Other.Data), Size(Other.Size) {}
  Slice &operator=(const Slice &Other) = default;
  ~Slice() {}
  const char *data() const { return Data; }
  size_t size() const { return Size; }
  bool empty() const { return Size == 0; }
  void drop(size_t N) {
    Data += N;
    Size -= N;
  }
  int compare(const Slice &Other) const {
    int Result = std::memcmp(Data, Other.Data, std::min(Size, Other.Size));
    return Result ? Result : Size < Other.Size ? -1 : Size > Other.Size;
  }
  std::string str() const { return std::string(Data, Size); }

private:
  const char *Data;
  size_t Size;
};

class Status {
public:
  Status() {}
  Status(const Status &Other) : Code(Other.Code), Message(Other.Message) {}
  Status &operator=(const Status &) = default;
  ~Status() {}
  static Status notFound() { return Status(1, "not found"); }
  static Status corrupt() { return Status(2, "corrupt"); }
  bool ok() const { return Code == 0; }

private:
  Status(int Code, const char *Message) : Code(Code), Message(Message) {}
  int Code = 0;
  const char *Message = "";
};

void putVarint(std::string &Out, uint32_t V) {
  for (; V >= 128; V >>= 7)
    Out.push_back(static_cast<char>(V | 128));
  Out.push_back(static_cast<char>(V));
}

bool getVarint(Slice &In, uint32_t &V) {
  V = 0;
  for (unsigned Shift = 0; Shift < 35 && !In.empty(); Shift += 7) {
    auto Byte = static_cast<unsigned char>(*In.data());
    In.drop(1);
    V |= static_cast<uint32_t>(Byte & 127) << Shift;
    if (Byte < 128)
      return true;
  }
  return false;
}

uint32_t hashOf(const Slice &Key, uint32_t Seed) {
  uint32_t H = Seed ^ 2166136261u;
  for (size_t I = 0; I < Key.size(); ++I)
    H = (H ^ static_cast<unsigned char>(Key.data()[I])) * 16777619u;
  return H ^ H >> 15;
}

class Bloom {
public:
  explicit Bloom(size_t Keys) : Bits(Keys * 10 / 64 + 1) {}
  void add(const Slice &Key) {
    for (uint32_t I = 0; I < 6; ++I)
      word(Key, I) |= bit(Key, I);
  }
  bool mayHold(const Slice &Key) {
    for (uint32_t I = 0; I < 6; ++I)
      if (!(word(Key, I) & bit(Key, I)))
        return false;
    return true;
  }

private:
  uint64_t &word(const Slice &Key, uint32_t I) {
    return Bits[hashOf(Key, I) / 64 % Bits.size()];
  }
  static uint64_t bit(const Slice &Key, uint32_t I) {
    return 1ull << hashOf(Key, I) % 64;
  }
  std::vector<uint64_t> Bits;
};

/// One entry: shared prefix, rest of the key, flag and value.
class BlockBuilder {
public:
  void add(const Slice &Key, const Slice &Value, bool Deleted) {
    size_t Shared = 0, Most = std::min(Last.size(), Key.size());
    if (Count++ % 16 != 0)
      while (Shared < Most && Last[Shared] == Key.data()[Shared])
        ++Shared;
    putVarint(Data, static_cast<uint32_t>(Shared));
    putVarint(Data, static_cast<uint32_t>(Key.size() - Shared));
    putVarint(Data, static_cast<uint32_t>(Value.size() * 2 + Deleted));
    Data.append(Key.data() + Shared, Key.size() - Shared);
    Data.append(Value.data(), Value.size());
    Last.assign(Key.data(), Key.size());
  }
  size_t size() const { return Data.size(); }
  std::string finish() {
    Last.clear();
    Count = 0;
    return std::move(Data);
  }

private:
  std::string Data, Last;
  unsigned Count = 0;
};

class Iterator {
public:
  virtual ~Iterator() {}
  virtual bool valid() const = 0;
  virtual void next() = 0;
  virtual Slice key() const = 0;
  virtual Slice value() const = 0;
  virtual bool deleted() const = 0;
};

class BlockIterator final : public Iterator {
public:
  explicit BlockIterator(Slice Block) : Rest(Block) { next(); }
  bool valid() const override { return Valid; }
  void next() override {
    uint32_t Shared, Own, Tag;
    Valid =
        getVarint(Rest, Shared) && getVarint(Rest, Own) && getVarint(Rest, Tag);
    if (!Valid)
      return;
    Key.resize(Shared);
    Key.append(Rest.data(), Own);
    Rest.drop(Own);
    Value = Slice(Rest.data(), Tag / 2);
    Deleted = Tag % 2;
    Rest.drop(Tag / 2);
  }
  Slice key() const override { return Key; }
  Slice value() const override { return Value; }
  bool deleted() const override { return Deleted; }

private:
  Slice Rest, Value;
  std::string Key;
  bool Valid = false, Deleted = false;
};

class Run {
public:
  explicit Run(std::unique_ptr<Iterator> From, size_t Keys) : Filter(Keys) {
    BlockBuilder Builder;
    for (; From->valid(); From->next()) {
      if (Builder.size() == 0)
        First.push_back(From->key().str());
      Builder.add(From->key(), From->value(), From->deleted());
      Filter.add(From->key());
      if (Builder.size() > 4096)
        Blocks.push_back(Builder.finish());
    }
    if (Builder.size())
      Blocks.push_back(Builder.finish());
  }
  Status get(const Slice &Key, std::string &Value, bool &Deleted) {
    if (!Filter.mayHold(Key))
      return Status::notFound();
    auto At = std::upper_bound(
        First.begin(), First.end(), Key,
        [](const Slice &A, const std::string &B) { return A.compare(B) < 0; });
    if (At == First.begin())
      return Status::notFound();
    for (BlockIterator I(Blocks[static_cast<size_t>(At - First.begin()) - 1]);
         I.valid(); I.next())
      if (int Order = I.key().compare(Key); Order == 0) {
        Value = I.value().str();
        Deleted = I.deleted();
        return Status();
      } else if (Order > 0) {
        break;
      }
    return Status::notFound();
  }
  size_t blocks() const { return Blocks.size(); }
  Slice block(size_t I) const { return Blocks[I]; }

private:
  std::vector<std::string> Blocks, First;
  Bloom Filter;
};

class RunIterator final : public Iterator {
public:
  explicit RunIterator(const Run &R) : Of(R) { open(); }
  bool valid() const override { return Inner && Inner->valid(); }
  void next() override {
    Inner->next();
    if (!Inner->valid()) {
      ++At;
      open();
    }
  }
  Slice key() const override { return Inner->key(); }
  Slice value() const override { return Inner->value(); }
  bool deleted() const override { return Inner->deleted(); }

private:
  void open() {
    Inner = At < Of.blocks() ? std::make_unique<BlockIterator>(Of.block(At))
                             : nullptr;
  }
  const Run &Of;
  size_t At = 0;
  std::unique_ptr<BlockIterator> Inner;
};

struct Entry {
  std::string Value;
  bool Deleted;
};
struct Less {
  using is_transparent = void;
  bool operator()(const Slice &A, const Slice &B) const {
    return A.compare(B) < 0;
  }
};
using Table = std::map<std::string, Entry, Less>;

class TableIterator final : public Iterator {
public:
  explicit TableIterator(const Table &T) : At(T.begin()), End(T.end()) {}
  bool valid() const override { return At != End; }
  void next() override { ++At; }
  Slice key() const override { return At->first; }
  Slice value() const override { return At->second.Value; }
  bool deleted() const override { return At->second.Deleted; }

private:
  Table::const_iterator At, End;
};

/// Newest first. Among equal keys the first iterator's entry is shown.
class MergingIterator final : public Iterator {
public:
  explicit MergingIterator(std::vector<std::unique_ptr<Iterator>> Parts)
      : Parts(std::move(Parts)) {
    choose();
  }
  bool valid() const override { return Current != nullptr; }
  void next() override {
    std::string Key = Current->key().str();
    for (auto &Part : Parts)
      if (Part->valid() && Part->key().compare(Key) == 0)
        Part->next();
    choose();
  }
  Slice key() const override { return Current->key(); }
  Slice value() const override { return Current->value(); }
  bool deleted() const override { return Current->deleted(); }

private:
  void choose() {
    Current = nullptr;
    for (auto &Part : Parts)
      if (Part->valid() &&
          (!Current || Part->key().compare(Current->key()) < 0))
        Current = Part.get();
  }
  std::vector<std::unique_ptr<Iterator>> Parts;
  Iterator *Current = nullptr;
};

class Store {
public:
  void put(const Slice &Key, const Slice &Value) {
    write(Key, {Value.str(), false});
  }
  void remove(const Slice &Key) { write(Key, {"", true}); }
  Status get(const Slice &Key, std::string &Value) {
    bool Deleted = false;
    if (auto At = Memory.find(Key); At != Memory.end()) {
      Value = At->second.Value;
      return At->second.Deleted ? Status::notFound() : Status();
    }
    for (auto R = Runs.rbegin(); R != Runs.rend(); ++R)
      if (Status S = (*R)->get(Key, Value, Deleted); S.ok())
        return Deleted ? Status::notFound() : S;
    return Status::notFound();
  }
  std::unique_ptr<Iterator> scan() {
    std::vector<std::unique_ptr<Iterator>> Parts;
    Parts.push_back(std::make_unique<TableIterator>(Memory));
    for (auto R = Runs.rbegin(); R != Runs.rend(); ++R)
      Parts.push_back(std::make_unique<RunIterator>(**R));
    return std::make_unique<MergingIterator>(std::move(Parts));
  }

private:
  void write(const Slice &Key, Entry E) {
    Bytes += Key.size() + E.Value.size();
    if (auto At = Memory.find(Key); At != Memory.end())
      At->second = std::move(E);
    else
      Memory.emplace(Key.str(), std::move(E));
    if (Bytes < 512 * 1024)
      return;
    Keys += Memory.size();
    Runs.push_back(std::make_unique<Run>(
        std::make_unique<TableIterator>(Memory), Memory.size()));
    Memory.clear();
    Bytes = 0;
    if (Runs.size() <= 4)
      return;
    auto Merged = std::make_unique<Run>(scan(), Keys);
    Runs.clear();
    Runs.push_back(std::move(Merged));
  }
  Table Memory;
  size_t Bytes = 0, Keys = 0;
  std::vector<std::unique_ptr<Run>> Runs;
};

std::string keyOf(uint32_t I) {
  char Text[32];
  std::snprintf(Text, sizeof Text, "user/%08u/profile",
                I * 2654435761u % 100000000u);
  return Text;
}
std::string valueOf(uint32_t I, uint32_t Version) {
  return std::string(40 + I % 60, static_cast<char>('a' + (I + Version) % 26));
}

} // namespace

int main(int Argc, char **Argv) {
  uint32_t Keys = Argc > 1 ? static_cast<uint32_t>(std::atoi(Argv[1])) : 60000;
  Store S;
  for (uint32_t Version = 0; Version < 2; ++Version)
    for (uint32_t I = 0; I < Keys; I += 1 + Version)
      S.put(keyOf(I), valueOf(I, Version));
  for (uint32_t I = 0; I < Keys; I += 7)
    S.remove(keyOf(I));
  for (uint32_t I = 0; I < Keys; I += 3) {
    std::string Value;
    bool Found = S.get(keyOf(I), Value).ok();
    if (Found != (I % 7 != 0) || (Found && Value != valueOf(I, I % 2 == 0)))
      return 1;
  }
  uint64_t Sum = 0;
  for (int Pass = 0; Pass < 3; ++Pass)
    for (auto I = S.scan(); I->valid(); I->next())
      if (!I->deleted())
        Sum += hashOf(I->key(), 1) + hashOf(I->value(), 2);
  std::printf("%llu\n", static_cast<unsigned long long>(Sum));
  return 0;
}
