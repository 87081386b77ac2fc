// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of a class: its fields and padding, byte by byte.
import { useRef } from "preact/hooks";
import type { Side } from "../data/side";
import type { Field } from "../data/types";
import { SaveButtons } from "../ui/parts";
import { BytePicture, type Bytes, drawnBytes } from "./BytePicture";

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
  const drawn = drawnBytes(size);
  const parts = runs.map(({ from, to, field }, i): Bytes => {
    const text = field ? field.name || field.type : "padding";
    return {
      from,
      to,
      text,
      hint: `${text}${field ? `: ${field.type}` : ""}, bytes ${from} to ${to - 1}`,
      look: field ? `field c${i % 4}` : "padding",
      hatched: !field,
    };
  });
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
      <BytePicture parts={parts} size={size} id="hole" look="layout" group="Layout" label={`Layout of ${size} bytes`} />
      {drawn < size && <p class="dim">The first {drawn} bytes are drawn.</p>}
    </section>
  );
}
