// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Live bytes by type over the run, and the brush that filters everything else.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Side } from "../data/side";
import { bytes, duration } from "../format";
import { change, useScope } from "../state";
import { greyColour, isDark, palette, useWidth } from "./parts";

export interface Band {
  name: string;
  colour: string;
  values: Float64Array;
}

/** The types with most, under the names of their blocks, and the rest in one. */
export function bandsOf(side: Side, only: number | null, most = 8): Band[] {
  const byKind = side.liveAtByKind();
  const highest = byKind
    .map((values, kind) => ({ kind, top: values.reduce((a, b) => Math.max(a, b), 0) }))
    .filter(({ kind }) => only === null || side.kinds[kind].type === only);
  highest.sort((a, b) => b.top - a.top);
  const bands = highest
    .slice(0, most)
    .filter((h) => h.top > 0)
    .map((h, i) => ({ name: side.kinds[h.kind].name, colour: palette[i], values: byKind[h.kind] }));
  const rest = (only === null ? side.liveAt() : side.liveAtByType()[only]).slice();
  for (const band of bands) for (let i = 0; i < rest.length; i++) rest[i] -= band.values[i];
  if (highest.length > most && rest.some((v) => v > 0))
    bands.push({ name: "other types", colour: greyColour, values: rest });
  return bands;
}

/** Moments to mark: snapshots with a name, phases, the peak. */
function marksOf(side: Side): { ns: number; name: string }[] {
  const marks = (side.report.timeline?.points ?? []).filter((p) => p.name).map((p) => ({ ns: p.ns, name: p.name! }));
  for (const phase of side.report.phases ?? [])
    if (phase.name && !marks.some((m) => m.name === phase.name)) marks.push({ ns: phase.begin_ns, name: phase.name });
  const live = side.liveAt();
  const highest = side.highest({ from: 0, to: live.length - 1 });
  // The peak may have been between two points: then only its height is known.
  if (live[highest] >= (side.report.totals.peak_live_bytes ?? 0))
    marks.push({ ns: side.borders[highest], name: "peak" });
  marks.sort((a, b) => a.ns - b.ns);
  const near = (side.borders[side.parts] - side.borders[0]) / 500;
  const out: typeof marks = [];
  for (const mark of marks) {
    const last = out[out.length - 1];
    if (last && mark.ns - last.ns < near) last.name = `${last.name}, ${mark.name}`;
    else out.push({ ...mark });
  }
  return out;
}

/** The peak of all types, where no point of the time line has it. */
function peakBetween(side: Side, only: number | null): number | null {
  const peak = side.report.totals.peak_live_bytes;
  return only === null && peak !== null && peak > Math.max(...side.liveAt()) ? peak : null;
}

interface Picture {
  side: Side;
  bands: Band[];
  /** Another run's bytes. */
  other: { side: Side; name: string } | null;
  peak: number | null;
  thin: boolean;
  /** The index of the point under the cursor. */
  hover: (index: number | null) => void;
}

function options(picture: Picture, width: number, height: number): uPlot.Options {
  const { side, bands, other, peak, thin } = picture;
  const ink = isDark() ? "#aeb6c2" : "#4a5261";
  const grid = isDark() ? "#2c333d" : "#e3e6ea";
  const marks = marksOf(side);
  return {
    width,
    height,
    padding: [thin ? 2 : 22, 8, 0, 0],
    cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false } },
    legend: { show: false },
    scales: {
      x: { time: false },
      y: { range: (_u, _min, max) => [0, Math.max(max * 1.05, (peak ?? 0) * 1.05, 1)] },
    },
    axes: [
      {
        stroke: ink,
        grid: { show: false },
        ticks: { stroke: grid },
        values: (_u, splits) => splits.map((s) => duration(s * 1e9)),
        size: thin ? 26 : 34,
        space: 72,
      },
      {
        stroke: ink,
        grid: { stroke: grid },
        ticks: { show: false },
        size: 78,
        incrs: Array.from({ length: 60 }, (_, i) => 2 ** i),
        values: (_u, splits) => splits.map((s) => bytes(s)),
        space: thin ? 30 : 40,
      },
    ],
    series: [
      {},
      ...bands.map((band) => ({
        label: band.name,
        stroke: band.colour,
        fill: band.colour,
        width: 1,
        // Values between two points are unknown: no slope.
        paths: uPlot.paths.stepped!({ align: 1 }),
        points: { show: false },
      })),
      ...(other
        ? [
            {
              label: other.name,
              stroke: isDark() ? "#ffffff" : "#000000",
              width: 2,
              dash: [6, 4],
              paths: uPlot.paths.stepped!({ align: 1 }),
              points: { show: false },
            },
          ]
        : []),
    ],
    hooks: {
      setCursor: [
        (u) => picture.hover(u.cursor.left !== undefined && u.cursor.left >= 0 ? (u.cursor.idx ?? null) : null),
      ],
      setSelect: [
        (u) => {
          if (u.select.width < 3) {
            change({ from: null, to: null });
            return;
          }
          const left = u.posToVal(u.select.left, "x") * 1e9;
          const right = u.posToVal(u.select.left + u.select.width, "x") * 1e9;
          const from = Math.max(
            0,
            side.borders.findLastIndex((b) => b <= left),
          );
          const next = side.borders.findIndex((b) => b >= right);
          const to = Math.max(next < 0 ? side.parts : next, from + 1);
          change({ from: String(from), to: String(Math.min(to, side.parts)) });
        },
      ],
      draw: [
        (u) => {
          if (thin) return;
          const pen = u.ctx;
          pen.save();
          pen.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
          pen.fillStyle = pen.strokeStyle = ink;
          pen.setLineDash([3, 3]);
          pen.textAlign = "left";
          pen.textBaseline = "alphabetic";
          if (peak !== null) {
            const y = Math.round(u.valToPos(peak, "y", true));
            pen.beginPath();
            pen.moveTo(u.bbox.left, y);
            pen.lineTo(u.bbox.left + u.bbox.width, y);
            pen.stroke();
            pen.textAlign = "right";
            const right = u.bbox.left + u.bbox.width - 6;
            pen.fillText(`peak ${bytes(peak)}, between two points`, right, y - 3 * devicePixelRatio);
            pen.textAlign = "left";
          }
          // Names for which there is no room follow the one before.
          const labels: { x: number; text: string }[] = [];
          for (const mark of marks) {
            const x = Math.round(u.valToPos(mark.ns / 1e9, "x", true));
            pen.beginPath();
            pen.moveTo(x, u.bbox.top);
            pen.lineTo(x, u.bbox.top + u.bbox.height);
            pen.stroke();
            const last = labels[labels.length - 1];
            if (last && x < last.x + pen.measureText(last.text).width + 8) last.text += `, ${mark.name}`;
            else labels.push({ x: x + 3, text: mark.name });
          }
          for (const { x, text } of labels)
            pen.fillText(text, Math.min(x, u.bbox.left + u.bbox.width - pen.measureText(text).width), u.bbox.top - 4);
          pen.restore();
        },
      ],
    },
  };
}

/** `values`, known at `from`, at the times of `to`: each holds until the next. */
function held(values: Float64Array, from: Float64Array, to: readonly number[]): Float64Array {
  const out = new Float64Array(to.length);
  let at = -1;
  for (let i = 0; i < to.length; i++) {
    while (at + 1 < from.length && from[at + 1] <= to[i]) at++;
    // Before a run begins, and after it has ended, nothing is alive.
    out[i] = at < 0 || to[i] > from[from.length - 1] ? 0 : values[at];
  }
  return out;
}

export function TimeLine({ height, thin = false }: { height: number; thin?: boolean }) {
  const { side, sides, range, type, route } = useScope();
  const [box, width] = useWidth<HTMLDivElement>();
  const plot = useRef<uPlot | null>(null);
  const [hovered, hover] = useState<number | null>(null);
  const bands = useMemo(() => bandsOf(side, type), [side, type]);
  const other = useMemo(() => {
    const found = sides.find((s) => s !== side && s.parts > 0);
    return found && type === null ? { side: found, name: found.head.label } : null;
  }, [sides, side, type]);
  const times = useMemo(() => {
    const all = new Set([...side.borders, ...(other?.side.borders ?? [])]);
    return [...all].sort((a, b) => a - b);
  }, [side, other]);
  const peak = peakBetween(side, type);
  const theme = document.documentElement.dataset.theme;
  useEffect(() => {
    if (!box.current || width === 0) return;
    const stacked: Float64Array[] = [];
    bands.forEach((band, i) => {
      const sum = held(band.values, side.borders, times);
      if (i > 0) for (let j = 0; j < sum.length; j++) sum[j] += stacked[i - 1][j];
      stacked.push(sum);
    });
    // The highest is drawn first, so that the others cover it.
    const order = bands.map((_, i) => bands.length - 1 - i);
    const picture = { side, bands: order.map((i) => bands[i]), other, peak, thin, hover };
    const chart = new uPlot(
      options(picture, width, height),
      [
        times.map((ns) => ns / 1e9),
        ...order.map((i) => stacked[i]),
        ...(other ? [held(other.side.liveAt(), other.side.borders, times)] : []),
      ],
      box.current,
    );
    plot.current = chart;
    return () => {
      chart.destroy();
      plot.current = null;
    };
  }, [side, bands, other, width, height, theme]);
  useEffect(() => {
    const chart = plot.current;
    if (!chart) return;
    const show = () => {
      if (plot.current !== chart) return;
      if (!range) {
        chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        return;
      }
      const left = chart.valToPos(side.borders[range.from] / 1e9, "x");
      const right = chart.valToPos(side.borders[range.to] / 1e9, "x");
      chart.setSelect({ left, width: Math.max(right - left, 1), top: 0, height: chart.over.clientHeight }, false);
    };
    // A new chart knows its scales a moment later.
    const timer = setTimeout(show, 0);
    return () => clearTimeout(timer);
  }, [side, bands, width, range?.from, range?.to, theme, route.page]);

  const from = range?.from ?? 0;
  const to = range?.to ?? side.parts;
  const at = (border: number) => duration(side.borders[border]);
  const put = (a: number, b: number) =>
    change(a === 0 && b === side.parts ? { from: null, to: null } : { from: String(a), to: String(b) }, true);
  return (
    <div class={thin ? "timeline thin" : "timeline"}>
      <div
        ref={box}
        class="plot"
        role="img"
        aria-label={`Live bytes over time, most ${bytes(Math.max(...side.liveAt()))}`}
      />
      <div class="brush">
        <label>
          from
          <input
            type="range"
            min={0}
            max={side.parts - 1}
            value={from}
            aria-valuetext={at(from)}
            onInput={(e) => {
              const a = Number((e.target as HTMLInputElement).value);
              put(a, Math.max(to, a + 1));
            }}
          />
        </label>
        <label>
          to
          <input
            type="range"
            min={1}
            max={side.parts}
            value={to}
            aria-valuetext={at(to)}
            onInput={(e) => {
              const b = Number((e.target as HTMLInputElement).value);
              put(Math.min(from, b - 1), b);
            }}
          />
        </label>
        <output aria-live="polite">{range ? `${at(from)} – ${at(to)}` : "whole run"}</output>
        {range && (
          <button type="button" onClick={() => change({ from: null, to: null })}>
            Show all
          </button>
        )}
      </div>
      {!thin && <Legend {...{ side, bands, other }} ns={hovered === null ? null : (times[hovered] ?? null)} />}
    </div>
  );
}

/** Names of bands; with what each had at the time under the cursor. */
function Legend(props: { side: Side; bands: Band[]; other: Picture["other"]; ns: number | null }) {
  const { side, bands, other, ns } = props;
  const at = (of: Side, values: Float64Array) => (ns === null ? "" : bytes(held(values, of.borders, [ns])[0]));
  return (
    <>
      <p class="moment dim">
        {ns === null
          ? "Point at the picture to read a moment."
          : `At ${duration(ns)}: ${at(side, side.liveAt())} alive`}
      </p>
      <ul class="legend">
        {bands.map((band) => (
          <li key={band.name} class={ns !== null && at(side, band.values) === "0 B" ? "none" : ""}>
            <span class="swatch" style={{ background: band.colour }} aria-hidden="true" />
            <span class="name">{band.name}</span>
            <span class="value">{at(side, band.values)}</span>
          </li>
        ))}
        {other && (
          <li>
            <span class="swatch dashed" aria-hidden="true" />
            <span class="name">{other.name}</span>
            <span class="value">{at(other.side, other.side.liveAt())}</span>
          </li>
        )}
      </ul>
    </>
  );
}
