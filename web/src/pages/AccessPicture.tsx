// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accesses=on: an object of the class to scale, its bytes coloured by how often they are read.
import { useRef } from "preact/hooks";
import { hintOf, nameOf, readsOf, useOf } from "../data/accesses";
import type { Field, Stream } from "../data/schema/report";
import type { Side } from "../data/side";
import { count, percent, placeText } from "../format";
import { SaveButtons } from "../ui/parts";
import { AccessTable } from "./AccessTable";

export function Accesses({ side, type, size }: { side: Side; type: number; size: number | null }) {
  const box = useRef<HTMLDivElement>(null);
  const row = side.report.types[type];
  const fields = row.fields;
  if (!fields || !size) return null;
  const unread = fields.reduce((sum, f) => sum + (useOf(f) === "unread" ? f.bytes : 0), 0);
  return (
    <section ref={box}>
      <div class="tools">
        <h2>Reads and writes</h2>
        <span class="dim">
          {unread > 0 ? `${unread} of ${size} bytes are never read` : "every field is read, or may be"}
        </span>
        <span class="gap" />
        <SaveButtons
          name="accesses"
          of={box}
          csv={() => [
            ["field", "type", "offset", "bytes", "reads", "writes", "copies", "line"],
            ...fields.map((f) => [
              nameOf(f),
              f.type ?? "",
              f.offset,
              f.bytes,
              f.reads ?? "",
              f.writes ?? "",
              f.copies ?? "",
              f.hottest?.line ? placeText(f.hottest.file, f.hottest.line) : "",
            ]),
          ]}
        />
      </div>
      <Picture fields={fields} size={size} />
      <AccessTable fields={fields} />
      {row.streams && <Loops streams={row.streams} size={size} />}
    </section>
  );
}

/** Eight bytes a line; the more reads, the stronger the colour. Fields that nothing reads are hatched. */
function Picture({ fields, size }: { fields: Field[]; size: number }) {
  const perLine = 8;
  const lines = Math.min(Math.ceil(size / perLine), 64);
  const [cell, high] = [52, 26];
  const most = Math.max(...fields.map(readsOf), 1);
  return (
    <>
      <div class="wide" tabIndex={0} role="group" aria-label="Reads of each byte">
        <svg
          class="picture layout reads"
          width={perLine * cell + 60}
          height={lines * high + 2}
          role="img"
          aria-label={`An object of ${size} bytes, coloured by reads`}
        >
          <defs>
            <pattern id="never" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <line x1="0" y1="0" x2="0" y2="6" class="hole" />
            </pattern>
          </defs>
          {Array.from({ length: lines }, (_, line) => (
            <text key={`o${line}`} class="tick" x={0} y={line * high + 17}>
              {line * perLine}
            </text>
          ))}
          {fields.flatMap((field, i) => {
            const out = [];
            const use = useOf(field);
            const share = Math.log1p(readsOf(field)) / Math.log1p(most);
            const until = Math.min(field.offset + field.bytes, lines * perLine);
            for (let at = field.offset; at < until; ) {
              const line = Math.floor(at / perLine);
              const end = Math.min(until, (line + 1) * perLine);
              const [x, w] = [44 + (at % perLine) * cell, (end - at) * cell - 2];
              const text = `${nameOf(field)}${use === "unseen" ? " ?" : ""}`;
              const room = Math.floor(w / 7);
              out.push(
                <g key={`${i}-${at}`}>
                  <title>{hintOf(field)}</title>
                  <rect
                    x={x}
                    y={line * high + 1}
                    width={w}
                    height={high - 3}
                    rx={3}
                    class={use}
                    fill={use === "unread" ? "url(#never)" : undefined}
                    fill-opacity={use === "read" ? 0.12 + 0.6 * share : undefined}
                  />
                  {at === field.offset && room > 2 && (
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
      <p class="dim">
        The stronger the colour, the more reads. Hatched: never read in this run. ?: code that does not name the field
        may read it.
        {lines * perLine < size ? ` The first ${lines * perLine} bytes are drawn.` : ""}
      </p>
    </>
  );
}

/** Loops over arrays of the class. */
function Loops({ streams, size }: { streams: Stream[]; size: number }) {
  return (
    <>
      <h3>Loops over its arrays</h3>
      <ul class="plain">
        {streams.slice(0, 20).map((loop) => (
          <li key={`${loop.loop.file}:${loop.loop.line}`}>
            {loop.loop.function} <span class="dim">{placeText(loop.loop.file, loop.loop.line)}</span>:{" "}
            {count(loop.elements)} elements, {percent(loop.accessed_bytes, loop.elements * size)} of their bytes:{" "}
            {loop.fields.join(", ")}
          </li>
        ))}
      </ul>
    </>
  );
}
