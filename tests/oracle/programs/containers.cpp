// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every standard container grows, shrinks, is copied, moved and swapped.
#include <cstdio>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

struct Point {
  int x, y;
  auto operator<=>(const Point &) const = default;
};

int main() {
  std::vector<Point> points;
  for (int i = 0; i < 1000; ++i)
    points.push_back({i % 37, i});
  std::map<Point, std::string> names;
  std::unordered_map<int, std::vector<Point>> byX;
  std::multiset<int> bag;
  for (const Point &point : points) {
    names.emplace(point,
                  "point number " + std::to_string(point.y) + " of the map");
    byX[point.x].push_back(point);
    bag.insert(point.x);
  }
  std::deque<Point> ring(points.begin(), points.end());
  while (ring.size() > 10)
    ring.pop_front();
  std::list<Point> chain(ring.begin(), ring.end());
  std::forward_list<int> thin(chain.size(), 7);
  std::priority_queue<int> heap(bag.begin(), bag.end());
  while (heap.size() > 3)
    heap.pop();
  auto copy = names;
  auto moved = std::move(names);
  copy.erase(copy.begin(), std::next(copy.begin(), 500));
  std::unordered_set<std::string> words;
  for (auto &[point, name] : moved)
    words.insert(name.substr(0, 20));
  points.shrink_to_fit();
  byX.rehash(4096);
  std::vector<bool> bits(12345, true);
  std::printf("%zu %zu %zu %zu %zu\n", copy.size(), words.size(), byX.size(),
              bits.size(), chain.size());
}
