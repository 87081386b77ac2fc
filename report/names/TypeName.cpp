//===- TypeName.cpp - Parsing and rewriting C++ names ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define HAVE_DECL_BASENAME 1 // for libiberty.h: glibc's is of another type
#include "report/names/TypeName.h"

#include "report/names/Demangler.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <csetjmp>
#include <cstdlib>
#include <filesystem>
#include <libiberty/demangle.h>
#include <memory>
#include <optional>

namespace inmem::report {
namespace {

/// A demangled name as it grows.
struct Demangled {
  std::string Text;
  size_t Most = 0;
  std::jmp_buf TooLong;
};

/// Longer names exist only in traces that want to keep us busy: in 200
/// characters of substitutions there is room for gigabytes of text.
constexpr size_t kLongestMangled = 32768;
constexpr size_t longestName(size_t Mangled) { return 4096 + 16 * Mangled; }

void appendName(const char *Piece, size_t Length, void *To) {
  auto &Name = *static_cast<Demangled *>(To);
  if (Name.Text.size() + Length > Name.Most)
    std::longjmp(Name.TooLong, 1); // over frames of C that own nothing
  Name.Text.append(Piece, Length);
}

} // namespace

std::string demangle(std::string_view Name) {
  if (!Name.starts_with("_Z") || Name.size() > kLongestMangled)
    return std::string(Name);
  std::string Mangled(Name);
  const auto Out = std::make_unique<Demangled>();
  Out->Most = longestName(Name.size());
  // Not abi::__cxa_demangle, which cannot be stopped.
  if (setjmp(Out->TooLong) != 0)
    return Mangled;
  if (!cplus_demangle_v3_callback(Mangled.c_str(), DMGL_PARAMS | DMGL_TYPES,
                                  appendName, Out.get()))
    return demangleNewer(Mangled, longestName(Name.size())).value_or(Mangled);
  return std::move(Out->Text);
}

namespace {

using Arguments = std::vector<std::string>;

bool isIdentifier(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) || C == '_';
}

std::string_view trim(std::string_view Text) {
  while (!Text.empty() && Text.front() == ' ')
    Text.remove_prefix(1);
  while (!Text.empty() && Text.back() == ' ')
    Text.remove_suffix(1);
  return Text;
}

std::string join(const Arguments &Args) {
  std::string Out;
  for (const std::string &A : Args)
    Out += (Out.empty() ? "" : ", ") + A;
  return Out;
}

/// `const K` and `K *const` to K.
std::string withoutConst(std::string_view Key) {
  if (Key.starts_with("const ") && !Key.ends_with('*'))
    Key.remove_prefix(6);
  else if (Key.ends_with("const"))
    Key.remove_suffix(5);
  return std::string(trim(Key));
}

/// `Name<Args>Rest`, split at the first template argument list.
struct Split {
  std::string Name;
  Arguments Args;
  std::string Rest;
};

/// Splits a simplified spelling; arguments as they are spelled.
std::optional<Split> splitTemplate(std::string_view Text) {
  const size_t Open = Text.find('<');
  if (Open == std::string_view::npos || Open == 0)
    return std::nullopt;
  Split Out;
  Out.Name = std::string(trim(Text.substr(0, Open)));
  int Depth = 0;
  size_t Start = Open + 1;
  for (size_t I = Open; I < Text.size(); ++I) {
    const char C = Text[I];
    if (C == '<' || C == '(' || C == '[' || C == '{') {
      ++Depth;
    } else if (C == '>' && I > 0 && Text[I - 1] == '-') {
      continue; // ->
    } else if (C == '>' || C == ')' || C == ']' || C == '}') {
      if (--Depth == 0) {
        const auto Last = trim(Text.substr(Start, I - Start));
        if (!Last.empty() || !Out.Args.empty())
          Out.Args.emplace_back(Last);
        Out.Rest = std::string(Text.substr(I + 1));
        return Out;
      }
    } else if (C == ',' && Depth == 1) {
      Out.Args.emplace_back(trim(Text.substr(Start, I - Start)));
      Start = I + 1;
    }
  }
  return std::nullopt;
}

/// Default arguments that go without saying at the end of a list.
constexpr std::string_view kDefaults[] = {
    "std::allocator<", "std::less<",     "std::char_traits<",
    "std::hash<",      "std::equal_to<", "std::default_delete<",
    "std::deque<"};
constexpr std::string_view kWithDefaults[] = {"std::vector",
                                              "std::deque",
                                              "std::list",
                                              "std::forward_list",
                                              "std::map",
                                              "std::multimap",
                                              "std::set",
                                              "std::multiset",
                                              "std::unordered_map",
                                              "std::unordered_multimap",
                                              "std::unordered_set",
                                              "std::unordered_multiset",
                                              "std::basic_string",
                                              "std::basic_string_view",
                                              "std::unique_ptr",
                                              "std::queue",
                                              "std::stack",
                                              "std::basic_ostringstream",
                                              "std::basic_istringstream",
                                              "std::basic_stringstream",
                                              "std::basic_stringbuf",
                                              "std::basic_ostream",
                                              "std::basic_istream",
                                              "std::basic_iostream",
                                              "std::basic_ifstream",
                                              "std::basic_ofstream",
                                              "std::basic_fstream",
                                              "std::basic_filebuf"};

/// `std::basic_X<char>` is `std::X`, `std::basic_X<wchar_t>` is `std::wX`.
std::optional<std::string> typedefOf(std::string_view Name,
                                     const Arguments &Args) {
  constexpr std::string_view kBasic = "std::basic_";
  if (!Name.starts_with(kBasic) || Args.size() != 1)
    return std::nullopt;
  const std::string Rest(Name.substr(kBasic.size()));
  if (Args[0] == "char")
    return "std::" + Rest;
  if (Args[0] == "wchar_t")
    return "std::w" + Rest;
  if (Rest == "string" || Rest == "string_view") {
    if (Args[0] == "char8_t")
      return "std::u8" + Rest;
    if (Args[0] == "char16_t")
      return "std::u16" + Rest;
    if (Args[0] == "char32_t")
      return "std::u32" + Rest;
  }
  return std::nullopt;
}

/// Rewrites `Name<Args>`, whose arguments are simple already.
std::string rewrite(std::string_view Name, Arguments Args) {
  if (std::find(std::begin(kWithDefaults), std::end(kWithDefaults), Name) !=
      std::end(kWithDefaults))
    while (Args.size() > 1 &&
           std::any_of(
               std::begin(kDefaults), std::end(kDefaults),
               [&](std::string_view D) { return Args.back().starts_with(D); }))
      Args.pop_back();
  if (const auto Short = typedefOf(Name, Args))
    return *Short;
  if (Name == "nlohmann::basic_json") {
    if (Args.empty() || Args[0] == "std::map")
      return "nlohmann::json";
    if (Args[0] == "nlohmann::ordered_map")
      return "nlohmann::ordered_json";
  }
  return std::string(Name) + '<' + join(Args) + '>';
}

/// Recursive descent over a name; fails on what it does not understand.
class Simplifier {
public:
  explicit Simplifier(std::string_view Input) : Text(Input) {}

  std::optional<std::string> run() {
    std::string Out = sequence("", 0);
    if (Failed || At != Text.size())
      return std::nullopt;
    return Out;
  }

private:
  /// Reads up to one of Stops at this level.
  std::string sequence(std::string_view Stops, unsigned Depth) {
    std::string Out;
    if (Depth > 200)
      Failed = true;
    while (!Failed && At < Text.size()) {
      const char C = Text[At];
      if (Stops.find(C) != std::string_view::npos)
        return Out;
      if (C == '<') {
        openTemplate(Out, Depth);
      } else if (C == '(' || C == '[' || C == '{') {
        const char Close = C == '(' ? ')' : C == '[' ? ']' : '}';
        Out += C;
        ++At;
        Out += sequence(std::string_view(&Close, 1), Depth + 1);
        if (Failed || At >= Text.size()) {
          Failed = true;
          return Out;
        }
        Out += Close;
        ++At;
      } else if ((C == '>' && (At == 0 || Text[At - 1] != '-')) || C == ')' ||
                 C == ']' || C == '}') {
        Failed = true;
      } else if (C == '\'') {
        // Where unnamed things are: 'lambda'(int); or a character.
        const size_t End = Text.find('\'', At + 1);
        if (End == std::string_view::npos) {
          Failed = true;
          return Out;
        }
        Out += Text.substr(At, End + 1 - At);
        At = End + 1;
      } else if (isIdentifier(C)) {
        size_t End = At;
        while (End < Text.size() && isIdentifier(Text[End]))
          ++End;
        word(Out, Text.substr(At, End - At), End);
      } else {
        Out += C;
        ++At;
      }
    }
    return Out;
  }

  /// Takes one identifier; leaves inline namespaces out.
  void word(std::string &Out, std::string_view Word, size_t End) {
    At = End;
    const bool Nested = Text.substr(End).starts_with("::");
    if (Nested && Out.ends_with("::") &&
        (Word == "__cxx11" || Word == "__1" || Word == "__cxx1998" ||
         Word.starts_with("json_abi"))) {
      At += 2;
      return;
    }
    Out += Word;
    if (Word == "operator") {
      // Its symbols are no brackets.
      while (At < Text.size() &&
             std::string_view("<>=-+*/%^&|~!,").find(Text[At]) !=
                 std::string_view::npos) {
        // operator< <int> and operator<=> both end at a space or bracket.
        Out += Text[At++];
      }
      if (Text.substr(At).starts_with("()") ||
          Text.substr(At).starts_with("[]")) {
        Out += Text.substr(At, 2);
        At += 2;
      }
    }
  }

  void openTemplate(std::string &Out, unsigned Depth) {
    size_t Begin = Out.size();
    while (Begin > 0 && (isIdentifier(Out[Begin - 1]) || Out[Begin - 1] == ':'))
      --Begin;
    if (Begin == Out.size()) {
      // `operator< <int>`, or `<lambda(...)>`: an opening without a name.
      Out += '<';
      ++At;
      Out += sequence(">", Depth + 1);
      if (At >= Text.size()) {
        Failed = true;
        return;
      }
      Out += '>';
      ++At;
      return;
    }
    const std::string Name = Out.substr(Begin);
    Arguments Args;
    ++At;
    while (!Failed) {
      const std::string One = sequence(",>", Depth + 1);
      if (At >= Text.size()) {
        Failed = true;
        return;
      }
      const char Stop = Text[At++];
      const auto Trimmed = trim(One);
      if (Stop == ',' || !Trimmed.empty() || !Args.empty())
        Args.emplace_back(Trimmed);
      if (Stop == '>')
        break;
    }
    Out.resize(Begin);
    Out += rewrite(Name, std::move(Args));
  }

  std::string_view Text;
  size_t At = 0;
  bool Failed = false;
};

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

/// `Ordered<K, V> node` if Value is a pair with a constant key, else
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

/// One kind of a container's internals: what its template is called, how many
/// arguments it has at least, and what to say.
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

/// Allocating classes: the one of the library, and how the user knows it. With
/// What, Known gets the arguments, at most as many as Arguments says. With
/// Method, only for methods whose names begin so.
struct Owner {
  std::string_view Internal, Known, What;
  size_t Arguments = 100;
  std::string_view Method = "";
};
constexpr Owner kOwners[] = {
    {"std::vector", "std::vector", " buffer"},
    {"std::_Vector_base", "std::vector", " buffer"},
    {"std::_Bvector_base", "std::vector<bool> buffer", ""},
    {"std::_Function_base::_Base_manager", "std::function target", ""},
    {"std::__function::__value_func", "std::function target", ""},
    {"std::basic_string", "std::basic_string", " buffer"},
    {"std::_Deque_base", "std::deque", " map", 100, "_M_allocate_map"},
    {"std::deque", "std::deque", " block"},
    {"std::_Deque_base", "std::deque", " block"},
    {"std::__split_buffer", "std::vector", " buffer", 1},
    {"std::basic_stringbuf", "std::basic_stringbuf", " buffer"},
};

} // namespace

std::string simplifyName(std::string_view Name) {
  if (Name.size() > 100'000)
    return std::string(Name);
  return Simplifier(Name).run().value_or(std::string(Name));
}

std::string aliasOf(std::string_view TypeName) {
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
  if (!File.starts_with("libstdc++.so") && !File.starts_with("libc++.so"))
    return std::nullopt;
  if (Function.starts_with("void "))
    Function.remove_prefix(5);
  // All that these classes allocate is characters.
  for (const std::string_view Class :
       {"basic_string", "basic_stringbuf", "basic_filebuf"})
    for (const std::string_view Space :
         {"std::__cxx11::", "std::__1::", "std::"}) {
      // basic_string outside __cxx11 is the old one, with its counter inside.
      if (Space == "std::" && Class != "basic_filebuf")
        continue;
      std::string_view Rest = Function;
      if (!Rest.starts_with(Space))
        continue;
      Rest.remove_prefix(Space.size());
      if (!Rest.starts_with(Class))
        continue;
      Rest.remove_prefix(Class.size());
      if (Rest.starts_with("<char,"))
        return LibraryType{"char", sizeof(char)};
      if (Rest.starts_with("<wchar_t,"))
        return LibraryType{"wchar_t", sizeof(wchar_t)};
    }
  return std::nullopt;
}

std::string aliasOfSite(const std::vector<std::string_view> &Functions) {
  for (std::string_view Function : Functions) {
    if (Function.starts_with("void "))
      Function.remove_prefix(5);
    if (!Function.starts_with("std::"))
      continue;
    // The parts before `::` are the owner: try the longest known one. The
    // return type of a template function may stand in front; it has a space
    // outside brackets, and is no concern here: methods are what allocates.
    const std::string Simple = simplifyName(Function);
    const std::string Class = Simple.substr(0, Simple.find("::", 5));
    for (const std::string_view Known :
         {"std::string", "std::wstring", "std::u8string", "std::u16string",
          "std::u32string", "std::stringbuf", "std::wstringbuf", "std::filebuf",
          "std::wfilebuf"})
      if (Class == Known)
        return Class + " buffer";
    const auto Parts = splitTemplate(Simple);
    if (!Parts || !Parts->Rest.starts_with("::"))
      continue;
    for (const Owner &O : kOwners)
      if (Parts->Name == O.Internal &&
          Parts->Rest.substr(2).starts_with(O.Method)) {
        if (O.What.empty())
          return std::string(O.Known);
        Arguments Args = Parts->Args;
        Args.resize(std::min(Args.size(), O.Arguments));
        return simplifyName(std::string(O.Known) + '<' + join(Args) + '>') +
               std::string(O.What);
      }
  }
  return {};
}

std::string systemPath(std::string_view Path) {
  if (Path.empty() || Path.front() != '/')
    return {};
  std::string Normal = std::filesystem::path(Path).lexically_normal().string();
  const bool IsSystem = Normal.starts_with("/usr/include/") ||
                        Normal.starts_with("/usr/lib/") ||
                        Normal.starts_with("/lib/") ||
                        Normal.find("/include/c++/") != std::string::npos;
  return IsSystem ? Normal : std::string();
}

bool isSystemPath(std::string_view Path) { return !systemPath(Path).empty(); }

/// `void make<int>` to `make<int>`: templates are demangled with the type
/// that they return.
static std::string withoutReturnType(const std::string &Name) {
  int Depth = 0;
  size_t From = 0;
  for (size_t I = 0; I < Name.size(); ++I) {
    if (std::string_view(Name).substr(I).starts_with("operator"))
      break; // What follows may hold brackets and spaces.
    if (std::string_view("<([{").find(Name[I]) != std::string_view::npos)
      ++Depth;
    else if (std::string_view(">)]}").find(Name[I]) != std::string_view::npos)
      --Depth;
    else if (Name[I] == ' ' && Depth == 0)
      From = I + 1;
  }
  return Depth == 0 || From > 0 ? Name.substr(From) : Name;
}

/// `make(int)` to `make`: the parameter list says little in a table.
static std::string withoutParameters(std::string Name) {
  if (!Name.ends_with(')') && !Name.ends_with(") const"))
    return Name;
  const size_t End = Name.rfind(')');
  int Depth = 0;
  for (size_t I = End + 1; I-- > 0;) {
    if (Name[I] == ')')
      ++Depth;
    else if (Name[I] == '(' && --Depth == 0) {
      // `operator()` and `(anonymous namespace)` stay.
      if (I == 0 || Name.substr(0, I).ends_with("operator"))
        return Name;
      return Name.substr(0, I);
    }
  }
  return Name;
}

std::string bareFunction(std::string_view Demangled) {
  return withoutReturnType(withoutParameters(std::string(Demangled)));
}

std::string shortFunction(std::string_view Demangled) {
  return bareFunction(simplifyName(Demangled));
}

/// Where the last part of a scoped name begins; 0 without a scope.
static size_t lastPart(std::string_view Name) {
  int Depth = 0;
  size_t Last = 0;
  for (size_t I = 0; I + 1 < Name.size(); ++I) {
    if (Depth == 0 && Name.substr(I).starts_with("operator"))
      break; // What follows is no scope.
    if (std::string_view("<([{").find(Name[I]) != std::string_view::npos)
      ++Depth;
    else if (std::string_view(">)]}").find(Name[I]) != std::string_view::npos)
      --Depth;
    else if (Depth == 0 && Name[I] == ':' && Name[I + 1] == ':')
      Last = ++I + 1;
  }
  return Last;
}

std::string scopeOf(std::string_view ShortFunction) {
  const size_t Last = lastPart(ShortFunction);
  return std::string(ShortFunction.substr(0, Last < 2 ? 0 : Last - 2));
}

} // namespace inmem::report
