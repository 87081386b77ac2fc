// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An object to scale, eight bytes a line.

const perLine = 8;
const mostLines = 64;
const [cell, high] = [52, 26];

/** A part of an object, and how it is drawn. */
export interface Bytes {
  from: number;
  /** Behind the last byte. */
  to: number;
  text: string;
  hint: string;
  look: string;
  /** Instead of a colour. */
  hatched?: boolean;
  opacity?: number;
}

/** The number of an object's bytes that are drawn. */
export const drawnBytes = (size: number) => Math.min(Math.ceil(size / perLine), mostLines) * perLine;

/** The parts of an object of SIZE bytes. ID is that of the pattern for hatched parts, and is the page's alone. */
export function BytePicture(props: {
  parts: Bytes[];
  size: number;
  id: string;
  look: string;
  group: string;
  label: string;
}) {
  const { parts, size, id, look, group, label } = props;
  const drawn = drawnBytes(size);
  const lines = drawn / perLine;
  return (
    <div class="wide" tabIndex={0} role="group" aria-label={group}>
      <svg
        class={`picture ${look}`}
        width={perLine * cell + 60}
        height={lines * high + 2}
        role="img"
        aria-label={label}
      >
        <defs>
          <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <line x1="0" y1="0" x2="0" y2="6" class="hole" />
          </pattern>
        </defs>
        {Array.from({ length: lines }, (_, line) => (
          <text key={`o${line}`} class="tick" x={0} y={line * high + 17}>
            {line * perLine}
          </text>
        ))}
        {parts.flatMap((part, i) => {
          const out = [];
          for (let at = part.from; at < Math.min(part.to, drawn); ) {
            const line = Math.floor(at / perLine);
            const end = Math.min(part.to, (line + 1) * perLine);
            const [x, w] = [44 + (at % perLine) * cell, (end - at) * cell - 2];
            const room = Math.floor(w / 7);
            out.push(
              <g key={`${i}-${at}`}>
                <title>{part.hint}</title>
                <rect
                  x={x}
                  y={line * high + 1}
                  width={w}
                  height={high - 3}
                  rx={3}
                  class={part.look}
                  fill={part.hatched ? `url(#${id})` : undefined}
                  fill-opacity={part.opacity}
                />
                {at === part.from && room > 2 && (
                  <text x={x + 5} y={line * high + 17}>
                    {part.text.length > room ? `${part.text.slice(0, room - 1)}…` : part.text}
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
  );
}
