// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// names.h - names of types, functions and source locations as a programmer
// writes them. Part of scope.h. Reports parse whole spellings
// (report/names/TypeName.h). This header only replaces text, to keep that
// parser out of users' programs.
#ifndef INMEM_DETAIL_NAMES_H
#define INMEM_DETAIL_NAMES_H

#include "../scope_api.h"
#include "demangle.h"
#include "glob.h"
#include "library_types.h"

#include <string>

namespace inmem::detail {

/// The position after the bracket that closes the one at \p Open.
inline std::size_t behindBracket(std::string_view Text, std::size_t Open) {
  int Depth = 0;
  for (std::size_t I = Open; I < Text.size(); ++I) {
    char C = Text[I];
    if (C == '<' || C == '(' || C == '[' || C == '{')
      ++Depth;
    else if ((C == '>' && (I == 0 || Text[I - 1] != '-')) || C == ')' ||
             C == ']' || C == '}')
      if (--Depth == 0)
        return I + 1;
  }
  return Text.size();
}

inline void replaceAll(std::string &Text, std::string_view From,
                       std::string_view To) {
  for (std::size_t At = 0; (At = Text.find(From, At)) != std::string::npos;
       At += To.size())
    Text.replace(At, From.size(), To);
}

/// A C++ name as a programmer would write it, without inline namespaces and
/// default template arguments (allocators, comparisons).
inline std::string plainName(std::string Name) {
  for (const char *Inline : {"std::__cxx11::", "std::__1::"})
    replaceAll(Name, Inline, "std::");
  for (const char *Default :
       {", std::allocator<", ", std::char_traits<", ", std::less<",
        ", std::hash<", ", std::equal_to<", ", std::default_delete<"})
    for (std::size_t At = 0;
         (At = Name.find(Default, At)) != std::string::npos;) {
      std::size_t End = behindBracket(Name, Name.find('<', At));
      std::size_t Next = Name.find_first_not_of(' ', End);
      if (Next != std::string::npos && (Name[Next] == '>' || Name[Next] == ','))
        Name.erase(At, End - At);
      else
        ++At;
    }
  replaceAll(Name, " >", ">");
  replaceAll(Name, "std::basic_string<char>", "std::string");
  return Name;
}

/// A function's name without its return type and parameters.
inline std::string functionName(const char *Linkage) {
  std::string Name = plainName(demangled(Linkage));
  // Finds the parenthesis of the parameters: skips "(anonymous namespace)" and
  // the one that belongs to "operator()".
  std::size_t Start = 0, I = 0;
  while (I < Name.size()) {
    if (Name.compare(I, 21, "(anonymous namespace)") == 0) {
      I += 21;
    } else if (Name.compare(I, 8, "operator") == 0) {
      I = Name.find('(', I + 8 + 2 * (Name[I + 8] == '('));
      if (I > Name.size())
        I = Name.size();
    } else if (Name[I] == '(') {
      std::size_t End = behindBracket(Name, I);
      if (Name.compare(End, 2, "::") != 0) {
        Name.erase(I);
        break;
      }
      I = End; // a function within a function: f(int)::{lambda()#1}
    } else if (Name[I] == '<' || Name[I] == '{') {
      I = behindBracket(Name, I);
    } else {
      if (Name[I] == ' ')
        Start = I + 1;
      ++I;
    }
  }
  return Name.substr(Start);
}

/// The last two parts of a path.
inline std::string shortPath(std::string_view Path) {
  std::size_t Slash = Path.rfind('/');
  if (Slash != std::string_view::npos && Slash > 0) {
    std::size_t Before = Path.rfind('/', Slash - 1);
    if (Before != std::string_view::npos)
      return std::string(Path.substr(Before + 1));
  }
  return std::string(Path);
}

inline bool isOfSystem(const inmem_source_location &Where) {
  if (!Where.file)
    return true;
  const std::string_view File = Where.file;
  const std::string_view Function = Where.function ? Where.function : "";
  return File.compare(0, 5, "/usr/") == 0 ||
         Function.compare(0, 5, "_ZNSt") == 0 ||
         Function.compare(0, 4, "_ZSt") == 0 ||
         File.find("/../include/c++/") != File.npos;
}

/// The source location in the program's own code that allocated the block, such
/// as "make  src/a.cpp:12".
inline std::string placeName(const inmem_scope_site &Site) {
  const inmem_source_location *Best =
      Site.caller ? Site.places + (Site.caller - 1) : nullptr;
  for (uint32_t I = 0; !Best && I < Site.place_count; ++I)
    if (!isOfSystem(Site.places[I]))
      Best = &Site.places[I];
  if (!Best && Site.return_address) {
    const char *Symbol = Site.place_count ? Site.places[0].function : nullptr;
    std::string Name = Symbol ? functionName(Symbol) + " " : "";
    return Name + (Site.module
                       ? shortPath(Site.module)
                             .substr(shortPath(Site.module).rfind('/') + 1)
                       : "(unknown code)");
  }
  if (!Site.place_count)
    return "(code that is no longer loaded)";
  if (!Best)
    Best = Site.places;
  std::string Name = Best->function ? functionName(Best->function) : "?";
  if (Best->file)
    Name += " " + shortPath(Best->file) + ":" + std::to_string(Best->line);
  return Name;
}

/// True if one of the functions (linkage names, one per line) belongs to the
/// namespace with the mangled name \p Space ("7testing"), or is a template of
/// the standard library instantiated for it.
inline bool isOfNamespace(const std::string &Functions, const char *Space) {
  for (std::size_t Line = 0; Line < Functions.size();) {
    std::size_t End = Functions.find('\n', Line);
    if (End == Functions.npos)
      End = Functions.size();
    std::string Name = Functions.substr(Line, End - Line);
    Line = End + 1;
    std::size_t Start = Name.compare(0, 4, "_ZNK") == 0 ? 4 : 3;
    bool OfStd =
        Name.compare(0, 4, "_ZSt") == 0 || Name.compare(Start, 2, "St") == 0;
    if (Name.compare(0, 3, "_ZN") == 0 &&
        Name.compare(Start, std::string_view(Space).size(), Space) == 0)
      return true;
    if (OfStd && Name.find("N" + std::string(Space)) != Name.npos)
      return true;
  }
  return false;
}

inline std::string typeName(const char *Type) {
  return Type ? plainName(Type) : "(unknown type)";
}

/// Takes the name with its length, such as 12basic_string, from the front of
/// the rest of a linkage name; empty if there is none.
inline std::string_view takeName(std::string_view &Rest) {
  std::size_t Length = 0, I = 0;
  for (; I < Rest.size() && Rest[I] >= '0' && Rest[I] <= '9' && I < 4; ++I)
    Length = Length * 10 + static_cast<std::size_t>(Rest[I] - '0');
  if (Length > Rest.size() - I)
    return {};
  const std::string_view Name = Rest.substr(I, Length);
  Rest.remove_prefix(I + Length);
  return Name;
}

/// The type of a block that compiled code of the C++ library allocated, as in
/// reports (report/names/LibraryNames.cpp): its strings and their streams
/// allocate only characters. Null if unknown.
inline const char *typeInLibrary(const inmem_scope_site &Site) {
  const char *Function = Site.place_count ? Site.places[0].function : nullptr;
  std::string_view File = Site.module ? Site.module : "";
  File.remove_prefix(File.rfind('/') + 1);
  if (Site.type || !Site.return_address || !Function ||
      (File.compare(0, 12, "libstdc++.so") != 0 &&
       File.compare(0, 9, "libc++.so") != 0))
    return nullptr;
  std::string_view Name = Function;
  if (Name.compare(0, 3, "_ZN") != 0)
    return nullptr;
  Name.remove_prefix(Name.compare(0, 4, "_ZNK") == 0 ? 4 : 3);
  if (Name.compare(0, 2, "St") != 0)
    return nullptr;
  Name.remove_prefix(2);
  std::string_view Space, Class = takeName(Name);
  if (Class.compare(0, 2, "__") == 0) {
    Space = Class;
    Class = takeName(Name);
  }
  if (allocatesCharacters(Space, Class) && Name.size() > 1 && Name[0] == 'I')
    return Name[1] == 'c' ? "char" : Name[1] == 'w' ? "wchar_t" : nullptr;
  return nullptr;
}

inline std::string typeName(const inmem_scope_site &Site) {
  const char *OfLibrary = typeInLibrary(Site);
  return typeName(OfLibrary ? OfLibrary : Site.type);
}

/// The name of T, for messages.
template <class T> std::string nameOf() {
  std::string_view Text = __PRETTY_FUNCTION__;
  std::size_t Start = Text.find("T = ") + 4;
  return plainName(std::string(Text.substr(Start, Text.rfind(']') - Start)));
}

} // namespace inmem::detail

#endif
