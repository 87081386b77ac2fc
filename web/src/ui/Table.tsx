// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A table that keeps only the rows in sight in the document: sorts by a click or by
// keyboard, searches, lets columns be chosen, and is saved as CSV.
import type { ComponentChildren } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { saveCsv } from "../save";
import { change, type Route, ScopeContext } from "../state";
import { PlaceText, usePhone, usePrinting } from "./parts";

export interface Column {
  key: string;
  title: string;
  /** For sorting and CSV; null is unknown. */
  value: (row: number) => number | string | null;
  show?: (row: number) => ComponentChildren;
  numeric?: boolean;
  /** Pixels at least, and its part of what is left. */
  width?: [number, number];
  /** A source location: its end stays in sight. */
  path?: boolean;
  /** Not shown until it is chosen. */
  hidden?: boolean;
  hint?: string;
}

export interface TableProps {
  name: string;
  label: string;
  rows: number;
  columns: Column[];
  sort: string;
  /** Text that the search looks at. */
  text: (row: number) => string;
  open?: (row: number) => void;
  keep?: (row: number) => boolean;
  height?: number;
  /** A key of the URL, if more than one table is on a page. */
  prefix?: string;
  note?: ComponentChildren;
  /** Where no side is looked at, and so no scope has it: in the list of traces. */
  route?: Route;
}

const rowHeight = 28;
const compare = (a: number | string | null, b: number | string | null): number =>
  a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1;

/** Numbers in whose order the rows go: texts are ranked, each once. */
function keysOf(rows: Uint32Array, column: Column): Float64Array {
  const keys = new Float64Array(rows.length);
  if (column.numeric) {
    for (let i = 0; i < rows.length; i++) {
      const value = column.value(rows[i]);
      keys[i] = value === null ? Number.NEGATIVE_INFINITY : Number(value);
    }
    return keys;
  }
  const number = new Map<number | string | null, number>();
  for (let i = 0; i < rows.length; i++) {
    const value = column.value(rows[i]);
    let at = number.get(value);
    if (at === undefined) {
      at = number.size;
      number.set(value, at);
    }
    keys[i] = at;
  }
  const values = [...number.keys()];
  const rank = new Float64Array(values.length);
  values.sort(compare).forEach((value, i) => {
    rank[number.get(value)!] = i;
  });
  return keys.map((at) => rank[at]);
}

function sorted(rows: Uint32Array, column: Column, down: boolean): Uint32Array {
  const keys = keysOf(rows, column);
  const order = Uint32Array.from(rows, (_, i) => i);
  order.sort((a, b) => (down ? keys[b] - keys[a] : keys[a] - keys[b]) || a - b);
  return order.map((i) => rows[i]);
}

export function Table(props: TableProps) {
  const { columns, rows, name, prefix = "" } = props;
  const scope = useContext(ScopeContext);
  const route = props.route ?? scope!.route;
  const side = scope?.side;
  const get = (key: string) => route.keys[prefix + key];
  const set = (key: string, value: string | null) => change({ [prefix + key]: value }, true);
  const chosen = get("cols")?.split(" ");
  const kept = columns.filter((c) => (chosen ? chosen.includes(c.key) : !c.hidden));
  const [key, way] = (get("sort") ?? props.sort).split(" ");
  const by = columns.find((c) => c.key === key) ?? columns[0];
  // On a phone the figure that sorts comes right behind the name.
  const phone = usePhone();
  const shown = phone && kept.indexOf(by) > 1 ? [kept[0], by, ...kept.filter((c, i) => i > 0 && c !== by)] : kept;
  const down = way !== "up";
  const query = get("q") ?? "";

  const lower = useMemo(() => new Array<string | undefined>(rows), [rows, name, side]);
  const order = useMemo(() => {
    let list = Uint32Array.from({ length: rows }, (_, i) => i);
    if (props.keep) list = list.filter(props.keep);
    if (query) {
      const wanted = query.toLowerCase();
      list = list.filter((row) => {
        lower[row] ??= props.text(row).toLowerCase();
        return lower[row]!.includes(wanted);
      });
    }
    return sorted(list, by, down);
  }, [rows, columns, props.keep, query, by, down]);

  // Before somebody types: texts of all rows, a few at a time.
  useEffect(() => {
    let next = 0;
    let timer = 0;
    const some = () => {
      const end = performance.now() + 8;
      while (next < rows && performance.now() < end)
        for (const stop = Math.min(next + 256, rows); next < stop; next++)
          lower[next] ??= props.text(next).toLowerCase();
      if (next < rows) timer = setTimeout(some, 30);
    };
    timer = setTimeout(some, 200);
    return () => clearTimeout(timer);
  }, [lower]);

  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [at, setAt] = useState(0);
  const height = props.height ?? 560;
  const printing = usePrinting();
  const inSight = printing ? order.length : Math.ceil(height / rowHeight) + 2;
  const first = Math.max(0, Math.min(Math.floor(top / rowHeight) - 1, order.length - inSight));
  useEffect(() => {
    setAt(0);
    if (scroller.current) scroller.current.scrollTop = 0;
  }, [query, by, down]);

  const go = (to: number) => {
    const next = Math.max(0, Math.min(order.length - 1, to));
    setAt(next);
    const box = scroller.current;
    if (!box) return;
    const y = next * rowHeight;
    if (y < box.scrollTop) box.scrollTop = y;
    else if (y + rowHeight * 2 > box.scrollTop + box.clientHeight) box.scrollTop = y + rowHeight * 2 - box.clientHeight;
    setTop(box.scrollTop);
  };
  const onKey = (event: KeyboardEvent) => {
    const page = Math.floor(height / rowHeight) - 2;
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: order.length - 1,
    };
    if (event.target !== scroller.current) return;
    if (event.key in steps) go(steps[event.key]);
    else if (event.key === "Enter" && props.open && order.length > 0) props.open(order[at]);
    else return;
    event.preventDefault();
  };
  const sortBy = (column: Column) => {
    const same = column.key === by.key;
    set("sort", `${column.key} ${same && down ? "up" : same ? "down" : column.numeric ? "down" : "up"}`);
  };
  // Titles are always whole, with room for the arrow. On a phone texts give way to the figures that sort.
  const widths = shown.map((c): [number, number] => {
    const [wide, part] = c.width ?? (c.numeric ? [96, 1] : [170, 3]);
    const least = phone && !c.numeric ? Math.min(wide, 112) : wide;
    return [Math.max(least, Math.ceil(c.title.length * 8.5) + 22), part];
  });
  const template = widths.map(([least, part]) => `minmax(${least}px, ${part || 0.001}fr)`).join(" ");
  const printed = widths.map(([, part]) => `minmax(0, ${Math.max(part, 1)}fr)`).join(" ");
  const minWidth = printing ? "0" : `${widths.reduce((sum, [least]) => sum + least + 12, 10)}px`;
  const grid = { gridTemplateColumns: printing ? printed : template };
  const id = `row-${prefix}${name}`;
  return (
    <section class="table" aria-label={props.label}>
      <div class="tools">
        <label class="search">
          <span class="hide">Search {props.label}</span>
          <input
            type="search"
            placeholder="Search"
            value={query}
            onInput={(e) => set("q", (e.target as HTMLInputElement).value || null)}
          />
        </label>
        <span class="dim" role="status">
          {order.length === rows ? "" : `${order.length} of `}
          {rows} {rows === 1 ? "row" : "rows"}
        </span>
        {props.note}
        <span class="gap" />
        <details class="menu">
          <summary>Columns</summary>
          <div>
            {columns.map((c) => (
              <label key={c.key}>
                <input
                  type="checkbox"
                  checked={shown.includes(c)}
                  onChange={() => {
                    const keys = columns.filter((o) => (o === c) !== shown.includes(o)).map((o) => o.key);
                    set("cols", keys.length > 0 ? keys.join(" ") : null);
                  }}
                />
                {c.title}
              </label>
            ))}
          </div>
        </details>
        <button
          type="button"
          onClick={() =>
            saveCsv(name, [kept.map((c) => c.title), ...Array.from(order, (r) => kept.map((c) => c.value(r)))])
          }
        >
          CSV
        </button>
      </div>
      <div
        class="scroll"
        ref={scroller}
        tabIndex={0}
        role="grid"
        aria-label={props.label}
        aria-rowcount={order.length + 1}
        aria-activedescendant={order.length > 0 && at >= first && at < first + inSight ? `${id}-${at}` : undefined}
        style={printing ? {} : { maxHeight: `${height}px` }}
        onScroll={(e) => setTop((e.target as HTMLElement).scrollTop)}
        onKeyDown={onKey}
      >
        <div class="head" role="rowgroup" style={{ minWidth }}>
          <div class="tr" role="row" style={grid}>
            {shown.map((c) => (
              <div
                key={c.key}
                role="columnheader"
                class={c.numeric ? "num" : ""}
                aria-sort={c === by ? (down ? "descending" : "ascending") : "none"}
              >
                <button type="button" title={c.hint ?? `Sort by ${c.title}`} onClick={() => sortBy(c)}>
                  {c.title}
                  <span aria-hidden="true">{c === by ? (down ? " ▾" : " ▴") : ""}</span>
                </button>
              </div>
            ))}
          </div>
        </div>
        <div class="body" role="rowgroup" style={printing ? {} : { minWidth, height: `${order.length * rowHeight}px` }}>
          {Array.from(order.subarray(first, first + inSight), (row, i) => (
            <div
              key={row}
              id={`${id}-${first + i}`}
              role="row"
              aria-rowindex={first + i + 2}
              aria-selected={first + i === at}
              class={`tr${first + i === at ? " at" : ""}${props.open ? " link" : ""}`}
              style={printing ? grid : { ...grid, transform: `translateY(${(first + i) * rowHeight}px)` }}
              onClick={() => {
                setAt(first + i);
                props.open?.(row);
              }}
            >
              {shown.map((c) => {
                const value = c.value(row);
                const plain = value === null ? "–" : value;
                return (
                  <div
                    key={c.key}
                    role="gridcell"
                    class={c.numeric ? "num" : ""}
                    title={value === null ? "unknown" : String(value)}
                  >
                    {c.show && value !== null ? c.show(row) : c.path ? <PlaceText text={String(plain)} /> : plain}
                  </div>
                );
              })}
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}
