// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes as SVG: click and Enter zoom, arrows move, a search marks.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Box, View } from "../data/tree";
import { percent } from "../format";
import { isDark } from "./parts";

const rowHeight = 19;

/** Colour of a box, the same for a name everywhere. */
function colourOf(box: Box, dark: boolean): string {
  if (box.root && box.function < 0 && box.type === null) return dark ? "#3a424e" : "#d5d9df";
  let hash = 7;
  for (let i = 0; i < box.name.length; i++) hash = (hash * 31 + box.name.charCodeAt(i)) >>> 0;
  if (box.type !== null) return `hsl(${195 + (hash % 30)} ${dark ? "38% 34%" : "60% 80%"})`;
  return `hsl(${14 + (hash % 40)} ${dark ? "42% 33%" : "78% 78%"})`;
}

export function Flame(props: {
  view: View;
  width: number;
  label: string;
  /** Callers at the bottom. */
  up: boolean;
  search: string;
  show: (value: number) => string;
  zoom: (box: Box) => void;
  /** Opens a box's own page. */
  open?: (box: Box) => void;
}) {
  const { view, width, up, search } = props;
  const [at, setAt] = useState(0);
  const [over, setOver] = useState<number | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  // Another picture, not more of the same.
  useEffect(() => setAt(0), [props.label, view.total, view.boxes[view.boxes.findLastIndex((b) => b.root)]?.key]);
  const dark = isDark();
  const wanted = search.toLowerCase();
  const marked = useMemo(
    () => (wanted ? view.boxes.map((b) => !b.root && b.full.toLowerCase().includes(wanted)) : null),
    [view, wanted],
  );
  const share = useMemo(() => {
    if (!marked) return 0;
    // Boxes inside of marked ones are parts of them.
    const spans = view.boxes.filter((_, i) => marked[i]).map((b) => [b.x, b.x + b.width]);
    spans.sort((a, b) => a[0] - b[0]);
    let sum = 0;
    let end = 0;
    for (const [from, to] of spans) {
      if (to > end) sum += to - Math.max(from, end);
      end = Math.max(end, to);
    }
    return sum;
  }, [marked]);
  const height = view.depth * rowHeight + 2;
  const y = (box: Box) => (up ? (view.depth - 1 - box.depth) * rowHeight : box.depth * rowHeight);
  const describe = (b: Box) =>
    `${b.full.length < 400 ? b.full : `${b.full.slice(0, 400)}…`}${b.place ? `, ${b.place}` : ""}: ${props.show(b.value)}, ${percent(b.value, view.total)}` +
    (b.self > 0 && b.self < b.value ? `, itself ${props.show(b.self)}` : "");
  const move = (key: string): number | null => {
    const now = view.boxes[at];
    if (!now) return null;
    const depth =
      now.depth + (key === (up ? "ArrowUp" : "ArrowDown") ? 1 : key === (up ? "ArrowDown" : "ArrowUp") ? -1 : 0);
    const level = view.boxes.map((b, i) => [b, i] as const).filter(([b]) => b.depth === depth);
    level.sort((a, b) => a[0].x - b[0].x);
    if (depth !== now.depth) {
      const inside = level.find(([b]) => b.x + b.width > now.x + 1e-12 && b.x <= now.x + now.width);
      return inside ? inside[1] : null;
    }
    const index = level.findIndex(([, i]) => i === at);
    return level[index + (key === "ArrowRight" ? 1 : -1)]?.[1] ?? null;
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key.startsWith("Arrow")) {
      const next = move(event.key);
      if (next !== null) setAt(next);
    } else if (event.key === "Enter" && view.boxes[at]) props.zoom(view.boxes[at]);
    else if (event.key === "o" && view.boxes[at]) props.open?.(view.boxes[at]);
    else return;
    event.preventDefault();
  };
  const boxAt = (event: Event): number | null => {
    const index = (event.target as Element).closest("g[data-i]")?.getAttribute("data-i");
    return index ? Number(index) : null;
  };
  const described = view.boxes[over ?? at];
  return (
    <div class="flame">
      <svg
        ref={svg}
        class="picture"
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="tree"
        aria-label={props.label}
        tabindex={0}
        aria-activedescendant={view.boxes[at] ? `box-${at}` : undefined}
        onKeyDown={onKey}
        onMouseOver={(e) => setOver(boxAt(e))}
        onMouseLeave={() => setOver(null)}
        onClick={(e) => {
          const i = boxAt(e);
          if (i === null) return;
          setAt(i);
          props.zoom(view.boxes[i]);
        }}
        onDblClick={(e) => {
          const i = boxAt(e);
          if (i !== null) props.open?.(view.boxes[i]);
        }}
      >
        {view.boxes.map((b, i) => {
          const w = b.width * width;
          const letters = Math.floor((w - 6) / 6.6);
          const text = letters >= 3 ? (b.name.length > letters ? `${b.name.slice(0, letters - 1)}…` : b.name) : "";
          const hit = marked?.[i] ?? false;
          return (
            <g
              key={b.key || "root"}
              data-i={i}
              id={`box-${i}`}
              role="treeitem"
              aria-level={b.depth + 1}
              aria-label={describe(b)}
              class={`${i === at ? "at" : ""}${marked && !hit ? " faint" : ""}${hit ? " hit" : ""}`}
            >
              <rect
                x={b.x * width}
                y={y(b)}
                width={Math.max(w - 0.6, 0.4)}
                height={rowHeight - 1}
                rx={1.5}
                fill={hit ? (dark ? "#a03ab5" : "#e58cf5") : colourOf(b, dark)}
              />
              {text && (
                <text aria-hidden="true" x={b.x * width + 4} y={y(b) + 13.5}>
                  {text}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <p class="told" aria-live="polite">
        {described ? describe(described) : ""}
        {marked ? ` · marked: ${percent(share, 1)} of what is shown` : ""}
      </p>
    </div>
  );
}
