//===- TypeNameTest.cpp - Aliases and simplified names --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/names/TypeName.h"

#include <gtest/gtest.h>

using namespace inmem::report;

namespace {

struct Pair {
  const char *Spelling, *Shown;
};
void PrintTo(const Pair &P, std::ostream *Out) { *Out << P.Spelling; }

class Alias : public testing::TestWithParam<Pair> {};
TEST_P(Alias, SaysWhatTheProgrammerWrote) {
  EXPECT_EQ(aliasOf(GetParam().Spelling), GetParam().Shown);
}

INSTANTIATE_TEST_SUITE_P(
    Libstdcxx, Alias,
    testing::Values(
        Pair{"std::_Rb_tree_node<std::pair<const int, Foo>>",
             "std::map<int, Foo> node"},
        Pair{"std::_Rb_tree_node<std::pair<Foo *const, Bar>>",
             "std::map<Foo *, Bar> node"},
        Pair{"std::_Rb_tree_node<std::pair<const char *const, Bar>>",
             "std::map<const char *, Bar> node"},
        Pair{"std::_Rb_tree_node<std::pair<const char *, Bar>>",
             "std::set<std::pair<const char *, Bar>> node"},
        Pair{"std::_Rb_tree_node<std::pair<const my_const, Bar>>",
             "std::map<my_const, Bar> node"},
        Pair{"std::_Rb_tree_node<std::pair<int, Foo>>",
             "std::set<std::pair<int, Foo>> node"},
        Pair{"std::_Rb_tree_node<int>", "std::set<int> node"},
        Pair{"std::_List_node<Foo>", "std::list<Foo> node"},
        Pair{"std::_Fwd_list_node<Foo>", "std::forward_list<Foo> node"},
        Pair{"std::__detail::_Hash_node<std::pair<const std::basic_string<char>"
             ", std::vector<Foo, std::allocator<Foo>>>, true>",
             "std::unordered_map<std::string, std::vector<Foo>> node"},
        Pair{"std::__detail::_Hash_node<int, false>",
             "std::unordered_set<int> node"},
        Pair{"std::__detail::_Hash_node_base *", "unordered container buckets"},
        Pair{"std::_Sp_counted_ptr_inplace<Foo, std::allocator<void>, "
             "__gnu_cxx::_S_atomic>",
             "std::shared_ptr<Foo> object and control block"},
        Pair{"std::_Sp_counted_ptr<Foo *, __gnu_cxx::_S_atomic>",
             "std::shared_ptr<Foo> control block"},
        Pair{"std::_Sp_counted_deleter<Foo *, Close, std::allocator<void>, 2>",
             "std::shared_ptr<Foo> control block"},
        Pair{"std::thread::_State_impl<std::thread::_Invoker<std::tuple<void "
             "(*)(int), int>>>",
             "std::thread start state"}));

INSTANTIATE_TEST_SUITE_P(
    Libcxx, Alias,
    testing::Values(
        Pair{"std::__tree_node<std::__value_type<int, Foo>, void *>",
             "std::map<int, Foo> node"},
        Pair{"std::__1::__tree_node<int, void *>", "std::set<int> node"},
        Pair{"std::__hash_node<std::__hash_value_type<int, Foo>, void *>",
             "std::unordered_map<int, Foo> node"},
        Pair{"std::__shared_ptr_emplace<Foo, std::allocator<Foo>>",
             "std::shared_ptr<Foo> object and control block"}));

INSTANTIATE_TEST_SUITE_P(
    Spellings, Alias,
    testing::Values(
        Pair{"std::basic_string<char>", "std::string"},
        Pair{"std::__cxx11::basic_string<char, std::char_traits<char>, "
             "std::allocator<char>>",
             "std::string"},
        Pair{"std::basic_string_view<wchar_t>", "std::wstring_view"},
        Pair{"std::basic_string<char8_t>", "std::u8string"},
        Pair{"std::basic_string_view<char16_t>", "std::u16string_view"},
        Pair{"std::basic_string<char32_t>", "std::u32string"},
        Pair{"std::map<int, std::basic_string<char>, std::less<int>, "
             "std::allocator<std::pair<const int, std::basic_string<char>>>>",
             "std::map<int, std::string>"},
        Pair{"std::unique_ptr<Foo, std::default_delete<Foo>>",
             "std::unique_ptr<Foo>"},
        Pair{"std::function<int (std::basic_string<char>)>",
             "std::function<int (std::string)>"},
        Pair{"nlohmann::basic_json<>", "nlohmann::json"},
        Pair{"nlohmann::json_abi_v3_11_2::basic_json<std::map, std::vector>",
             "nlohmann::json"}));

INSTANTIATE_TEST_SUITE_P(
    NothingBetterToSay, Alias,
    testing::Values(
        Pair{"Foo", ""}, Pair{"char", ""}, Pair{"", ""},
        Pair{"std::vector<int, arena<int>>", ""},
        Pair{"my::_Rb_tree_node<int>", ""}, Pair{"std::_Rb_tree_node", ""},
        Pair{"(anonymous namespace)::Foo<3, &x>", ""},
        Pair{"(lambda at /a/b.cpp:3:4)", ""}, Pair{"Foo<'<'>", ""},
        Pair{"broken<int", ""}, Pair{"broken>", ""}, Pair{"Foo<(Kind)0>", ""},
        Pair{"std::_Rb_tree_node<std::pair<const int, Foo>> *", ""}));

INSTANTIATE_TEST_SUITE_P(
    Coroutines, Alias,
    testing::Values(Pair{"coroutine frame of task()", "task() coroutine frame"},
                    Pair{"coroutine frame of jobs::run<std::vector<int, "
                         "std::allocator<int>>>(Job *)",
                         "jobs::run<std::vector<int>>(Job *) coroutine "
                         "frame"}));

TEST(Demangle, TheUserWroteOneCoroutine) {
  for (const char *Part : {"", ".resume", ".destroy", ".cleanup", ".actor",
                           ".resume.cold", ".destroy.llvm.123"})
    EXPECT_EQ(demangle(std::string("_Z4taski") + Part), "task(int)") << Part;
  EXPECT_EQ(demangle("_Z4taski.cold"), "task(int) [clone .cold]");
  EXPECT_EQ(demangle("_Z4taski.resumes"), "task(int) [clone .resumes]");
  EXPECT_EQ(demangle("plain.resume"), "plain.resume");
}

TEST(AliasOfSite, TheTableOfLibcxxsDequeIsNoVector) {
  const std::string Table =
      "std::__1::__split_buffer<Foo*, std::__1::allocator<Foo*> "
      ">::emplace_back(Foo*)";
  EXPECT_EQ(aliasOfSite({Table}), "std::deque<Foo> map");
  const std::string ByReference =
      "std::__1::__split_buffer<Foo*, std::__1::allocator<Foo*>& "
      ">::__split_buffer(unsigned long)";
  EXPECT_EQ(aliasOfSite({ByReference}), "std::vector<Foo *> buffer");
  EXPECT_EQ(
      aliasOfSite({ByReference, "std::__1::deque<Foo, std::__1::allocator<Foo> "
                                ">::__add_back_capacity()"}),
      "std::deque<Foo> map");
  EXPECT_EQ(aliasOfSite({"std::__1::__split_buffer<Foo, "
                         "std::__1::allocator<Foo> >::f()"}),
            "std::vector<Foo> buffer");
}

TEST(SimplifyName, FunctionsKeepTheirOperators) {
  EXPECT_EQ(simplifyName("operator<(Foo, Foo)"), "operator<(Foo, Foo)");
  EXPECT_EQ(simplifyName("Foo::operator->() const"), "Foo::operator->() const");
  EXPECT_EQ(simplifyName("Foo::operator()(std::__cxx11::basic_string<char, "
                         "std::char_traits<char>, std::allocator<char> >)"),
            "Foo::operator()(std::string)");
  EXPECT_EQ(simplifyName("a::f<int>(std::vector<int, std::allocator<int> >&)"),
            "a::f<int>(std::vector<int> &)");
}

// Types come from the compiler, names of functions from a demangler that sets
// pointers and const otherwise: a table has both.
TEST(SimplifyName, PointersAsTheCompilerSpellsThem) {
  for (const Pair &P : std::initializer_list<Pair>{
           {"std::set<Edge*>", "std::set<Edge *>"},
           {"std::set<Edge *>", "std::set<Edge *>"},
           {"std::vector<Foo**, A<Foo**> >", "std::vector<Foo **, A<Foo **>>"},
           {"A<Foo* const>", "A<Foo *const>"},
           {"A<Foo* const*&>", "A<Foo *const *&>"},
           {"A<B<int>*, char const*>", "A<B<int> *, const char *>"},
           {"std::pair<int const, Foo>", "std::pair<const int, Foo>"},
           {"A<Foo const* const&&>", "A<const Foo *const &&>"},
           {"A<B<int> const&>", "A<const B<int> &>"},
           {"A<(anonymous namespace)::B const&>",
            "A<const (anonymous namespace)::B &>"},
           {"A<void (*)(int const&)>", "A<void (*)(const int &)>"},
           {"A<int (Foo::*)(char*) const>", "A<int (Foo::*)(char *) const>"},
           {"f(char const*, int*) const", "f(const char *, int *) const"},
           {"A<&x>", "A<&x>"},
           {"Foo::operator*() const", "Foo::operator*() const"},
           {"Foo::operator&=(Bar&)", "Foo::operator&=(Bar &)"},
           {"Foo::operator Bar*()", "Foo::operator Bar *()"},
           {"constant*", "constant *"},
           {"A<decltype ((a)*(b))>", "A<decltype ((a)*(b))>"}})
    EXPECT_EQ(simplifyName(P.Spelling), P.Shown);
}

TEST(SimplifyName, DeepNestingEnds) {
  std::string Deep;
  for (int I = 0; I < 5000; ++I)
    Deep += "a<";
  Deep += "int" + std::string(5000, '>');
  EXPECT_EQ(simplifyName(Deep), Deep);
}

TEST(TypeInLibrary, OnlyWhatIsCertain) {
  const auto Name = [](const char *File, const char *Function) {
    const auto Known = typeInLibrary(File, Function);
    return Known ? std::string(Known->Name) : "";
  };
  EXPECT_EQ(Name("libstdc++.so.6", "std::__cxx11::basic_string<char, X>::f()"),
            "char");
  EXPECT_EQ(Name("libc++.so.1", "void std::__1::basic_string<wchar_t, X>::f()"),
            "wchar_t");
  EXPECT_EQ(Name("libstdc++.so.6", "std::basic_filebuf<char, X>::open()"),
            "char");
  EXPECT_EQ(Name("libstdc++.so.6", "std::__cxx11::basic_istringstream<char, "
                                   "X>::basic_istringstream(Y const&)"),
            "char");
  EXPECT_EQ(Name("libstdc++.so.6",
                 "std::string::_Rep::_S_create(unsigned long, unsigned long, "
                 "std::allocator<char> const&)"),
            "std::basic_string<char>::_Rep");
  EXPECT_EQ(Name("libstdc++.so.6",
                 "std::basic_string<wchar_t, std::char_traits<wchar_t>, "
                 "std::allocator<wchar_t> >::_Rep::_S_create(unsigned long, "
                 "unsigned long, std::allocator<wchar_t> const&)"),
            "std::basic_string<wchar_t>::_Rep");
  EXPECT_EQ(Name("libc++abi.so.1", "__cxa_allocate_dependent_exception"),
            "__cxxabiv1::__cxa_dependent_exception");
  EXPECT_EQ(Name("mine", "__cxa_allocate_dependent_exception"), "");
  // Reference counted, of another library, or only a parameter.
  EXPECT_EQ(Name("libstdc++.so.6", "std::basic_string<char, X>::f()"), "");
  EXPECT_EQ(Name("libx.so", "std::__cxx11::basic_string<char, X>::f()"), "");
  EXPECT_EQ(
      Name("libstdc++.so.6", "std::f(std::__cxx11::basic_string<char, X>)"),
      "");
}

TEST(AliasOfSite, VectorsHaveTheElementThatIsKnown) {
  const char *const Folded = "std::_Vector_base<Foo*, std::allocator<Foo*> "
                             ">::_M_allocate(unsigned long)";
  EXPECT_EQ(aliasOfSite({Folded}, "Foo *"), "std::vector<Foo *> buffer");
  EXPECT_EQ(aliasOfSite({Folded}, "std::vector<int> *"),
            "std::vector<std::vector<int> *> buffer");
  EXPECT_EQ(aliasOfSite({"std::vector<bool, std::allocator<bool> >::f()"},
                        "unsigned long"),
            "std::vector<bool> buffer");
  EXPECT_EQ(aliasOfSite({"std::_Deque_base<Foo, std::allocator<Foo> "
                         ">::_M_initialize_map(unsigned long)"},
                        "Bar"),
            "std::deque<Foo> block");
}

TEST(AliasOfSite, ContainersAreKnownByTheirMethods) {
  EXPECT_EQ(aliasOfSite({"std::__new_allocator<Foo>::allocate",
                         "std::_Vector_base<Foo, std::allocator<Foo> "
                         ">::_M_allocate(unsigned long)"}),
            "std::vector<Foo> buffer");
  EXPECT_EQ(aliasOfSite({"std::__cxx11::basic_string<char, "
                         "std::char_traits<char>, std::allocator<char> "
                         ">::_M_create(unsigned long&, unsigned long)"}),
            "std::string buffer");
  EXPECT_EQ(aliasOfSite({"std::__cxx11::basic_istringstream<char, "
                         "std::char_traits<char>, std::allocator<char> "
                         ">::basic_istringstream(int)"}),
            "std::istringstream buffer");
  EXPECT_EQ(aliasOfSite({"std::_Deque_base<int, std::allocator<int> "
                         ">::_M_allocate_map(unsigned long)"}),
            "std::deque<int> map");
  EXPECT_EQ(aliasOfSite({"std::_Deque_base<int, std::allocator<int> "
                         ">::_M_allocate_node()"}),
            "std::deque<int> block");
  EXPECT_EQ(
      aliasOfSite({"std::__1::__split_buffer<Foo, std::__1::allocator<Foo>, "
                   "std::__1::__layout>::__split_buffer(unsigned long)"}),
      "std::vector<Foo> buffer");
  EXPECT_EQ(aliasOfSite({"void std::__cxx11::basic_string<char16_t, "
                         "std::char_traits<char16_t>, std::allocator<char16_t> "
                         ">::_M_construct<char16_t*>(char16_t*, char16_t*)"}),
            "std::u16string buffer");
  EXPECT_EQ(aliasOfSite({"std::_Function_base::_Base_manager<main::{lambda(int)"
                         "#1}>::_M_create(std::_Any_data&)"}),
            "std::function target");
  EXPECT_EQ(aliasOfSite({"std::__cxx11::basic_string<char, "
                         "std::char_traits<char>, "
                         "std::pmr::polymorphic_allocator<char> "
                         ">::_M_create(unsigned long&, unsigned long)"}),
            "std::pmr::string buffer");
  EXPECT_EQ(aliasOfSite({"std::pmr::polymorphic_allocator<Foo>::allocate(int)",
                         "std::_Vector_base<Foo, "
                         "std::pmr::polymorphic_allocator<Foo> "
                         ">::_M_allocate(unsigned long)"}),
            "std::pmr::vector<Foo> buffer");
  EXPECT_EQ(aliasOfSite({"std::__1::deque<Foo, "
                         "std::__1::pmr::polymorphic_allocator<Foo> "
                         ">::push_back(Foo&&)"}),
            "std::pmr::deque<Foo> block");
  EXPECT_EQ(aliasOfSite({"user(std::vector<int>)", "main"}), "");
  EXPECT_EQ(aliasOfSite({}), "");
}

TEST(ChunkOfResource, IsKnownByFunctionsOfTheResource) {
  const std::string Chunk(
      chunkOfResource("std::__1::pmr::monotonic_buffer_resource::do_allocate("
                      "unsigned long, unsigned long)"));
  EXPECT_EQ(Chunk, "chunk of std::pmr::monotonic_buffer_resource");
  EXPECT_EQ(aliasOf(Chunk), "std::pmr::monotonic_buffer_resource chunk");
  EXPECT_EQ(chunkOfResource("std::pmr::unsynchronized_pool_resource::"
                            "unsynchronized_pool_resource(std::pmr::"
                            "pool_options const&, std::pmr::memory_resource*)"),
            "chunk of std::pmr::unsynchronized_pool_resource");
  // Only a parameter, or a template's.
  EXPECT_EQ(chunkOfResource("f(std::pmr::synchronized_pool_resource::X)"), "");
  EXPECT_EQ(chunkOfResource("void f<std::pmr::synchronized_pool_resource>()"),
            "");
  EXPECT_EQ(chunkOfResource("std::pmr::memory_resource::allocate(int, int)"),
            "");
}

TEST(Demangle, LeavesWhatIsNotMangled) {
  EXPECT_EQ(demangle("_Z4makei"), "make(int)");
  EXPECT_EQ(demangle("main"), "main");
  EXPECT_EQ(demangle("_Zgarbage"), "_Zgarbage");
  EXPECT_EQ(demangle(""), "");
  // Each class has the one before as both of its arguments: 2^40 of them.
  std::string Doubling = "_Z1f1a1bIS_S_E", Last = "S1_";
  for (unsigned I = 0; I < 30; ++I) {
    Doubling += "S0_I" + Last + Last + "E";
    Last = "S";
    Last += "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[I % 36 + 2];
    Last += "_";
  }
  EXPECT_EQ(demangle(Doubling), Doubling);
}

TEST(Demangle, LeavesOutTheTagOfTheLibrarysStrings) {
  EXPECT_EQ(demangle("_Z8describeB5cxx11i"), "describe(int)");
  EXPECT_EQ(demangle("_ZNK4Shop4nameB5cxx11Ev"), "Shop::name() const");
  EXPECT_EQ(demangle("_Z8describeB2v2i"), "describe[abi:v2](int)");
}

TEST(Demangle, KnowsBothManglingsOfRust) {
  EXPECT_EQ(
      demangle("_RNvMNtCslNYArtu3iFV_5alloc5boxedINtB2_3BoxNtCsbxQjNsTKZZh"
               "_4shop4ItemE3newBG_"),
      "<alloc::boxed::Box<shop::Item>>::new");
  EXPECT_EQ(demangle("_RNCNvCsbxQjNsTKZZh_4shop6shared0B3_"),
            "shop::shared::{closure#0}");
  EXPECT_EQ(demangle("_ZN5alloc2rc11Rc$LT$T$GT$3new17hada8d32be01180c5E"),
            "alloc::rc::Rc<T>::new");
  // C++: no hash, one that is too short, and one that continues.
  EXPECT_EQ(demangle("_ZN4shop3newE"), "shop::new");
  EXPECT_EQ(demangle("_ZN4shop17h0123456789abcdeE"),
            "_ZN4shop17h0123456789abcdeE");
  EXPECT_EQ(demangle("_ZN4shop17h0123456789abcdefEi"),
            "shop::h0123456789abcdef(int)");
  EXPECT_EQ(demangle("_R"), "_R");
  EXPECT_EQ(demangle("_Rgarbage"), "_Rgarbage");
}

#if INMEM_LLVM_MAJOR >= 19
TEST(Demangle, KnowsConstrainedTemplates) {
  // template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  EXPECT_EQ(
      shortFunction(demangle("_Z4makeIiTnNSt9enable_ifIXsr3stdE13is_integr"
                             "al_vIT_EEiE4typeELi0EEPiS1_")),
      "make<int, 0>");
  // template <class T> requires std::integral<T>
  EXPECT_EQ(shortFunction(demangle("_Z5make2IiQsr3stdE8integralIT_EEPlS0_")),
            "make2<int>");
  // Constrained: requires (sizeof(T) > 1)
  EXPECT_EQ(demangle("_Z5make3IiEPlT_QgtstS1_Li1E"), "long* make3<int>(int)");
}

TEST(Demangle, DoesNotGrowWithoutBound) {
  // As above, constrained: libiberty gives up immediately.
  std::string Doubling = "_Z1f1a1bIS_S_E", Last = "S1_";
  for (unsigned I = 0; I < 30; ++I) {
    Doubling += "S0_I" + Last + Last + "E";
    Last = "S";
    Last += "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[I % 36 + 2];
    Last += "_";
  }
  Doubling += "QgtLi2ELi1E";
  EXPECT_EQ(demangle(Doubling), Doubling);
}
#endif

TEST(IsSystemPath, LooksThroughDots) {
  EXPECT_TRUE(isSystemPath("/usr/include/c++/12/bits/x.h"));
  EXPECT_TRUE(isSystemPath("/usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../"
                           "../include/c++/12/vector"));
  EXPECT_TRUE(isSystemPath("/opt/llvm/include/c++/v1/vector"));
  EXPECT_TRUE(isSystemPath("/rustc/59807616/library/alloc/src/alloc.rs"));
  EXPECT_TRUE(isSystemPath("/rust/deps/hashbrown-0.15.5/src/raw/mod.rs"));
  EXPECT_TRUE(isSystemPath("/home/me/.rustup/toolchains/stable/lib/rustlib/src/"
                           "rust/library/std/src/thread.rs"));
  EXPECT_FALSE(isSystemPath("/home/me/.cargo/registry/src/x/fd/src/walk.rs"));
  EXPECT_FALSE(isSystemPath("src/a.cpp"));
  EXPECT_FALSE(isSystemPath("third-party/include/c++/12/vector"));
  EXPECT_FALSE(isSystemPath("/home/me/usr/include/a.h"));
  EXPECT_FALSE(isSystemPath(""));
}

} // namespace
