// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resident memory of a heap snapshot: its parts, the heap page by page, who pins, and over time.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { shortName } from "../data/names";
import type { ResidentMemory } from "../data/types";
import { bytes, count, duration, percent, shortPath } from "../format";
import { CutText, isDark, SaveButtons, Tile, Tiles, TypeText, useWidth } from "../ui/parts";
import { type Column, Table } from "../ui/Table";
import { ResidentOverTime } from "./ResidentOverTime";

type Pin = ResidentMemory["pins"][number];

const partNames: Record<string, string> = {
  live: "live blocks, asked for",
  rounding: "rounding and headers",
  pinned: "free, pinned by live blocks",
  trim: "free, malloc_trim(0) returns",
  kept: "free, kept by the allocator",
  mapped: "mapped by the program, shared",
  files: "files",
  stacks: "stacks",
  binaries: "binaries",
  inmem: "inmem's own",
  unknown: "no owner known",
};

/** One colour a part, by class name: the page's policy allows no inline style. */
const partOrder = Object.keys(partNames);

/** From full to nearly empty, and free pages: light and dark. */
const dotColours: Record<string, [string, string]> = {
  9: ["#1f7a4d", "#2f9e68"],
  8: ["#4e9448", "#5aa855"],
  7: ["#86ad46", "#86ad46"],
  6: ["#c4bd45", "#b8b03f"],
  5: ["#f0bf4c", "#d9a93d"],
  4: ["#eda045", "#d68f3a"],
  3: ["#e5833d", "#d17a38"],
  2: ["#de6d35", "#cf6a35"],
  1: ["#d9562f", "#cc5730"],
  0: ["#c8372d", "#c2453b"],
  t: ["#4a86c5", "#5b97d6"],
  k: ["#a9b9cc", "#5d6b7c"],
  a: ["#ffffff", "#14181e"],
};
const dotWords: Record<string, string> = {
  t: "free: malloc_trim(0) returns it",
  k: "free, kept by the allocator",
  a: "not in memory",
};
const wordOf = (state: string): string => dotWords[state] ?? `in use: ${state}0 % and more`;

const fileLine = ({ file, line }: { file: string | null; line: number | null }): string =>
  file && line ? ` ${shortPath(file, 1)}:${line}` : "";

/** The program's line, if a library or a wrapper allocated for it. */
const place = (row: { site: Pin["site"]; caller?: Pin["site"] }): string => {
  const at = row.caller ?? row.site;
  return at?.function ? shortName(at.function) + fileLine(at) : "";
};

function Parts({ of }: { of: ResidentMemory }) {
  const box = useRef<HTMLDivElement>(null);
  const shown = of.parts.filter((p) => p.bytes > 0);
  let at = 0;
  return (
    <section>
      <div class="tools">
        <h2>Parts</h2>
        <span class="dim">Each page counts once; the parts add up to the resident size.</span>
        <span class="gap" />
        <SaveButtons
          name="resident"
          of={box}
          csv={() => [["part", "bytes"], ...of.parts.map((p) => [p.part, p.bytes])]}
        />
      </div>
      <div ref={box}>
        <svg class="picture parts" viewBox="0 0 1000 40" preserveAspectRatio="none" role="img" aria-label="Parts">
          {shown.map((p) => {
            const x = at;
            at += (p.bytes * 1000) / Math.max(of.rss_bytes, 1);
            return (
              <rect key={p.part} class={`part-${p.part}`} x={x} y={0} width={at - x} height={40}>
                <title>{`${partNames[p.part] ?? p.part}: ${bytes(p.bytes)}`}</title>
              </rect>
            );
          })}
        </svg>
      </div>
      <ul class="legend parts">
        {partOrder.map((name) => {
          const part = shown.find((p) => p.part === name);
          return part ? (
            <li key={name}>
              <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
                <rect class={`part-${name}`} width={10} height={10} />
              </svg>
              <span class="name">{partNames[name]}</span> {bytes(part.bytes)} ({percent(part.bytes, of.rss_bytes)})
            </li>
          ) : null;
        })}
      </ul>
    </section>
  );
}

/** Dots in rows. The arrow keys move a mark; a click sets it. */
function PageMap({ of, picked, pick }: { of: ResidentMemory; picked: number; pick: (dot: number) => void }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const { states } = of.map;
  const dots = states.length;
  const size = dots > 40000 ? 2 : dots > 10000 ? 3 : dots > 2500 ? 5 : 8;
  const columns = Math.max(1, Math.floor(width / size));
  const rows = Math.ceil(dots / columns);
  useEffect(() => {
    const element = canvas.current;
    const draw = element?.getContext("2d");
    if (!element || !draw || columns < 2) return;
    element.width = columns * size;
    element.height = rows * size;
    const dark = isDark() ? 1 : 0;
    for (let dot = 0; dot < dots; ++dot) {
      draw.fillStyle = dotColours[states[dot]][dark];
      draw.fillRect((dot % columns) * size, Math.floor(dot / columns) * size, size, size);
    }
    if (picked >= 0) {
      draw.lineWidth = 2;
      draw.strokeStyle = dark ? "#ffffff" : "#000000";
      draw.strokeRect((picked % columns) * size - 1, Math.floor(picked / columns) * size - 1, size + 2, size + 2);
    }
  }, [states, columns, rows, size, picked]);
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(picked, 0) + step;
    if (next >= 0 && next < dots) pick(next);
  };
  return (
    <div ref={box} class="pagemap">
      <canvas
        ref={canvas}
        tabIndex={0}
        role="img"
        aria-label={`The heap: ${dots} dots of ${bytes(of.map.page_bytes * of.map.pages_per_dot)}, by address. Arrow keys choose one.`}
        onClick={(event) => {
          const scale = (columns * size) / (event.currentTarget.clientWidth || 1);
          const dot = Math.floor((event.offsetY * scale) / size) * columns + Math.floor((event.offsetX * scale) / size);
          if (dot < dots) pick(dot);
        }}
        onKeyDown={onKey}
      />
    </div>
  );
}

/** The address of a dot. */
function addressOf(of: ResidentMemory, dot: number): number {
  const { stretches, page_bytes, pages_per_dot } = of.map;
  let at = 0;
  for (let i = 0; i < stretches.length && stretches[i] <= dot; i += 2) at = i;
  return (stretches[at + 1] ?? 0) + (dot - (stretches[at] ?? 0)) * page_bytes * pages_per_dot;
}

function Dot({ of, dot }: { of: ResidentMemory; dot: number }) {
  const shares: { line: number; blocks: number; bytes: number }[] = [];
  const all = of.map.shares;
  for (let i = 0; i < all.length && all[i] <= dot; i += 4)
    if (all[i] === dot) shares.push({ line: all[i + 1], blocks: all[i + 2], bytes: all[i + 3] });
  return (
    <div class="told" aria-live="polite">
      <strong>0x{addressOf(of, dot).toString(16)}</strong> {wordOf(of.map.states[dot])}
      {shares.length > 0 && (
        <ul>
          {shares.map(({ line, blocks, bytes: size }) => (
            <li key={line}>
              {count(blocks)} × {of.pins[line] ? `${of.pins[line].name} ${place(of.pins[line])}` : "another line"},{" "}
              {bytes(size)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function HeapMap({ of }: { of: ResidentMemory }) {
  const [picked, pick] = useState(-1);
  const legend = ["9", "7", "5", "3", "0", "t", "k", "a"];
  const dark = isDark() ? 1 : 0;
  if (of.map.states.length === 0) return null;
  return (
    <section>
      <h2>The heap by address</h2>
      <p class="dim">
        A dot is {of.map.pages_per_dot === 1 ? "a page" : `${of.map.pages_per_dot} pages`} (
        {bytes(of.map.page_bytes * of.map.pages_per_dot)}). A click shows the blocks on it.
      </p>
      <PageMap of={of} picked={picked} pick={pick} />
      <ul class="legend">
        {legend.map((state) => (
          <li key={state}>
            <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
              <rect fill={dotColours[state][dark]} stroke="currentColor" stroke-width={0.5} width={10} height={10} />
            </svg>
            <span class="name">
              {state === "9"
                ? "in use"
                : state === "0"
                  ? "nearly empty, but pinned"
                  : (dotWords[state] ?? `${state}0 %`)}
            </span>
          </li>
        ))}
      </ul>
      {picked >= 0 && <Dot of={of} dot={picked} />}
    </section>
  );
}

function Pins({ of }: { of: ResidentMemory }) {
  const rows = useMemo(() => of.pins.filter((p) => p.holds_back_bytes > 0 || p.untouched_bytes > 0), [of]);
  const columns = useMemo((): Column[] => {
    const number = (
      key: string,
      title: string,
      value: (p: Pin) => number | null,
      show: (v: number) => string,
      hidden = false,
    ): Column => ({
      key,
      title,
      numeric: true,
      hidden,
      value: (r) => value(rows[r]),
      show: (r) => {
        const known = value(rows[r]);
        return known === null ? "–" : show(known);
      },
    });
    return [
      {
        key: "type",
        title: "type",
        width: [180, 3],
        value: (r) => rows[r].name,
        show: (r) => <TypeText name={rows[r].name} />,
      },
      {
        key: "site",
        title: "allocated by",
        width: [200, 3],
        value: (r) => place(rows[r]),
        show: (r) => {
          const at = rows[r].caller ?? rows[r].site;
          return at?.function ? <CutText front={shortName(at.function)} end={fileLine(at)} /> : "";
        },
      },
      number("held", "holds back", (p) => p.holds_back_bytes, bytes),
      number("live", "with live", (p) => p.live_bytes, bytes),
      number("blocks", "blocks", (p) => p.blocks, count),
      number(
        "kept",
        "kept",
        (p) => (p.allocated_blocks ? p.blocks / p.allocated_blocks : null),
        (v) => percent(v, 1),
      ),
      number(
        "age",
        "age",
        (p) => p.mean_age_us,
        (v) => duration(v * 1000),
      ),
      number("untouched", "never written, or zero", (p) => p.untouched_bytes, bytes),
    ];
  }, [rows]);
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>Who pins free memory</h2>
      <p class="dim">
        Free memory on pages with live blocks cannot be returned. Lines that share a page share its free bytes.
      </p>
      <Table
        name="resident-pins"
        label="Who pins free memory"
        prefix="pins-"
        rows={rows.length}
        columns={columns}
        sort="held down"
        height={Math.min(360, 84 + 28 * rows.length)}
        text={(r) => `${rows[r].name} ${place(rows[r])}`}
      />
    </section>
  );
}

const remedyWords: Record<string, string> = {
  trim: "call malloc_trim(0), or set M_TRIM_THRESHOLD",
  place: "give these lines a place of their own (inmem optimize)",
  copy: "copy the survivors to a pool or an array (copies by malloc would fill the same holes), and trim",
  "no-huge-pages": "no huge pages here: MADV_NOHUGEPAGE, or the tunable glibc.malloc.hugetlb=0",
  decay: "MALLOC_CONF=dirty_decay_ms:0,muzzy_decay_ms:0",
};

function Remedies({ of }: { of: ResidentMemory }) {
  if (of.remedies.length === 0) return null;
  return (
    <section>
      <h2>What returns it</h2>
      <ul>
        {of.remedies.map((r) => (
          <li key={r.remedy}>
            <strong>{bytes(r.saves_bytes)}</strong> {remedyWords[r.remedy] ?? r.remedy}
            {r.lines && r.lines.length > 0
              ? `: ${r.lines
                  .slice(0, 3)
                  .map((l) => `${l.name} of ${place(l)}`)
                  .join(", ")}${r.lines.length > 3 ? ` and ${r.lines.length - 3} more` : ""}`
              : ""}
          </li>
        ))}
      </ul>
      <p class="dim">Promises are of this moment, not of the peak, and do not add up.</p>
    </section>
  );
}

export function ResidentPage({ of }: { of: ResidentMemory }) {
  return (
    <>
      <h1>Resident memory</h1>
      <Tiles>
        <Tile title="resident" value={bytes(of.rss_bytes)} hint="inmem's own memory included" />
        <Tile title="live blocks ask for" value={bytes(of.parts.find((p) => p.part === "live")?.bytes ?? 0)} />
        <Tile title="pinned" value={bytes(of.parts.find((p) => p.part === "pinned")?.bytes ?? 0)} />
        <Tile title="huge pages" value={bytes(of.huge_bytes)} />
        <Tile title="swapped out" value={bytes(of.swapped_bytes)} />
        <Tile title="allocator" value={of.allocator ?? "not known"} />
      </Tiles>
      {of.partial.length > 0 && <p class="notes">Partial ({of.partial.join(", ")}): nothing is promised of lines.</p>}
      <Parts of={of} />
      <HeapMap of={of} />
      <Pins of={of} />
      <Remedies of={of} />
      <ResidentOverTime />
    </>
  );
}
