// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// messages.cpp - producers make messages, consumers free them: every block is
// freed by another thread than the one that allocated it.
//
//   messages [MESSAGES [THREADS]]    THREADS producers and as many consumers
//                                    (default 1 and 1); prints a checksum
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Attachment {
  std::string Name;
  std::vector<uint32_t> Words;
};

struct Message {
  uint64_t Number;
  std::string Subject;
  std::vector<std::unique_ptr<Attachment>> Attachments;
};

using Batch = std::vector<std::unique_ptr<Message>>;

/// Bounded, and handed over in batches so that the lock does not dominate.
class Queue {
public:
  void push(Batch B) {
    std::unique_lock<std::mutex> L(Mutex);
    Changed.wait(L, [&] { return Batches.size() < kMost; });
    Batches.push_back(std::move(B));
    Changed.notify_all();
  }
  /// An empty batch ends the queue.
  Batch pop() {
    std::unique_lock<std::mutex> L(Mutex);
    Changed.wait(L, [&] { return !Batches.empty() || Closed; });
    if (Batches.empty())
      return {};
    Batch B = std::move(Batches.front());
    Batches.pop_front();
    Changed.notify_all();
    return B;
  }
  void close() {
    std::lock_guard<std::mutex> L(Mutex);
    Closed = true;
    Changed.notify_all();
  }

private:
  static constexpr size_t kMost = 16;
  std::mutex Mutex;
  std::condition_variable Changed;
  std::deque<Batch> Batches;
  bool Closed = false;
};

std::unique_ptr<Message> makeMessage(uint64_t Number) {
  auto M = std::make_unique<Message>();
  M->Number = Number;
  M->Subject = "the subject of message number " + std::to_string(Number);
  for (uint64_t A = 0; A < 1 + Number % 3; ++A) {
    auto Part = std::make_unique<Attachment>();
    Part->Name = "attachment " + std::to_string(A) + " of the message";
    for (uint64_t W = 0; W < 32; ++W)
      Part->Words.push_back(static_cast<uint32_t>(Number * W));
    M->Attachments.push_back(std::move(Part));
  }
  return M;
}

uint64_t checksum(const Message &M) {
  uint64_t Sum = M.Number;
  for (char C : M.Subject)
    Sum = Sum * 31 + static_cast<unsigned char>(C);
  for (const auto &A : M.Attachments)
    for (uint32_t W : A->Words)
      Sum = Sum * 31 + W;
  return Sum;
}

} // namespace

int main(int Argc, char **Argv) {
  uint64_t Messages = Argc > 1 ? std::strtoull(Argv[1], nullptr, 10) : 300000;
  int Pairs = Argc > 2 ? std::atoi(Argv[2]) : 1;
  Queue Q;
  std::vector<std::thread> Producers, Consumers;
  std::vector<uint64_t> Sums(static_cast<size_t>(Pairs));
  for (int P = 0; P < Pairs; ++P) {
    Producers.emplace_back([&, P] {
      Batch B;
      for (uint64_t I = static_cast<uint64_t>(P); I < Messages;
           I += static_cast<uint64_t>(Pairs)) {
        B.push_back(makeMessage(I));
        if (B.size() == 64)
          Q.push(std::move(B)), B = Batch();
      }
      if (!B.empty())
        Q.push(std::move(B));
    });
    Consumers.emplace_back([&, P] {
      uint64_t Sum = 0;
      for (Batch B = Q.pop(); !B.empty(); B = Q.pop())
        for (auto &M : B) {
          Sum += checksum(*M);
          M.reset();
        }
      Sums[static_cast<size_t>(P)] = Sum;
    });
  }
  for (std::thread &T : Producers)
    T.join();
  Q.close();
  uint64_t Sum = 0;
  for (size_t C = 0; C < Consumers.size(); ++C) {
    Consumers[C].join();
    Sum += Sums[C];
  }
  std::printf("%llu\n", static_cast<unsigned long long>(Sum));
  return 0;
}
