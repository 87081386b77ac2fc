// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small things that pages share.
import { type ComponentChildren, options } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { saveCsv, saveDrawing, savePng, saveSvg } from "../save";

/** True if the page is dark now. */
export const isDark = (): boolean => {
  const theme = document.documentElement.dataset.theme;
  return theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
};

/** Okabe and Ito's colours, which the colour-blind can distinguish, without black. */
export const palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800", "#7b5ea7"];
export const greyColour = "#8a8f98";

export function Tile({ title, value, hint }: { title: string; value: string; hint?: string }) {
  return (
    <div class="tile" title={hint}>
      <dt>{title}</dt>
      <dd>{value}</dd>
    </div>
  );
}

export const Tiles = ({ children }: { children: ComponentChildren }) => <dl class="tiles">{children}</dl>;

export const Empty = ({ children }: { children: ComponentChildren }) => <p class="empty">{children}</p>;

/** A line of choices of which one holds. */
export function Choice<T extends string>(props: {
  label: string;
  value: T;
  of: readonly (readonly [T, string])[];
  set: (value: T) => void;
}) {
  return (
    <fieldset class="choice">
      <legend class="hide">{props.label}</legend>
      {props.of.map(([value, title]) => (
        <button key={value} type="button" aria-pressed={value === props.value} onClick={() => props.set(value)}>
          {title}
        </button>
      ))}
    </fieldset>
  );
}

/** The width of what it is put into. */
export function useWidth<E extends HTMLElement>(): [preact.RefObject<E | null>, number] {
  const ref = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    setWidth(Math.floor(element.clientWidth));
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

/** Buttons that save the picture inside of `of`; as SVG what `draw` makes, where that is a canvas. */
export function SaveButtons(props: {
  name: string;
  of: preact.RefObject<HTMLElement | null>;
  csv?: () => unknown[][];
  draw?: () => SVGElement;
}) {
  const svg = () => props.of.current?.querySelector<SVGSVGElement>("svg.picture");
  const canvas = () => props.of.current?.querySelector("canvas");
  return (
    <span class="save">
      {props.csv && (
        <button type="button" onClick={() => saveCsv(props.name, props.csv!())}>
          CSV
        </button>
      )}
      <button
        type="button"
        onClick={() => {
          const from = svg() ?? canvas();
          if (from) void savePng(props.name, from);
        }}
      >
        PNG
      </button>
      <button
        type="button"
        onClick={() => {
          const from = svg();
          if (from) saveSvg(props.name, from);
          else if (props.draw) saveDrawing(props.name, props.draw());
        }}
      >
        SVG
      </button>
    </span>
  );
}

/** A source location. Where there is too little room, folders are cut at the left: file and line stay. */
export function PlaceText({ text }: { text: string }) {
  const slash = text.lastIndexOf("/");
  return (
    <span class="place">
      {slash >= 0 && (
        <span class="folders">
          <bdi>{text.slice(0, slash + 1)}</bdi>
        </span>
      )}
      <span class="file">{text.slice(slash + 1)}</span>
    </span>
  );
}

/** Where there is too little room, the front is cut at its end; what follows it stays. */
export const CutText = ({ front, end }: { front: string; end: string }) => (
  <span class="cut">
    <span class="front">{front}</span>
    {end && <span class="end">{end}</span>}
  </span>
);

/** A type, of which template arguments are cut first. */
export function TypeText({ name }: { name: string }) {
  const close = name.lastIndexOf(">");
  const at = close < 1 || name.length - close > 24 ? name.length : close;
  return <CutText front={name.slice(0, at)} end={name.slice(at)} />;
}

/** A bar for a share, with its text next to it. */
export const Share = ({ part, children }: { part: number; children: ComponentChildren }) => (
  <span class="share">
    <span class="bar" aria-hidden="true">
      <span style={{ width: `${Math.max(0, Math.min(1, part)) * 100}%` }} />
    </span>
    <span class="text">{children}</span>
  </span>
);

/** Freed blocks by class of lifetime, as small bars. */
export function Spark({ classes }: { classes: Float64Array | undefined }) {
  if (!classes) return <span class="dim">–</span>;
  let most = 0;
  for (const c of classes) most = Math.max(most, c);
  if (most === 0) return <span class="dim">–</span>;
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${classes.length} 16`}
      preserveAspectRatio="none"
      role="img"
      aria-label="lifetimes"
    >
      {Array.from(classes, (c, i) =>
        c > 0 ? (
          <rect
            key={`${i}`}
            x={i}
            width={1}
            y={16 - Math.max(1, (16 * c) / most)}
            height={Math.max(1, (16 * c) / most)}
          />
        ) : null,
      )}
    </svg>
  );
}

/** True in a window that is little wider than a phone. */
export function usePhone(): boolean {
  const [phone, set] = useState(() => matchMedia("(max-width: 720px)").matches);
  useLayoutEffect(() => {
    const query = matchMedia("(max-width: 720px)");
    const changed = () => set(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return phone;
}

/** True while the page is laid out for paper. */
export function usePrinting(): boolean {
  const [printing, set] = useState(() => matchMedia("print").matches);
  useLayoutEffect(() => {
    const query = matchMedia("print");
    // The browser takes the page as it is when the event returns.
    const now = (value: boolean) => flushSync(() => set(value));
    const changed = () => now(query.matches);
    const before = () => now(true);
    const after = () => now(false);
    query.addEventListener("change", changed);
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    return () => {
      query.removeEventListener("change", changed);
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    };
  }, []);
  return printing;
}

/** Renders now what `change` leads to. */
function flushSync(change: () => void): void {
  const before = options.debounceRendering;
  options.debounceRendering = (render) => render();
  change();
  options.debounceRendering = before;
}
