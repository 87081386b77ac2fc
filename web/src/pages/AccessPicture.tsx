// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accesses=on: an object of the class to scale, its bytes coloured by how often they are read.
import { useRef } from "preact/hooks";
import { hintOf, nameOf, readsOf, useOf } from "../data/accesses";
import type { Field, Stream } from "../data/schema/report";
import type { Side } from "../data/side";
import { count, percent, placeText } from "../format";
import { SaveButtons } from "../ui/parts";
import { AccessTable } from "./AccessTable";
import { BytePicture, type Bytes, drawnBytes } from "./BytePicture";

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

/** The more reads, the stronger the colour. Fields that nothing reads are hatched. */
function Picture({ fields, size }: { fields: Field[]; size: number }) {
  const most = Math.max(...fields.map(readsOf), 1);
  const parts = fields.map((field): Bytes => {
    const use = useOf(field);
    const share = Math.log1p(readsOf(field)) / Math.log1p(most);
    return {
      from: field.offset,
      to: field.offset + field.bytes,
      text: `${nameOf(field)}${use === "unseen" ? " ?" : ""}`,
      hint: hintOf(field),
      look: use,
      hatched: use === "unread",
      opacity: use === "read" ? 0.12 + 0.6 * share : undefined,
    };
  });
  const drawn = drawnBytes(size);
  return (
    <>
      <BytePicture
        parts={parts}
        size={size}
        id="never"
        look="layout reads"
        group="Reads of each byte"
        label={`An object of ${size} bytes, coloured by reads`}
      />
      <p class="dim">
        The stronger the colour, the more reads. Hatched: never read in this run. ?: code that does not name the field
        may read it.
        {drawn < size ? ` The first ${drawn} bytes are drawn.` : ""}
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
