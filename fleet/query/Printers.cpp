//===- Printers.cpp - Answers as text, CSV, JSON and a page ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/query/Question.h"

#include "report/base/Words.h"
#include "report/compare/Budget.h"
#include "report/formats/Json.h"

#include <algorithm>

namespace inmem::fleet {

using report::Json;

static bool isNumber(Shape S) {
  return S == Shape::Integer || S == Shape::Real;
}

/// Groups digits by three for readability.
static std::string grouped(const std::string &Number) {
  const size_t First = Number.starts_with('-') ? 1 : 0;
  if (Number.find_first_not_of("0123456789", First) != std::string::npos)
    return Number;
  std::string Out;
  for (size_t I = 0; I < Number.size(); ++I) {
    if (I > First && (Number.size() - I) % 3 == 0)
      Out += ' ';
    Out += Number[I];
  }
  return Out;
}

/// Ids are not counts.
static bool isCount(const QueryResult::Column &C) {
  return C.Is == Shape::Integer && !C.Name.ends_with("_id") && C.Name != "line";
}

std::string resultText(const QueryResult &A, const report::Style &S) {
  report::Table Out;
  bool First = true;
  for (const QueryResult::Column &C : A.Columns) {
    const bool Flexible = C.Is == Shape::Text;
    Out.column({.Title = C.Name,
                .Right = isNumber(C.Is),
                .Flexible = Flexible,
                .Importance = First ? 0u : 1u,
                .With = report::Paint::None,
                .Fit = Flexible ? report::shortenName : nullptr,
                .Narrowest = 12});
    First = false;
  }
  for (const auto &Row : A.Rows) {
    std::vector<std::string> Cells;
    for (size_t C = 0; C < Row.size(); ++C) {
      if (!Row[C])
        Cells.emplace_back("-");
      else
        Cells.push_back(isCount(A.Columns[C]) ? grouped(*Row[C])
                                              : report::printable(S, *Row[C]));
    }
    Out.row(std::move(Cells));
  }
  return A.Rows.empty() ? "  no rows\n" : Out.render(S);
}

std::string resultCsv(const QueryResult &A) {
  const auto Cell = [](const std::string &Text) {
    if (Text.find_first_of(",\"\r\n") == std::string::npos)
      return Text;
    std::string Out = "\"";
    for (const char C : Text)
      (Out += C == '"' ? "\"" : "") += C;
    return Out + '"';
  };
  std::string Out;
  for (const QueryResult::Column &C : A.Columns)
    (Out += &C == A.Columns.data() ? "" : ",") += Cell(C.Name);
  Out += '\n';
  for (const auto &Row : A.Rows) {
    for (size_t C = 0; C < Row.size(); ++C)
      (Out += C == 0 ? "" : ",") += Cell(Row[C].value_or(""));
    Out += '\n';
  }
  return Out;
}

std::string resultJson(const QueryResult &A) {
  const auto Text = [](const std::string &Of) {
    return Json(Of).dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string Out = "[";
  for (const auto &Row : A.Rows) {
    Out += Out.size() > 1 ? ",\n {" : "\n {";
    for (size_t C = 0; C < Row.size(); ++C) {
      Out += C == 0 ? "" : ", ";
      (Out += Text(A.Columns[C].Name)) += ": ";
      const bool Bare = A.Columns[C].Is != Shape::Text && Row[C] &&
                        Json::accept(*Row[C]); // false for `inf` and `nan`
      Out += !Row[C] ? "null" : Bare ? *Row[C] : Text(*Row[C]);
    }
    Out += '}';
  }
  return Out + (A.Rows.empty() ? "]\n" : "\n]\n");
}

trace::Result<std::string> resultBudget(const QueryResult &A) {
  const auto Type =
      std::ranges::find(A.Columns, "type", &QueryResult::Column::Name);
  if (Type == A.Columns.end() || A.Columns.size() < 2)
    return trace::Status::error(
        "", "--format budget: expected the column type, and others that are "
            "called like limits of a budget, such as bytes");
  std::string Out = "schema = \"inmem-budget/1\"\n";
  for (const auto &Row : A.Rows) {
    const auto &Name = Row[static_cast<size_t>(Type - A.Columns.begin())];
    Out += Name
               ? "\n[types." + report::tomlQuoted(report::globOf(*Name)) + "]\n"
               : "\n[totals]\n";
    for (size_t C = 0; C < Row.size(); ++C) {
      const QueryResult::Column &Of = A.Columns[C];
      if (&Of == &*Type || !Row[C])
        continue;
      const bool Time = Of.Name.starts_with("lifetime_");
      if (Of.Is != Shape::Integer)
        return trace::Status::error("", "--format budget: " + Of.Name +
                                            " is not an integer");
      Out +=
          Of.Name + " = " + (Time ? '"' + *Row[C] + " ns\"" : *Row[C]) + '\n';
    }
  }
  if (const auto Read = report::parseBudget(Out, "--format budget"); !Read)
    return Read.status();
  return Out;
}

static std::string escaped(std::string_view Text) {
  std::string Out;
  for (const char C : Text) {
    if (C == '&')
      Out += "&amp;";
    else if (C == '<')
      Out += "&lt;";
    else if (C == '>')
      Out += "&gt;";
    else if (C == '"')
      Out += "&quot;";
    else
      Out += C;
  }
  return Out;
}

static std::string shown(const Parameter &P) {
  if (const auto *Whole = std::get_if<int64_t>(&P.Value))
    return std::to_string(*Whole);
  if (const auto *Real = std::get_if<double>(&P.Value))
    return std::to_string(*Real);
  return std::get<std::string>(P.Value);
}

namespace {

constexpr char kPageHead[] = R"(<!doctype html>
<html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<style>
:root { color-scheme: light dark; --bar: #4a7dbd40; --line: #8884 }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: left; overflow-wrap: anywhere }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
td.n { background: linear-gradient(to left, var(--bar) var(--share, 0%), transparent 0) }
th button { all: unset; cursor: pointer; font-weight: 600 }
th button:focus-visible { outline: 2px solid }
pre { overflow-x: auto; font-size: 13px }
</style>
)";

constexpr char kPageEnd[] = R"(<script>
document.querySelectorAll("th button").forEach((button, column) => {
  let up = true;
  button.onclick = () => {
    const body = document.querySelector("tbody"), number = button.parentNode.className === "n";
    const key = row => row.cells[column].dataset.v ?? row.cells[column].textContent;
    const rows = [...body.rows].sort((a, b) => number ? key(b) - key(a) : key(a).localeCompare(key(b)));
    up = !up;
    body.append(...(up ? rows.reverse() : rows));
  };
});
</script>
</html>
)";

/// The largest value of each column of counts: the length of the bars.
std::vector<double> largestOf(const QueryResult &A) {
  std::vector<double> Out(A.Columns.size(), 0);
  for (const auto &Row : A.Rows)
    for (size_t C = 0; C < Row.size(); ++C)
      if (Row[C] && isCount(A.Columns[C]))
        Out[C] = std::max(Out[C], std::strtod(Row[C]->c_str(), nullptr));
  return Out;
}

} // namespace

std::string resultPage(const QueryResult &A, const Question &Q,
                       const std::vector<Parameter> &Given) {
  const std::string Title = Q.Name.empty() ? "inmem query" : Q.Name;
  std::string Out = kPageHead;
  Out += "<title>" + escaped(Title) + "</title>\n<h1>" + escaped(Title) +
         "</h1>\n<p>" + escaped(Q.Help) + "</p>\n<p>";
  for (const Parameter &P : Given)
    Out += (&P == Given.data() ? "" : " · ") + escaped(P.Name) + " = " +
           escaped(shown(P));
  Out += "</p>\n<table><thead><tr>";
  for (const QueryResult::Column &C : A.Columns)
    Out += std::string("<th") + (isNumber(C.Is) ? " class=\"n\"" : "") +
           "><button>" + escaped(C.Name) + "</button>";
  Out += "</thead><tbody>\n";
  const std::vector<double> Largest = largestOf(A);
  for (const auto &Row : A.Rows) {
    Out += "<tr>";
    for (size_t C = 0; C < Row.size(); ++C) {
      const std::string Value = Row[C].value_or("");
      if (!isNumber(A.Columns[C].Is)) {
        Out += "<td>" + escaped(Value);
        continue;
      }
      Out += "<td class=\"n\" data-v=\"" + escaped(Value) + '"';
      if (Largest[C] > 0) {
        const double Share =
            std::max(0.0, std::strtod(Value.c_str(), nullptr)) / Largest[C];
        Out += " style=\"--share:" +
               std::to_string(static_cast<int>(Share * 100)) + "%\"";
      }
      Out += '>' + (isCount(A.Columns[C]) ? grouped(Value) : escaped(Value));
    }
    Out += '\n';
  }
  return Out + "</tbody></table>\n<details><summary>SQL</summary><pre>" +
         escaped(Q.Sql) + "</pre></details>\n" + kPageEnd;
}

} // namespace inmem::fleet
