//===- TypeName.cpp - Parsing and rewriting C++ names ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define HAVE_DECL_BASENAME 1 // libiberty.h's basename differs from glibc's
#include "report/names/TypeName.h"

#include <algorithm>
#include <cctype>
#include <csetjmp>
#include <cstdlib>
#include <libiberty/demangle.h>
#include <memory>
#include <optional>

namespace inmem::report {
namespace {

/// A demangled name under construction.
struct Demangled {
  std::string Text;
  size_t Most = 0;
  std::jmp_buf TooLong;
};

/// Longer names exist only in malicious traces: 200 characters of substitutions
/// can expand to gigabytes of text.
constexpr size_t kLongestMangled = 32768;
constexpr size_t longestName(size_t Mangled) { return 4096 + 16 * Mangled; }

void appendName(const char *Piece, size_t Length, void *To) {
  auto &Name = *static_cast<Demangled *>(To);
  if (Name.Text.size() + Length > Name.Most)
    std::longjmp(Name.TooLong, 1); // skips only C frames, which own nothing
  Name.Text.append(Piece, Length);
}

} // namespace

/// Drops the generated tag that libstdc++'s newer ABI gives to functions that
/// return its strings.
static std::string withoutTags(std::string Name) {
  constexpr std::string_view kTag = "[abi:cxx11]";
  for (size_t At; (At = Name.find(kTag)) != std::string::npos;)
    Name.erase(At, kTag.size());
  return Name;
}

/// Rust's names begin with _R, or end in a hash of 16 digits in the form of a
/// part of a C++ name.
static bool isRustName(std::string_view Name) {
  constexpr size_t kHash = 16, kTail = 3 + kHash + 1; // 17h…E
  if (Name.starts_with("_R"))
    return true;
  const size_t At = Name.rfind("17h");
  return Name.starts_with("_ZN") && At != std::string_view::npos &&
         Name.size() >= At + kTail && Name[At + kTail - 1] == 'E' &&
         Name.find_first_not_of("0123456789abcdef", At + 3) == At + kTail - 1;
}

/// Drops the suffix of a coroutine's part that the compiler made a function:
/// the user wrote one function. Covers clang's and GCC's names.
static std::string_view withoutCoroutinePart(std::string_view Name) {
  for (const std::string_view Part :
       {".resume", ".destroy", ".cleanup", ".actor"})
    if (const size_t At = Name.find(Part);
        At != std::string_view::npos && At > 0) {
      const std::string_view Rest = Name.substr(At + Part.size());
      if (Rest.empty() || Rest.front() == '.')
        return Name.substr(0, At);
    }
  return Name;
}

std::string demangle(std::string_view Name) {
  if (Name.starts_with("_Z"))
    Name = withoutCoroutinePart(Name);
  const bool Rust = isRustName(Name);
  if (!(Rust || Name.starts_with("_Z")) || Name.size() > kLongestMangled)
    return std::string(Name);
  std::string Mangled(Name);
  const auto Out = std::make_unique<Demangled>();
  Out->Most = longestName(Name.size());
  // abi::__cxa_demangle cannot be stopped, so it is not used.
  if (setjmp(Out->TooLong) != 0)
    return Mangled;
  if (Rust && rust_demangle_callback(Mangled.c_str(), DMGL_NO_OPTS, appendName,
                                     Out.get()))
    return std::move(Out->Text);
  Out->Text.clear();
  if (!Name.starts_with("_Z"))
    return Mangled;
  if (!cplus_demangle_v3_callback(Mangled.c_str(), DMGL_PARAMS | DMGL_TYPES,
                                  appendName, Out.get()))
    return withoutTags(
        demangleNewer(Mangled, longestName(Name.size())).value_or(Mangled));
  return withoutTags(std::move(Out->Text));
}

namespace {

bool isIdentifier(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) || C == '_';
}

/// Default arguments that are omitted at the end of a list.
constexpr std::string_view kDefaults[] = {
    "std::allocator<", "std::less<",     "std::char_traits<",
    "std::hash<",      "std::equal_to<", "std::default_delete<",
    "std::deque<"};
/// Templates of the C++ library with such defaults for their last parameters.
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

/// Turns `std::basic_X<char>` into `std::X`, and `std::basic_X<wchar_t>` into
/// `std::wX`; \p Space is `std::` or `std::pmr::`.
std::optional<std::string> typedefOf(std::string_view Space,
                                     std::string_view Name,
                                     const Arguments &Args) {
  constexpr std::string_view kBasic = "basic_";
  if (!Name.starts_with(kBasic) || Args.size() != 1)
    return std::nullopt;
  const std::string Rest(Name.substr(kBasic.size())), In(Space);
  if (Args[0] == "char")
    return In + Rest;
  if (Args[0] == "wchar_t")
    return In + 'w' + Rest;
  if (Rest == "string" || Rest == "string_view") {
    if (Args[0] == "char8_t")
      return In + "u8" + Rest;
    if (Args[0] == "char16_t")
      return In + "u16" + Rest;
    if (Args[0] == "char32_t")
      return In + "u32" + Rest;
  }
  return std::nullopt;
}

/// Containers that have a name in std::pmr.
bool isOfPmr(std::string_view Name, const Arguments &Args) {
  constexpr std::string_view kPmr = "std::pmr::polymorphic_allocator<";
  return Args.size() > 1 && Args.back().starts_with(kPmr) &&
         hasDefaultArguments(Name) && Name != "std::basic_stringbuf" &&
         !Name.ends_with("stream");
}

/// Rewrites `Name<Args>`, whose arguments are already simple.
std::string rewrite(std::string_view Name, Arguments Args) {
  constexpr std::string_view kStd = "std::", kPmr = "std::pmr::";
  const std::string_view Space = isOfPmr(Name, Args) ? kPmr : kStd;
  if (Space == kPmr)
    Args.pop_back();
  if (hasDefaultArguments(Name))
    while (Args.size() > 1 &&
           std::any_of(
               std::begin(kDefaults), std::end(kDefaults),
               [&](std::string_view D) { return Args.back().starts_with(D); }))
      Args.pop_back();
  if (Name.starts_with(kStd)) {
    const std::string_view Bare = Name.substr(kStd.size());
    if (auto Short = typedefOf(Space, Bare, Args))
      return *std::move(Short);
    if (Space == kPmr)
      return std::string(kPmr).append(Bare) + '<' + join(Args) + '>';
  }
  if (Name == "nlohmann::basic_json") {
    if (Args.empty() || Args[0] == "std::map")
      return "nlohmann::json";
    if (Args[0] == "nlohmann::ordered_map")
      return "nlohmann::ordered_json";
  }
  return std::string(Name) + '<' + join(Args) + '>';
}

/// Turns `Foo const *` into `const Foo *`, as compilers print types. A
/// function's type is not changed: its const at the end belongs to the
/// function.
std::string constFirst(std::string Type) {
  constexpr std::string_view kConst = " const",
                             kUnnamed = "(anonymous namespace)";
  int Depth = 0;
  for (size_t I = 0; I < Type.size(); ++I) {
    const char C = Type[I];
    const std::string_view Rest = std::string_view(Type).substr(I);
    if (C == '(' && Depth == 0 && !Rest.starts_with(kUnnamed))
      return Type;
    if (C == '<' || C == '(' || C == '[' || C == '{')
      ++Depth;
    else if (C == '>' || C == ')' || C == ']' || C == '}')
      --Depth;
    if (Depth != 0 || I == 0 || !Rest.starts_with(kConst) ||
        (Rest.size() > kConst.size() && isIdentifier(Rest[kConst.size()])))
      continue;
    Type.erase(I, kConst.size());
    return "const " + Type;
  }
  return Type;
}

/// Recursive descent over a name; fails on unknown syntax.
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
        bracket(Out, C, Depth);
      } else if ((C == '>' && (At == 0 || Text[At - 1] != '-')) || C == ')' ||
                 C == ']' || C == '}') {
        Failed = true;
      } else if (C == '\'') {
        // Unnamed entities: 'lambda'(int); or a character.
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
      } else if (C == '*' || C == '&') {
        if (!Out.empty() && (isIdentifier(Out.back()) || Out.back() == '>'))
          Out += ' ';
        Out += C;
        ++At;
        if (Text.substr(At).starts_with(" const"))
          ++At;
      } else {
        Out += C;
        ++At;
      }
    }
    return Out;
  }

  /// Takes the contents of brackets; inside parentheses, parameters.
  void bracket(std::string &Out, char Open, unsigned Depth) {
    const std::string_view Stops = Open == '(' ? ",)" : Open == '[' ? "]" : "}";
    Out += Open;
    ++At;
    while (!Failed) {
      Out += constFirst(sequence(Stops, Depth + 1));
      if (Failed || At >= Text.size()) {
        Failed = true;
        return;
      }
      Out += Text[At];
      if (Text[At++] != ',')
        return;
      for (; At < Text.size() && Text[At] == ' '; ++At)
        Out += ' ';
    }
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
      // Its symbols are not brackets.
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
        Args.push_back(constFirst(std::string(Trimmed)));
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

} // namespace

std::string simplifyName(std::string_view Name) {
  if (Name.size() > 100'000)
    return std::string(Name);
  return Simplifier(Name).run().value_or(std::string(Name));
}

bool isInStd(std::string_view Name, std::string_view Known) {
  constexpr std::string_view kStd = "std::", kPmr = "pmr::";
  if (!Name.starts_with(kStd))
    return false;
  Name.remove_prefix(kStd.size());
  if (Name.starts_with(kPmr))
    Name.remove_prefix(kPmr.size());
  return Name.starts_with(Known);
}

bool hasDefaultArguments(std::string_view Template) {
  return std::find(std::begin(kWithDefaults), std::end(kWithDefaults),
                   Template) != std::end(kWithDefaults);
}

} // namespace inmem::report
