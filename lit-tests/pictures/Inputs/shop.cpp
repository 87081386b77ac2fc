// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small shop: what its traces show is what the tests in this folder look at.
// shop-old.trace and shop-new.trace are traces of it, recorded once; record.py made
// them. -DNEW is the version with a regression.
#include <inmem/inmem.h>

#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <pthread.h>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace shop {

struct Price {
  Price(long c) : cents(c) {}
  Price(const Price &) = default;
  ~Price() {}
  long cents;
};

struct Article {
  Article(std::string n, long c) : name(std::move(n)), price(c) {}
  ~Article() {}
  std::string name;
  Price price;
};

template <class Key, class Value> class Index {
public:
  void add(const Key &K, std::shared_ptr<Value> V) {
    Entries[K].push_back(std::move(V));
  }
  const std::vector<std::shared_ptr<Value>> &find(const Key &K) const {
    static const std::vector<std::shared_ptr<Value>> None;
    auto At = Entries.find(K);
    return At == Entries.end() ? None : At->second;
  }

private:
  std::map<Key, std::vector<std::shared_ptr<Value>>> Entries;
};

struct Order {
  std::list<Price> lines;
  long sum() const {
    long Sum = 0;
#ifdef NEW
    for (Price P : lines)
#else
    for (const Price &P : lines)
#endif
      Sum += P.cents;
    return Sum;
  }
};

class Catalog {
public:
  explicit Catalog(int Size) {
    for (int I = 0; I < Size; ++I) {
      auto A = std::make_shared<Article>(
          "article with a name of some length, number " + std::to_string(I), I);
      byLetter.add(std::string(1, static_cast<char>('a' + I % 26)), A);
      byNumber.emplace(I, A);
    }
  }
  __attribute__((noinline)) std::string describe(int Number) const {
    const Article &A = *byNumber.at(Number);
    return A.name + " costs " + std::to_string(A.price.cents) + " cents";
  }
  const auto &withLetter(const std::string &L) const { return byLetter.find(L); }

private:
  Index<std::string, Article> byLetter;
  std::unordered_map<int, std::shared_ptr<Article>> byNumber;
};

__attribute__((noinline)) long serve(const Catalog &Of, int Customer) {
  Order O;
  for (const auto &A : Of.withLetter(std::string(1, static_cast<char>('a' + Customer % 26))))
    O.lines.push_back(A->price);
#ifdef NEW
  std::vector<std::string> Log;
  for (int I = 0; I < 20; ++I)
    Log.push_back(Of.describe((Customer + I) % 200));
#endif
  return O.sum() + static_cast<long>(Of.describe(Customer % 200).size());
}

__attribute__((noinline)) void leak() {
  static void *volatile Kept;
  for (int I = 0; I < 5; ++I)
    Kept = std::malloc(100);
  (void)Kept;
}

} // namespace shop

int main() {
  inmem_phase("open");
  auto Goods = std::make_unique<shop::Catalog>(200);
  inmem_phase("serve");
  long Sum = 0;
  for (int I = 0; I < 300; ++I)
    Sum += shop::serve(*Goods, I);
  std::thread Night([&] {
    pthread_setname_np(pthread_self(), "night shift");
    for (int I = 0; I < 50; ++I)
      Sum += shop::serve(*Goods, I);
  });
  Night.join();
  inmem_phase("close");
  shop::leak();
  std::printf("%ld\n", Sum);
}
