// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of a class: its fields and padding, byte by byte.
import { useRef } from "preact/hooks";
import type { Side } from "../data/side";
import type { Field } from "../data/types";
import { SaveButtons } from "../ui/parts";

interface Run {
  from: number;
  to: number;
  field: Field | null;
}

/** Fields and the holes between them. */
function runsOf(fields: Field[], size: number): Run[] {
  const runs: Run[] = [];
  let at = 0;
  for (const field of [...fields].sort((a, b) => a.offset - b.offset)) {
    if (field.offset > at) runs.push({ from: at, to: field.offset, field: null });
    const to = Math.min(field.offset + Math.max(field.size, 1), size);
    if (to <= at && field.bit === 0 && field.size === 0) continue;
    runs.push({ from: field.offset, to: Math.max(to, field.offset), field });
    at = Math.max(at, to);
  }
  if (at < size) runs.push({ from: at, to: size, field: null });
  return runs;
}

export function Fields({ side, type, size }: { side: Side; type: number; size: number | null }) {
  const box = useRef<HTMLDivElement>(null);
  const known = side.head.fields[String(type)];
  if (!known || !size || known.fields.length === 0) return null;
  const runs = runsOf(known.fields, size);
  const padding = runs.reduce((sum, r) => sum + (r.field ? 0 : r.to - r.from), 0);
  const perLine = 8;
  const lines = Math.min(Math.ceil(size / perLine), 64);
  const [cell, high] = [52, 26];
  return (
    <section ref={box}>
      <div class="tools">
        <h2>Fields</h2>
        <span class="dim">
          {padding > 0 ? `${padding} of ${size} bytes are padding` : "no padding"}
          {known.packed ? `; ${known.packed.bytes} bytes in the order ${known.packed.order.join(", ")}` : ""}
        </span>
        <span class="gap" />
        <SaveButtons
          name="fields"
          of={box}
          csv={() => [
            ["name", "type", "offset", "size"],
            ...runs.map((r) => [r.field?.name ?? "(padding)", r.field?.type ?? "", r.from, r.to - r.from]),
          ]}
        />
      </div>
      <div class="wide" tabIndex={0} role="group" aria-label="Layout">
        <svg
          class="picture layout"
          width={perLine * cell + 60}
          height={lines * high + 2}
          role="img"
          aria-label={`Layout of ${size} bytes`}
        >
          <defs>
            <pattern id="hole" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <line x1="0" y1="0" x2="0" y2="6" class="hole" />
            </pattern>
          </defs>
          {Array.from({ length: lines }, (_, line) => (
            <text key={`o${line}`} class="tick" x={0} y={line * high + 17}>
              {line * perLine}
            </text>
          ))}
          {runs.flatMap((run, i) => {
            const out = [];
            for (let at = run.from; at < run.to && at < lines * perLine; ) {
              const line = Math.floor(at / perLine);
              const end = Math.min(run.to, (line + 1) * perLine);
              const [x, w] = [44 + (at % perLine) * cell, (end - at) * cell - 2];
              const text = run.field ? run.field.name || run.field.type : "padding";
              const room = Math.floor(w / 7);
              out.push(
                <g key={`${i}-${at}`}>
                  <title>{`${text}${run.field ? `: ${run.field.type}` : ""}, bytes ${run.from} to ${run.to - 1}`}</title>
                  <rect
                    x={x}
                    y={line * high + 1}
                    width={w}
                    height={high - 3}
                    rx={3}
                    class={run.field ? `field c${i % 4}` : "padding"}
                    fill={run.field ? undefined : "url(#hole)"}
                  />
                  {at === run.from && room > 2 && (
                    <text x={x + 5} y={line * high + 17}>
                      {text.length > room ? `${text.slice(0, room - 1)}…` : text}
                    </text>
                  )}
                </g>,
              );
              at = end;
            }
            return out;
          })}
        </svg>
      </div>
      {lines * perLine < size && <p class="dim">The first {lines * perLine} bytes are drawn.</p>}
    </section>
  );
}
