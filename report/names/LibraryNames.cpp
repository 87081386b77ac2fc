//===- LibraryNames.cpp - Readable names of library types -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/names/TypeName.h"

#include "inmem/detail/library_types.h"

#include <algorithm>
#include <filesystem>

namespace inmem::report {

namespace {

constexpr std::string_view kStd = "std::", kPmr = "std::pmr::";

/// Turns `const K` and `K *const` into K. A pointer to a constant is not
/// changed.
std::string withoutConst(std::string_view Key) {
  if (Key.ends_with("*const"))
    Key.remove_suffix(5);
  else if (Key.starts_with("const ") && !Key.ends_with('*'))
    Key.remove_prefix(6);
  return std::string(trim(Key));
}

/// `Ordered<K, V> node` if Value is a pair with a constant key, otherwise
/// `Single<Value> node`.
std::string associative(const std::string &Value, const char *Pairs,
                        const char *Single, const char *What) {
  if (const auto Pair = splitTemplate(Value);
      Pair && Pair->Rest.empty() && Pair->Args.size() == 2) {
    const std::string Key = withoutConst(Pair->Args[0]);
    if ((Pair->Name == "std::pair" && Key != Pair->Args[0]) ||
        Pair->Name == "std::__value_type" ||
        Pair->Name == "std::__hash_value_type")
      return std::string(Pairs) + '<' + Key + ", " + Pair->Args[1] + '>' + What;
  }
  return std::string(Single) + '<' + Value + '>' + What;
}

std::string pointee(std::string Pointer) {
  if (Pointer.ends_with('*'))
    Pointer.pop_back();
  return std::string(trim(Pointer));
}

/// One kind of a container's internals: its template's name, its minimum number
/// of arguments, and its description.
struct Internal {
  std::string_view Name;
  size_t AtLeast;
  std::string (*Say)(const Arguments &);
};

constexpr Internal kInternals[] = {
    // libstdc++
    {"std::_Rb_tree_node", 1,
     [](const Arguments &A) {
       return associative(A[0], "std::map", "std::set", " node");
     }},
    {"std::__detail::_Hash_node", 1,
     [](const Arguments &A) {
       return associative(A[0], "std::unordered_map", "std::unordered_set",
                          " node");
     }},
    {"std::_List_node", 1,
     [](const Arguments &A) { return "std::list<" + A[0] + "> node"; }},
    {"std::_Fwd_list_node", 1,
     [](const Arguments &A) { return "std::forward_list<" + A[0] + "> node"; }},
    {"std::_Sp_counted_ptr_inplace", 1,
     [](const Arguments &A) {
       return "std::shared_ptr<" + A[0] + "> object and control block";
     }},
    {"std::_Sp_counted_ptr", 1,
     [](const Arguments &A) {
       return "std::shared_ptr<" + pointee(A[0]) + "> control block";
     }},
    {"std::_Sp_counted_deleter", 1,
     [](const Arguments &A) {
       return "std::shared_ptr<" + pointee(A[0]) + "> control block";
     }},
    {"std::__future_base::_Result", 1,
     [](const Arguments &A) { return "std::future<" + A[0] + "> result"; }},
    {"std::thread::_State_impl", 1,
     [](const Arguments &) { return std::string("std::thread start state"); }},
    // libc++
    {"std::__tree_node", 1,
     [](const Arguments &A) {
       return associative(A[0], "std::map", "std::set", " node");
     }},
    {"std::__hash_node", 1,
     [](const Arguments &A) {
       return associative(A[0], "std::unordered_map", "std::unordered_set",
                          " node");
     }},
    {"std::__list_node", 1,
     [](const Arguments &A) { return "std::list<" + A[0] + "> node"; }},
    {"std::__forward_list_node", 1,
     [](const Arguments &A) { return "std::forward_list<" + A[0] + "> node"; }},
    {"std::__shared_ptr_emplace", 1,
     [](const Arguments &A) {
       return "std::shared_ptr<" + A[0] + "> object and control block";
     }},
    {"std::__function::__func", 1,
     [](const Arguments &) { return std::string("std::function target"); }},
    {"std::__shared_ptr_pointer", 1,
     [](const Arguments &A) {
       return "std::shared_ptr<" + pointee(A[0]) + "> control block";
     }},
};

/// Types without arguments, or pointers to them.
struct Plain {
  std::string_view Prefix;
  std::string_view Says;
};
constexpr Plain kPlain[] = {
    {"std::__detail::_Hash_node_base *", "unordered container buckets"},
    {"std::__hash_node_base<", "unordered container buckets"},
    {"std::_Sp_counted_base", "std::shared_ptr control block"},
    {"std::_Rb_tree_node_base", "std::map or std::set node"},
    {"std::filesystem::path::_List::_Impl", "std::filesystem::path components"},
};

/// Allocating classes: the library's, and the user's name for it. With What,
/// Known gets at most Arguments of the arguments. With Method, only for methods
/// with that prefix.
struct Owner {
  std::string_view Internal, Known, What;
  size_t Arguments = 100;
  std::string_view Method = "";
};
constexpr std::string_view kVector = "std::vector";
constexpr Owner kOwners[] = {
    {"std::vector", kVector, " buffer"},
    {"std::_Vector_base", kVector, " buffer"},
    {"std::_Bvector_base", "std::vector<bool> buffer", ""},
    {"std::_Function_base::_Base_manager", "std::function target", ""},
    {"std::__function::__value_func", "std::function target", ""},
    {"std::basic_string", "std::basic_string", " buffer"},
    {"std::_Deque_base", "std::deque", " map", 100, "_M_allocate_map"},
    {"std::deque", "std::deque", " block"},
    {"std::_Deque_base", "std::deque", " block"},
    {"std::__split_buffer", kVector, " buffer", 1},
    {"std::basic_stringbuf", "std::basic_stringbuf", " buffer"},
};

} // namespace

constexpr std::string_view kChunk = "chunk of ";
constexpr std::string_view kChunks[] = {
    "chunk of std::pmr::unsynchronized_pool_resource",
    "chunk of std::pmr::synchronized_pool_resource",
    "chunk of std::pmr::monotonic_buffer_resource"};

std::string_view chunkOfResource(std::string_view Function) {
  if (Function.find("::pmr::") == std::string_view::npos)
    return {};
  const std::string Bare = simplifyName(bareFunction(Function));
  for (const std::string_view Chunk : kChunks)
    if (const std::string_view Resource = Chunk.substr(kChunk.size());
        Bare.starts_with(Resource) &&
        std::string_view(Bare).substr(Resource.size()).starts_with("::"))
      return Chunk;
  return {};
}

/// Turns `coroutine frame of f(int)` into `f(int) coroutine frame`, the form of
/// other internals.
static std::string aliasOfFrame(std::string_view Coroutine) {
  return simplifyName(Coroutine) + " coroutine frame";
}

std::string aliasOf(std::string_view TypeName) {
  constexpr std::string_view kFrame = "coroutine frame of ";
  if (TypeName.starts_with(kFrame))
    return aliasOfFrame(TypeName.substr(kFrame.size()));
  if (std::ranges::find(kChunks, TypeName) != std::end(kChunks))
    return std::string(TypeName.substr(kChunk.size())) + " chunk";
  const std::string Simple = simplifyName(TypeName);
  for (const Plain &P : kPlain)
    if (Simple.starts_with(P.Prefix))
      return std::string(P.Says);
  if (const auto Parts = splitTemplate(Simple); Parts && Parts->Rest.empty())
    for (const Internal &I : kInternals)
      if (Parts->Name == I.Name && Parts->Args.size() >= I.AtLeast)
        return I.Say(Parts->Args);
  return Simple == TypeName ? std::string() : Simple;
}

std::optional<LibraryType> typeInLibrary(std::string_view File,
                                         std::string_view Function) {
  if (!File.starts_with("libstdc++.so") && !File.starts_with("libc++.so") &&
      !File.starts_with("libc++abi.so"))
    return std::nullopt;
  if (Function == "__cxa_allocate_dependent_exception")
    return LibraryType{"__cxxabiv1::__cxa_dependent_exception", 0};
  // A reference-counted string, as in messages of std::runtime_error: a header
  // and the characters.
  if (Function.starts_with("std::string::_Rep::_S_create(") ||
      Function.starts_with("std::basic_string<char, std::char_traits<char>, "
                           "std::allocator<char> >::_Rep::_S_create("))
    return LibraryType{"std::basic_string<char>::_Rep", 0};
  if (Function.starts_with("std::basic_string<wchar_t, "
                           "std::char_traits<wchar_t>, std::allocator<wchar_t> "
                           ">::_Rep::_S_create("))
    return LibraryType{"std::basic_string<wchar_t>::_Rep", 0};
  if (Function.starts_with("void "))
    Function.remove_prefix(5);
  if (!Function.starts_with("std::"))
    return std::nullopt;
  Function.remove_prefix(5);
  std::string_view Space;
  if (const size_t End = Function.find("::");
      Function.starts_with("__") && End != std::string_view::npos) {
    Space = Function.substr(0, End);
    Function.remove_prefix(End + 2);
  }
  const size_t Arguments = Function.find('<');
  if (Arguments == std::string_view::npos ||
      !detail::allocatesCharacters(Space, Function.substr(0, Arguments)))
    return std::nullopt;
  Function.remove_prefix(Arguments);
  if (Function.starts_with("<char,"))
    return LibraryType{"char", sizeof(char)};
  if (Function.starts_with("<wchar_t,"))
    return LibraryType{"wchar_t", sizeof(wchar_t)};
  return std::nullopt;
}

/// True if a libc++ __split_buffer with these arguments, in such a chain of
/// functions, holds the blocks of a deque.
static bool isMapOfDeque(const Arguments &Args,
                         const std::vector<std::string_view> &Functions) {
  if (Args.empty() || !Args[0].ends_with('*'))
    return false;
  return (Args.size() > 1 && !Args[1].ends_with('&')) ||
         std::ranges::any_of(Functions, [](std::string_view Function) {
           return simplifyName(Function).starts_with("std::deque<");
         });
}

/// Containers of std::pmr have the same functions as std's.
std::string aliasOfSite(const std::vector<std::string_view> &Functions,
                        std::string_view Element) {
  const std::string Wanted =
      Element.empty() ? std::string() : simplifyName(Element);
  for (std::string_view Function : Functions) {
    if (Function.starts_with("void "))
      Function.remove_prefix(5);
    if (!Function.starts_with("std::"))
      continue;
    // The parts before `::` are the owner. Try the longest known one. The
    // return type of a template function may come first: it has a space outside
    // brackets, and is irrelevant because only methods allocate.
    std::string Simple = simplifyName(Function);
    const bool OfPmr = Simple.starts_with(kPmr);
    if (OfPmr)
      Simple.erase(kStd.size(), kPmr.size() - kStd.size());
    const auto Shown = [OfPmr](const std::string &Name) {
      return OfPmr ? std::string(kPmr).append(Name, kStd.size()) : Name;
    };
    const std::string Class = Simple.substr(0, Simple.find("::", kStd.size()));
    for (const std::string_view Known :
         {"std::string", "std::wstring", "std::u8string", "std::u16string",
          "std::u32string", "std::stringbuf", "std::wstringbuf", "std::filebuf",
          "std::wfilebuf", "std::istringstream", "std::ostringstream",
          "std::stringstream", "std::wistringstream", "std::wostringstream",
          "std::wstringstream"})
      if (Class == Known)
        return Shown(Class) + " buffer";
    const auto Parts = splitTemplate(Simple);
    if (!Parts || !Parts->Rest.starts_with("::"))
      continue;
    for (const Owner &O : kOwners)
      if (Parts->Name == O.Internal &&
          Parts->Rest.substr(2).starts_with(O.Method)) {
        if (O.What.empty())
          return std::string(O.Known);
        // libc++'s deque grows its map in a deque with no reference to an
        // allocator, or whose caller identifies it.
        if (O.Internal == "std::__split_buffer" &&
            isMapOfDeque(Parts->Args, Functions))
          return Shown(simplifyName("std::deque<" + pointee(Parts->Args[0]) +
                                    '>')) +
                 " map";
        Arguments Args = Parts->Args;
        Args.resize(std::min(Args.size(), O.Arguments));
        // Code of vectors of other elements, which was folded into this.
        if (!Wanted.empty() && O.Known == kVector && !Args.empty() &&
            Args[0] != Wanted && Args[0] != "bool")
          Args = {Wanted};
        return Shown(simplifyName(std::string(O.Known) + '<' + join(Args) +
                                  '>')) +
               std::string(O.What);
      }
  }
  return {};
}

std::string systemPath(std::string_view Path) {
  if (Path.empty() || Path.front() != '/')
    return {};
  std::string Normal = std::filesystem::path(Path).lexically_normal().string();
  const bool IsSystem =
      Normal.starts_with("/usr/include/") || Normal.starts_with("/usr/lib/") ||
      Normal.starts_with("/lib/") ||
      Normal.find("/include/c++/") != std::string::npos ||
      // Rust's paths, as its packages and rustup have them.
      Normal.starts_with("/rustc/") || Normal.starts_with("/rust/deps/") ||
      Normal.find("/lib/rustlib/src/rust/") != std::string::npos;
  return IsSystem ? Normal : std::string();
}

bool isSystemPath(std::string_view Path) { return !systemPath(Path).empty(); }

} // namespace inmem::report
