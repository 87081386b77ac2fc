// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The module `virtual:advice`: for each rule of findings, the lines of examples/advice/RULE.cpp
// that change with -DADVICE, as lines of a diff.
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "examples", "advice");
/** Unchanged lines that are shown before and after a change. */
const kAround = 2;

/** Lines of a program: `+` with advice alone, `-` without it alone, ` ` always. Includes are left out. */
export function linesOf(text) {
  const out = [];
  let mark = " ";
  for (const line of text.split("\n")) {
    if (/^#ifdef ADVICE/.test(line)) mark = "+";
    else if (/^#ifndef ADVICE/.test(line)) mark = "-";
    else if (/^#else/.test(line)) mark = mark === "+" ? "-" : "+";
    else if (/^#endif/.test(line)) mark = " ";
    else if (!/^#include|^\/\//.test(line)) out.push(mark + line);
  }
  return out;
}

/** The changes with some lines around; `…` where lines are left out. Old lines come before new ones. */
export function changesOf(text) {
  const lines = linesOf(text);
  const near = lines.map((_, i) => lines.slice(Math.max(0, i - kAround), i + kAround + 1).some((l) => l[0] !== " "));
  const kept = [];
  lines.forEach((line, i) => {
    if (!near[i] || (line.trim() === "" && !near[i - 1])) return;
    if (i > 0 && !near[i - 1] && kept.length > 0) kept.push(" …");
    kept.push(line);
  });
  while (kept.length > 0 && kept[kept.length - 1].trim() === "") kept.pop();
  const indent = Math.min(...kept.filter((l) => l.slice(1).trim() && l !== " …").map((l) => l.slice(1).search(/\S/)));
  const shown = kept.map((l) => (l === " …" ? l : l[0] + l.slice(1 + indent)));
  for (let i = 0; i < shown.length; ) {
    let end = i;
    while (end < shown.length && shown[end][0] !== " ") end++;
    const changed = shown.slice(i, end);
    shown.splice(i, changed.length, ...changed.filter((l) => l[0] === "-"), ...changed.filter((l) => l[0] === "+"));
    i = end + 1;
  }
  return shown;
}

export function adviceModule() {
  const name = "virtual:advice";
  return {
    name: "inmem-advice",
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load(id) {
      if (id !== `\0${name}`) return null;
      const files = readdirSync(folder).filter((f) => f.endsWith(".cpp"));
      const all = files.sort().map((f) => [basename(f, ".cpp"), changesOf(readFileSync(join(folder, f), "utf8"))]);
      return `export default ${JSON.stringify(Object.fromEntries(all))};`;
    },
  };
}
