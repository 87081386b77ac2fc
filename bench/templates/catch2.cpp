// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// catch2.cpp - a test program with its main, as one unit.
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_NO_POSIX_SIGNALS
#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

TEMPLATE_TEST_CASE("containers grow", "[container]", std::vector<int>,
                   std::vector<std::string>, std::vector<std::vector<double>>) {
  TestType values;
  for (int i = 0; i < 20; ++i)
    values.emplace_back();
  SECTION("all of them") { REQUIRE(values.size() == 20); }
  SECTION("and shrink") {
    values.resize(3);
    CHECK(values.size() == 3);
    CHECK(values.capacity() >= 20);
  }
}

SCENARIO("names are counted") {
  GIVEN("a text") {
    const std::string text = "to be or not to be";
    std::map<std::string, int> counts;
    WHEN("its words are counted") {
      std::istringstream words(text);
      for (std::string word; words >> word;)
        ++counts[word];
      THEN("each has its number") {
        REQUIRE(counts["be"] == 2);
        REQUIRE_THAT(text, Catch::Contains("not"));
      }
    }
  }
}
