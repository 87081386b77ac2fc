//===- NamesTest.cpp - Canonical spelling of names as text ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "debuginfo/LibraryRules.h"
#include "debuginfo/TemplateArguments.h"

#include <gtest/gtest.h>

using namespace inmem::debuginfo;

namespace {

TEST(BlocksOfContainer, AreElementsOrNodes) {
  EXPECT_EQ(blocksOfContainer("std::vector<Foo *>").Types,
            std::vector<std::string>{"Foo *"});
  EXPECT_EQ(blocksOfContainer("std::_Rb_tree<int, std::pair<const int, Foo>, "
                              "std::less<int>>")
                .Types,
            std::vector<std::string>{
                "std::_Rb_tree_node<std::pair<const int, Foo>>"});
  EXPECT_EQ(
      blocksOfContainer("std::allocator_traits<std::allocator<Foo>>").Types,
      std::vector<std::string>{"Foo"});
  EXPECT_EQ(blocksOfContainer("std::deque<int>").Types.size(), 2u);
  EXPECT_TRUE(blocksOfContainer("std::vector<bool>").Types.empty());
  EXPECT_TRUE(blocksOfContainer("std::function<void ()>").Family.empty());
  EXPECT_TRUE(blocksOfContainer("mine::vector<int>").Family.empty());
  const auto Helper =
      blocksOfContainer("std::_Rb_tree<int, int, std::less<int>>::_Auto_node");
  EXPECT_EQ(Helper.Family, "tree");
  EXPECT_TRUE(Helper.Types.empty());
}

TEST(CanonicalText, DefaultsOfTheLibraryAreLeftOut) {
  EXPECT_EQ(canonicalText("std::vector<Foo, std::allocator<Foo> >"),
            "std::vector<Foo>");
  EXPECT_EQ(canonicalText("std::map<int, std::__cxx11::basic_string<char, "
                          "std::char_traits<char>, std::allocator<char> >, "
                          "std::less<int>, std::allocator<std::pair<int const, "
                          "std::__cxx11::basic_string<char, "
                          "std::char_traits<char>, std::allocator<char> > > > "
                          ">"),
            "std::map<int, std::basic_string<char>>");
}

TEST(CanonicalText, ArgumentsWithoutDefaultStay) {
  EXPECT_EQ(canonicalText("std::_Vector_base<int, std::allocator<int> >"),
            "std::_Vector_base<int, std::allocator<int>>");
  EXPECT_EQ(canonicalText("std::vector<int, Mine<int> >"),
            "std::vector<int, Mine<int>>");
  EXPECT_EQ(canonicalText("std::allocator<int>"), "std::allocator<int>");
}

TEST(CanonicalText, OnlyTheDefaultOperationIsLeftOut) {
  EXPECT_EQ(canonicalText("std::map<int, Foo, std::less<void> >"),
            "std::map<int, Foo, std::less<>>");
  EXPECT_EQ(canonicalText("std::set<int, std::less<int> >"), "std::set<int>");
  EXPECT_EQ(canonicalText("std::set<int, std::less<long> >"),
            "std::set<int, std::less<long>>");
}

TEST(CanonicalText, BuiltInTypesAreSpelledAsClangDoes) {
  EXPECT_EQ(canonicalText("std::allocator<long unsigned int>"),
            "std::allocator<unsigned long>");
  EXPECT_EQ(canonicalText("std::vector<const short int*>"),
            "std::vector<const short *>");
}

TEST(CanonicalText, ConstComesFirst) {
  EXPECT_EQ(canonicalText("std::pair<int const, Foo const*>"),
            "std::pair<const int, const Foo *>");
}

TEST(CanonicalText, ValuesAreSpelledAsClangDoes) {
  EXPECT_EQ(canonicalText("std::_Sp_counted_ptr<Foo*, "
                          "(__gnu_cxx::_Lock_policy)2>"),
            "std::_Sp_counted_ptr<Foo *, __gnu_cxx::_S_atomic>");
  EXPECT_EQ(canonicalText("std::array<Foo, 3ul>"), "std::array<Foo, 3>");
  EXPECT_EQ(canonicalText("Flag<(bool)1>"), "Flag<true>");
}

TEST(CanonicalText, TextThatCannotBeReadStays) {
  for (const char *Text : {"", "a<", "a<b", "a(b", "a>b", "a)b", "<", "a<b)>"})
    EXPECT_EQ(canonicalText(Text), Text);
}

TEST(TypeOfSymbol, FunctionsThatOnlyAllocateNameTheirElement) {
  EXPECT_EQ(typeOfSymbol("std::__new_allocator<Foo>::allocate(unsigned long, "
                         "void const*)"),
            "Foo");
  EXPECT_EQ(typeOfSymbol("std::vector<Foo, std::allocator<Foo> >::reserve("
                         "unsigned long)"),
            "Foo");
}

TEST(TypeOfSymbol, FunctionsOfStringsNameTheirCharacters) {
  const std::string Arguments = ", std::char_traits<char16_t>, "
                                "std::allocator<char16_t> >::_M_create(";
  EXPECT_EQ(typeOfSymbol("std::__cxx11::basic_string<char16_t" + Arguments +
                         "unsigned long&, unsigned long)"),
            "char16_t");
  EXPECT_EQ(typeOfSymbol("void std::__cxx11::basic_string<char, "
                         "std::char_traits<char>, std::allocator<char> >::"
                         "_M_construct<char const*>(char const*, char const*, "
                         "std::forward_iterator_tag)"),
            "char");
  EXPECT_EQ(typeOfSymbol("Pool<std::__cxx11::basic_string<char> >::_M_create("
                         "unsigned long)"),
            "");
}

TEST(TypeOfSymbol, FunctionsThatConstructElementsSayNothing) {
  // An element's constructor that is inlined there allocates, too.
  EXPECT_EQ(typeOfSymbol("void std::vector<Foo, std::allocator<Foo> >::"
                         "_M_realloc_insert<Foo>(int, Foo&&)"),
            "");
  EXPECT_EQ(typeOfSymbol("main"), "");
  EXPECT_EQ(typeOfSymbol("mystd::vector<Foo>::reserve(int)"), "");
}

} // namespace
