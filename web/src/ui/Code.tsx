// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of source around the one that allocates, and lines of a change.
import { editorLink, useScope } from "../state";

/** Why a file's text is not in the page. */
export const noSource =
  "The text of this file is not in the page: it was not there, belongs to the system, or --no-source was given.";

const expanded = (line: string) => line.replaceAll("\t", "    ").trimEnd();

/** Indentation that all lines share is left out. */
function withoutIndent(lines: string[]): string[] {
  const indent = Math.min(...lines.filter((l) => l.trim()).map((l) => l.search(/\S/)));
  return Number.isFinite(indent) ? lines.map((l) => l.slice(indent)) : lines;
}

/** `warm`: other lines that allocate for the same reason. */
export function Code({ file, line, warm = [] }: { file: string; line: number; warm?: readonly number[] }) {
  const { side } = useScope();
  const around = 3;
  const text = side.head.sources.find((s) => s.file === file)?.text;
  if (text === undefined) return <p class="dim">{noSource}</p>;
  const all = text.split("\n");
  if (line < 1 || line > all.length) return <p class="dim">The file has changed since: it has no line {line}.</p>;
  const first = Math.max(1, line - around);
  const shown = withoutIndent(all.slice(first - 1, line + around).map(expanded));
  return (
    <ol class="lines" aria-label={`${file}, line ${line}`}>
      {shown.map((words, i) => {
        const number = first + i;
        const state = number === line ? "hot" : warm.includes(number) ? "warm" : "";
        return (
          <li key={number} class={state} aria-current={number === line ? "true" : undefined}>
            <span class="number">{number}</span>
            <code>{words || " "}</code>
          </li>
        );
      })}
    </ol>
  );
}

/** Lines that begin with `-`, `+` or a blank. */
export function Change({ lines, label }: { lines: readonly string[]; label: string }) {
  const words = { "-": "before: ", "+": "after: ", " ": "" } as Record<string, string>;
  return (
    <ol class="lines" aria-label={label}>
      {lines.map((line, i) => (
        <li key={`${i}`} class={line[0] === "-" ? "old" : line[0] === "+" ? "now" : ""}>
          <span class="number" aria-hidden="true">
            {line[0].replace("-", "−")}
          </span>
          <code>
            {words[line[0]] && <span class="hide">{words[line[0]]}</span>}
            {line.slice(1) || " "}
          </code>
        </li>
      ))}
    </ol>
  );
}

/** A link that opens a line in the user's editor; nothing where that is not known. */
export function EditorLink({ file, line }: { file: string; line: number | null }) {
  const link = editorLink(useScope(), file, line);
  return link ? (
    <a class="editor" href={link}>
      open in editor
    </a>
  ) : null;
}
