//===- job.cpp - A CI job whose memory regresses --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// job BUILD: counts words, the way that build BUILD of it did. From build 13 on
// it copies each part of a line into a string, though a view would do.
//
//===----------------------------------------------------------------------===//
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct Line {
  std::string Text;
};

static std::vector<Line> readLines() {
  std::vector<Line> Lines;
  for (int I = 0; I < 300; ++I)
    Lines.push_back({"a line of words that the job counts, number " +
                     std::to_string(I % 40)});
  return Lines;
}

struct Word {
  char Letters[40];
};

/// Each word of a line; in build 13, each in a separate block.
static size_t countWords(const Line &L, int Build) {
  size_t Count = 0;
  std::string_view Rest = L.Text;
  while (!Rest.empty()) {
    const size_t End = std::min(Rest.find(' '), Rest.size());
    if (Build >= 13) {
      const auto Own = std::make_unique<Word>();
      Rest.copy(Own->Letters, std::min(End, sizeof Own->Letters));
      Count += Own->Letters[0] != 0;
    } else {
      ++Count;
    }
    Rest.remove_prefix(std::min(End + 1, Rest.size()));
  }
  return Count;
}

int main(int Count, char **Words) {
  const int Build = Count > 1 ? std::atoi(Words[1]) : 0;
  std::unordered_map<std::string, size_t> Seen;
  for (const Line &L : readLines())
    Seen[L.Text] += countWords(L, Build);
  std::printf("%zu lines\n", Seen.size());
}
