// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes as SVG: click and Enter zoom or unfold, arrows move, a search marks.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Box, View } from "../data/tree";
import { percent } from "../format";
import { boxColour } from "./colours";
import { isDark } from "./parts";

const rowHeight = 19;

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
  const figures = (b: Box) => {
    if (b.two) {
      const { old, now } = b.two;
      const sign = now > old ? "+" : "-";
      const by = Math.abs(now - old);
      const share = old > 0 ? ` (${sign}${percent(by, old)})` : "";
      return `${props.show(old)} before, ${props.show(now)} now${by > 0 ? `, ${sign}${props.show(by)}${share}` : ""}`;
    }
    return (
      `${props.show(b.value)}, ${percent(b.value, view.total)}` +
      (b.self > 0 && b.self < b.value ? `, itself ${props.show(b.self)}` : "")
    );
  };
  const rest = (b: Box) =>
    `${b.place ? `, ${b.place}` : ""}: ${figures(b)}` +
    (b.folded > 0 ? `; ${b.folded} library ${b.folded > 1 ? "frames" : "frame"} folded, a click unfolds` : "");
  const cut = (text: string) => (text.length < 400 ? text : `${text.slice(0, 400)}…`);
  const describe = (b: Box) => cut(b.full) + rest(b);
  /** The text inside a box. */
  const labelOf = (b: Box) => cut(b.name) + (b.folded > 0 ? " ▸" : "");
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
          const text = w > 26 ? labelOf(b) : "";
          const hit = marked?.[i] ?? false;
          return (
            <g
              key={b.key || "root"}
              data-i={i}
              id={`box-${i}`}
              role="treeitem"
              aria-level={b.depth + 1}
              aria-label={b.full.includes(labelOf(b)) ? describe(b) : labelOf(b) + rest(b)}
              class={`${b.folded > 0 ? "folded" : ""}${i === at ? " at" : ""}${marked && !hit ? " faint" : ""}${hit ? " hit" : ""}`}
            >
              <rect
                x={b.x * width}
                y={y(b)}
                width={Math.max(w - 0.6, 0.4)}
                height={rowHeight - 1}
                rx={1.5}
                fill={hit ? (dark ? "#a03ab5" : "#e58cf5") : boxColour(b, dark)}
              />
              {text && (
                <svg aria-hidden="true" x={b.x * width + 4} y={y(b)} width={w - 7} height={rowHeight} overflow="hidden">
                  <text y={13.5}>{text}</text>
                </svg>
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
