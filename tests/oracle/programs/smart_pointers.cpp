// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shared_ptr in all its makings, weak_ptr, custom deleters, polymorphic delete.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

struct Base : std::enable_shared_from_this<Base> {
  virtual ~Base() = default;
  virtual int value() const { return 1; }
};
struct Derived : Base {
  std::string text = "a derived object with a string that is on the heap";
  int value() const override { return int(text.size()); }
};

int main() {
  std::vector<std::shared_ptr<Base>> all;
  std::vector<std::weak_ptr<Base>> watched;
  for (int i = 0; i < 200; ++i) {
    all.push_back(std::make_shared<Derived>());
    all.push_back(std::shared_ptr<Base>(new Derived));
    all.emplace_back(new Base, [](Base *base) { delete base; });
    watched.push_back(all[i]);
  }
  std::unique_ptr<char, void (*)(void *)> c(
      static_cast<char *>(std::malloc(30)), std::free);
  auto array = std::make_shared<int[]>(100);
  std::unique_ptr<Base> owner = std::make_unique<Derived>();
  all.erase(all.begin(), all.begin() + 300);
  int total = owner->value() + array[5];
  for (auto &weak : watched)
    if (auto strong = weak.lock())
      total += strong->value();
  std::printf("%d\n", total);
}
