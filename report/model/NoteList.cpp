//===- NoteList.cpp - Notes on traces, each of them once ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/SiteRows.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace inmem::report {

using trace::Trace;

void NoteList::add(const Trace &T, std::string Text) {
  auto Known = std::find_if(Notes.begin(), Notes.end(),
                            [&](const auto &N) { return N.first == Text; });
  constexpr size_t kMost = 100;
  if (Known == Notes.end()) {
    if (Notes.size() == kMost) {
      ++MoreNotes;
      return;
    }
    Known = Notes.emplace(Known, std::move(Text), std::vector<const Trace *>());
  }
  if (Known->second.empty() || Known->second.back() != &T)
    Known->second.push_back(&T);
}

void NoteList::writeTo(std::vector<std::string> &Out) const {
  constexpr size_t kNamed = 3;
  for (const auto &[Text, Of] : Notes) {
    std::vector<std::string> Who;
    for (const trace::Trace *T :
         std::span(Of).first(std::min(Of.size(), kNamed)))
      Who.push_back(
          T->Header.Pid == 0
              ? T->fileName()
              : fmt::format("{} (pid {})", T->fileName(), T->Header.Pid));
    const size_t More = Of.size() - Who.size();
    Out.push_back(fmt::format("{}{}: {}", fmt::join(Who, ", "),
                              More ? fmt::format(" and {} more", More) : "",
                              Text));
  }
  if (MoreNotes > 0)
    Out.push_back("and " + std::to_string(MoreNotes) +
                  " more notes on single traces");
}

} // namespace inmem::report
