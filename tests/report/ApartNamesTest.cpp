//===- ApartNamesTest.cpp - Short names that differ -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/ApartNames.h"

#include "report/text/LocationText.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

using namespace inmem::report;
using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

namespace {

// Rows that share a long name and differ inside of it, as instances of one
// template do, stay apart at any width that has room for it.
TEST(ApartNames, KeepWhatDistinguishesThem) {
  const std::string Of = "crypto::detail::ParametersTemplateImplementation<";
  const std::vector<std::string> Names = {
      Of + "crypto::detail::AStringSource, true, 872>::Node",
      Of + "crypto::detail::BStringSource, false, 872>::Node",
      Of + "crypto::detail::AStringSource, true, 3>::Node",
      Of + "crypto::detail::BStringSource, false, 3>::Node"};
  const std::vector<std::string_view> Views(Names.begin(), Names.end());
  const Style S;
  for (size_t Width = 24; Width < 120; ++Width) {
    const std::vector<std::string> Short = apartNames(S, Views, Width);
    EXPECT_EQ(std::set(Short.begin(), Short.end()).size(), Names.size())
        << Width << ": " << Short[0];
    for (size_t I = 0; I < Short.size(); ++I) {
      EXPECT_LE(displayWidth(Short[I]), Width);
      EXPECT_THAT(Short[I], EndsWith(">::Node"));
      // The number is whole.
      if (I < 2)
        EXPECT_THAT(Short[I], AnyOf(HasSubstr("872"), Not(HasSubstr("8"))));
    }
  }
  EXPECT_EQ(apartNames(S, Views, 60)[0],
            "…ParametersTemplateIm…<…AStringSource, true, 872>::Node");
  EXPECT_EQ(apartNames(S, Views, 26)[1], "…<…BSt…, fal…, 872>::Node");
}

TEST(ApartNames, OfLocationsKeepFileAndLine) {
  const std::vector<std::string_view> Places = {
      "ns::Implementation<ns::First, 10>::make  /src/lib/template.cpp:10",
      "ns::Implementation<ns::Second, 20>::make  /src/lib/template.cpp:10"};
  Table T;
  T.column(locationColumn("place"));
  for (const std::string_view Place : Places)
    T.row({std::string(Place)});
  for (unsigned Width = 36; Width < 60; ++Width) {
    std::istringstream Lines(T.render({Width}));
    std::string Line, Before;
    std::getline(Lines, Line);
    while (std::getline(Lines, Line)) {
      EXPECT_NE(Line, Before);
      EXPECT_THAT(Line, EndsWith("template.cpp:10"));
      EXPECT_THAT(Line, HasSubstr("make"));
      Before = Line;
    }
  }
}

TEST(ApartNames, OfAnyTextAreShort) {
  const Style S;
  const std::vector<std::string_view> Odd = {"<<<<",
                                             ">>>>::",
                                             "::",
                                             "a<b(c>d)",
                                             "operator<",
                                             "operator<<",
                                             "",
                                             "…",
                                             "(anonymous namespace)::f",
                                             "~x<",
                                             "1234567890123"};
  for (size_t Width = 1; Width < 12; ++Width)
    for (size_t From = 0; From < Odd.size(); ++From)
      for (const std::string &Text : apartNames(
               S, {Odd.begin() + static_cast<ptrdiff_t>(From), Odd.end()},
               Width))
        EXPECT_LE(displayWidth(Text), Width) << Text;
  std::string Long;
  for (int I = 0; I < 40000; ++I)
    Long += "std::vector<";
  const std::string Other = Long + "int";
  for (const std::string &Text : apartNames(S, {Long, Other}, 30))
    EXPECT_LE(displayWidth(Text), 30u);
}

// Instances of one template in containers differ deep inside.
TEST(ApartNames, KeepNoBracketsOfWhatIsCut) {
  const Style S;
  const std::vector<std::string_view> Names = {
      "std::unordered_map<std::string, std::shared_ptr<ns::List<std::string, "
      "std::pair<ns::Price, std::string>>>> node",
      "std::unordered_map<std::string, std::shared_ptr<ns::List<long, "
      "std::pair<ns::Price, std::string>>>> node"};
  for (size_t Width = 24; Width < 100; ++Width) {
    const std::vector<std::string> Short = apartNames(S, Names, Width);
    EXPECT_NE(Short[0], Short[1]) << Width;
    for (const std::string &Text : Short) {
      EXPECT_THAT(Text, EndsWith("> node"));
      EXPECT_THAT(Text, Not(HasSubstr("…<…<")));
      EXPECT_EQ(std::ranges::count(Text, '<'), std::ranges::count(Text, '>'))
          << Text;
    }
  }
  EXPECT_EQ(apartNames(S, Names, 28)[1], "unordered_map<…long…> node");
}

TEST(ShortenName, CutsNoNumber) {
  const Style S;
  for (size_t Width = 4; Width < 30; ++Width) {
    const std::string Short =
        shortenName(S, "ns::useAllOfThem<87200, int>", Width);
    EXPECT_THAT(Short, AnyOf(HasSubstr("<87200"), Not(HasSubstr("<8"))))
        << Width;
    const std::string Place =
        fitLocation(S, "useAll<872>  long.cpp:21  [_M_mutate]", Width + 10);
    EXPECT_THAT(Place, AnyOf(HasSubstr("<872>"), Not(HasSubstr("<8"))))
        << Width;
  }
}

} // namespace
