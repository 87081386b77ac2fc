// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graph_dump.h - object profiles as text. Part of graph.h.
#ifndef INMEM_GRAPH_DUMP_H
#define INMEM_GRAPH_DUMP_H

#include "graph.h"

namespace inmem {

namespace detail {

inline std::string escaped(std::string_view Text) {
  std::string Result;
  for (char C : Text)
    switch (C) {
    case '<':
      Result += "&lt;";
      break;
    case '>':
      Result += "&gt;";
      break;
    case '&':
      Result += "&amp;";
      break;
    case '"':
      Result += "&quot;";
      break;
    default:
      Result += C;
    }
  return Result;
}

/// A quoted string for JSON and Graphviz.
inline std::string quoted(std::string_view Text) {
  std::string Result = "\"";
  for (char C : Text) {
    if (C == '"' || C == '\\')
      Result += '\\';
    if (static_cast<unsigned char>(C) < ' ') {
      char Code[8];
      std::snprintf(Code, sizeof Code, "\\u%04x", C);
      Result += Code;
    } else {
      Result += C;
    }
  }
  return Result += '"';
}

inline std::string percent(std::uint64_t Part, std::uint64_t Whole) {
  char Text[16];
  std::snprintf(Text, sizeof Text, "%.1f%%",
                Whole ? 100.0 * static_cast<double>(Part) /
                            static_cast<double>(Whole)
                      : 0.0);
  return Text;
}

inline std::string marksOf(const ObjectNode &N) {
  std::string Marks;
  if (N.refcount() > 1)
    Marks += " refcount=" + std::to_string(N.refcount());
  if (N.isGuessed())
    Marks += " guessed";
  if (!N.isOwned())
    Marks += " not owned";
  if (N.flags() & INMEM_GRAPH_WEAK)
    Marks += " weak";
  if (!N.isOnHeap() && !N.isRoot() && N.isOwned())
    Marks += " static";
  return Marks;
}

} // namespace detail

inline std::string ObjectProfile::text() const {
  Unseen Hidden;
  std::string Out;
  visitShown(
      [&](const ObjectNode &N, std::uint32_t Left) {
        std::string Size = std::to_string(N.size());
        Out.append(2 * static_cast<std::size_t>(N.depth()), ' ');
        Out +=
            Size + " (" + detail::percent(N.size(), size()) + ") " + N.field();
        if (!N.isShell())
          Out +=
              " : " + (N.type().empty() ? "?" : N.type()) + detail::marksOf(N);
        Out += '\n';
        if (!Left)
          return;
        Out.append(2 * static_cast<std::size_t>(N.depth() + 1), ' ');
        Out += "... " + std::to_string(Left) + " more, " +
               std::to_string(N.size() - N.shell()) + " bytes\n";
      },
      [](const ObjectNode &) {});
  if (truncated())
    Out += "... cut at max_objects\n";
  return Out;
}

inline std::string ObjectProfile::xml() const {
  Unseen Hidden;
  std::string Out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  visitShown(
      [&](const ObjectNode &N, std::uint32_t Left) {
        Out.append(static_cast<std::size_t>(N.depth()), ' ');
        Out += "<object field=\"" + detail::escaped(N.field()) + "\" type=\"" +
               detail::escaped(N.type()) + "\" size=\"" +
               std::to_string(N.size()) + "\" shell=\"" +
               std::to_string(N.shell()) + "\" refcount=\"" +
               std::to_string(N.refcount()) + "\"";
        if (N.isGuessed())
          Out += " guessed=\"true\"";
        if (!N.isOwned())
          Out += " owned=\"false\"";
        if (N.flags() & INMEM_GRAPH_WEAK)
          Out += " weak=\"true\"";
        if (N.isRoot() && truncated())
          Out += " truncated=\"true\"";
        if (Left)
          Out += " left_out=\"" + std::to_string(Left) + "\"";
        Out += ">\n";
      },
      [&](const ObjectNode &N) {
        Out.append(static_cast<std::size_t>(N.depth()), ' ');
        Out += "</object>\n";
      });
  return Out;
}

inline std::string ObjectProfile::json() const {
  Unseen Hidden;
  std::string Out;
  visitShown(
      [&](const ObjectNode &N, std::uint32_t Left) {
        if (!Out.empty() && Out.back() == '}')
          Out += ',';
        Out += "{\"field\":" + detail::quoted(N.field()) +
               ",\"type\":" + detail::quoted(N.type()) +
               ",\"size\":" + std::to_string(N.size()) +
               ",\"shell\":" + std::to_string(N.shell()) +
               ",\"refcount\":" + std::to_string(N.refcount());
        if (N.age())
          Out += ",\"age_ns\":" + std::to_string(N.age()->count());
        if (N.isGuessed())
          Out += ",\"guessed\":true";
        if (!N.isOwned())
          Out += ",\"owned\":false";
        if (N.flags() & INMEM_GRAPH_WEAK)
          Out += ",\"weak\":true";
        if (N.isRoot() && truncated())
          Out += ",\"truncated\":true";
        if (Left)
          Out += ",\"left_out\":" + std::to_string(Left);
        Out += ",\"children\":[";
      },
      [&](const ObjectNode &) { Out += "]}"; });
  return Out += '\n';
}

inline std::string ObjectProfile::dot() const {
  Unseen Hidden;
  std::string Out = "digraph inmem {\n  node [shape=box];\n";
  std::vector<std::size_t> Path;
  std::size_t Number = 0;
  visit(
      [&](const ObjectNode &N) {
        Out += "  n" + std::to_string(Number) + " [label=" +
               detail::quoted(N.field() + " : " + N.type() + " " +
                              std::to_string(N.size()) +
                              (N.isShell() ? "" : detail::marksOf(N))) +
               "];\n";
        if (!Path.empty())
          Out += "  n" + std::to_string(Path.back()) + " -> n" +
                 std::to_string(Number) + ";\n";
        Path.push_back(Number++);
      },
      [&](const ObjectNode &) { Path.pop_back(); });
  if (truncated())
    Out += "  label=\"cut at max_objects\";\n";
  return Out += "}\n";
}

inline std::string ObjectProfile::folded() const {
  Unseen Hidden;
  std::string Out;
  std::vector<std::string> Path;
  auto Add = [&](const char *Below, std::uint64_t Bytes) {
    for (std::size_t I = 0; Bytes && I < Path.size(); ++I)
      Out += (I ? ";" : "") + Path[I];
    if (Bytes)
      Out += Below + (' ' + std::to_string(Bytes)) + '\n';
  };
  visitShown(
      [&](const ObjectNode &N, std::uint32_t Left) {
        std::string Frame = N.field();
        std::replace(Frame.begin(), Frame.end(), ';', ',');
        Path.push_back(Frame);
        if (N.isShell())
          return;
        Add("", N.shell());
        if (Left)
          Add(";...", N.size() - N.shell());
      },
      [&](const ObjectNode &) { Path.pop_back(); });
  return Out;
}

inline std::string ObjectProfile::flame() const {
  Unseen Hidden;
  constexpr double kWidth = 1200, kRow = 18, kLeast = 0.5;
  double Whole = size() ? static_cast<double>(size()) : 1;
  unsigned Deepest = 0;
  std::string Boxes;
  std::vector<double> Next = {0};
  visit(
      [&](const ObjectNode &N) {
        const double Wide = kWidth * static_cast<double>(N.size()) / Whole;
        const double X = Next.back();
        Next.back() += Wide;
        Next.push_back(X);
        if (Wide < kLeast || N.depth() > kMostDepth)
          return false;
        Deepest = std::max(Deepest, N.depth());
        char Box[200];
        std::snprintf(
            Box, sizeof Box,
            "<g transform=\"translate(%.2f,%.0f)\"><rect "
            "width=\"%.2f\" height=\"%.0f\" fill=\"hsl(%u,70%%,"
            "75%%)\" stroke=\"white\"/>",
            X, kRow * N.depth(), Wide, kRow,
            static_cast<unsigned>(std::hash<std::string>()(N.type()) % 60));
        Boxes += Box;
        Boxes += "<title>" +
                 detail::escaped(N.path() + " : " + N.type() + ", " +
                                 std::to_string(N.size()) + " bytes, " +
                                 detail::percent(N.size(), size())) +
                 "</title>";
        const auto Letters = static_cast<std::size_t>(Wide / 7);
        if (Letters > 2)
          Boxes += "<text x=\"3\" y=\"13\">" +
                   detail::escaped(N.field().substr(0, Letters)) + "</text>";
        Boxes += "</g>\n";
        return true;
      },
      [&](const ObjectNode &) { Next.pop_back(); });
  char Head[200];
  std::snprintf(Head, sizeof Head,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
                "height=\"%.0f\" font-family=\"monospace\" "
                "font-size=\"11\">\n",
                kWidth, kRow * (Deepest + 1));
  return Head + Boxes + "</svg>\n";
}

} // namespace inmem

#endif
