// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Demangled functions, short enough for a box of a flame graph. For display only. The page has spellings as JSON has them, and
// report/names/TypeName.h, which parses them, does not run in a browser.

const strings: [RegExp, string][] = [
  [/\[abi:\w+\]/g, ""],
  [/std::__(cxx11|1|debug|ndk1)::/g, "std::"],
  [/std::basic_string<char, std::char_traits<char>, std::allocator<char> ?>/g, "std::string"],
  [/std::basic_string<char>/g, "std::string"],
  [/\(anonymous namespace\)::/g, ""],
];

/** Where the bracket that opens at `from` closes. */
function closing(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    if (text[i] === "<" || text[i] === "(") depth++;
    else if ((text[i] === ">" && text[i - 1] !== "-") || text[i] === ")") {
      depth--;
      if (depth === 0) return i;
    }
  }
  return -1;
}

/** Drops the type of the result, which ends at the last space outside of brackets. */
function withoutResult(name: string): string {
  const operator = name.search(/\boperator\b/);
  const end = operator >= 0 ? operator : name.length;
  let depth = 0;
  let cut = 0;
  for (let i = 0; i < end; i++) {
    if ("<({".includes(name[i])) depth++;
    else if (">)}".includes(name[i])) depth--;
    else if (name[i] === " " && depth === 0) cut = i + 1;
  }
  return name.startsWith("(") ? name : name.slice(cut);
}

const cache = new Map<string, string>();

/** A function's name without parameters, the type of the result and long template arguments. */
export function shortName(full: string): string {
  const known = cache.get(full);
  if (known !== undefined) return known;
  let name = full.length > 4000 ? full.slice(0, 4000) : full;
  for (const [what, by] of strings) name = name.replace(what, by);
  let out = "";
  for (let i = 0; i < name.length; ) {
    const operator = /^operator\s*(\(\)|<<=?|>>=?|<=>|<=?|>=?|->\*?)/.exec(name.slice(i, i + 14));
    if (operator && !/\w$/.test(out)) {
      out += operator[0];
      i += operator[0].length;
      continue;
    }
    const char = name[i];
    if (char === "{") {
      const end = name.indexOf("}", i);
      const to = end < 0 ? name.length : end + 1;
      out += name.slice(i, to);
      i = to;
      continue;
    }
    if (char === "(" && out !== "" && !out.endsWith("(")) {
      const end = closing(name, i);
      if (end < 0) break;
      if (/\bdecltype$/.test(out)) {
        out += name.slice(i, end + 1);
        i = end + 1;
        continue;
      }
      if (name.startsWith("::", end + 1)) {
        i = end + 1; // of a function that holds a lambda or a class
        continue;
      }
      break;
    }
    if (char === "<") {
      const end = closing(name, i);
      if (end < 0) {
        out += char;
        i++;
        continue;
      }
      const inside = name.slice(i, end + 1);
      out += inside.length <= 28 ? inside : "<…>";
      i = end + 1;
      continue;
    }
    out += char;
    i++;
  }
  out = withoutResult(out);
  out = out.trim() || full;
  cache.set(full, out);
  return out;
}
