//===- Page.cpp - The page of `inmem html` and `inmem serve` --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/Page.h"

#include <cstdint>
#include <stdexcept>

// NOLINTNEXTLINE(readability-identifier-naming): as the assembler has them
extern "C" const char inmem_page_begin[], inmem_page_end[];

namespace inmem::report {

std::string base64(std::string_view Bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string Out;
  Out.reserve((Bytes.size() + 2) / 3 * 4);
  for (size_t I = 0; I < Bytes.size(); I += 3) {
    uint32_t Group = 0;
    for (size_t J = 0; J < 3; ++J)
      Group = Group << 8 |
              (I + J < Bytes.size() ? static_cast<uint8_t>(Bytes[I + J]) : 0);
    for (size_t J = 0; J < 4; ++J)
      Out.push_back(I + J > Bytes.size() ? '='
                                         : kDigits[Group >> (18 - 6 * J) & 63]);
  }
  return Out;
}

std::string pageHtml(std::string_view Data, PageUse Use) {
  std::string Page(inmem_page_begin,
                   static_cast<size_t>(inmem_page_end - inmem_page_begin));
  const auto Replace = [&Page](std::string_view What, const std::string &By) {
    const size_t At = Page.find(What);
    if (At == std::string::npos)
      throw std::runtime_error("the page was built without its marks");
    Page.replace(At, What.size(), By);
  };
  Replace("<!--INMEM-DATA-->",
          "<script type=\"application/octet-stream\" id=\"inmem-data\">" +
              base64(Data) + "</script>");
  if (Use == PageUse::Served)
    Replace("connect-src 'none'", "connect-src 'self'");
  return Page;
}

} // namespace inmem::report
