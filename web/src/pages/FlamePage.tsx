// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flame graph, icicle, bottom-up and butterfly.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Figure } from "../data/side";
import {
  type Box,
  bottomUp,
  calleesOf,
  functionSums,
  type Measure,
  pathsOf,
  topDown,
  type View,
  type Wanted,
} from "../data/tree";
import { twoPaths } from "../data/twoPaths";
import { bytes, count, duration, percent } from "../format";
import { change, linkTo, useScope } from "../state";
import { changeColour, moduleColour, modulesIn } from "../ui/colours";
import { Flame } from "../ui/Flame";
import { Choice, Empty, isDark, SaveButtons, useWidth } from "../ui/parts";
import { type Column, Table } from "../ui/Table";

type Shape = "flame" | "icicle" | "bottom-up" | "butterfly";
const shapes = [
  ["flame", "Flame"],
  ["icicle", "Icicle"],
  ["bottom-up", "Bottom-up"],
  ["butterfly", "Butterfly"],
] as const;

export const metrics: readonly (readonly [Figure, string])[] = [
  ["bytes", "Bytes"],
  ["allocations", "Blocks"],
  ["liveBytes", "Live"],
  ["peakBytes", "Peak"],
  ["lived", "Lifetimes"],
];

export const showFigure = (figure: Figure, unit: string) => (value: number) =>
  figure === "lived"
    ? unit === "bytes"
      ? bytes(value)
      : duration(value)
    : figure.endsWith("ytes")
      ? bytes(value)
      : count(value);

const nothing: View = { boxes: [], total: 0, depth: 0 };

/** Draws a few levels immediately and the rest when there is time, so that a click answers. */
function useLevels(make: (levels: number) => View, keys: unknown[]): View {
  const [levels, setLevels] = useState(4);
  useEffect(() => setLevels(4), keys);
  const view = useMemo(() => make(levels), [levels, ...keys]);
  useEffect(() => {
    if (view.depth <= levels) return;
    const timer = setTimeout(() => setLevels(levels + 6), 16);
    return () => clearTimeout(timer);
  }, [view, levels]);
  return view;
}

export function FlamePage() {
  const { side, sides, range, route, type } = useScope();
  const { keys } = route;
  const shapeOf = (shapes.find(([s]) => s === keys.shape)?.[0] ?? "flame") as Shape;
  const choices: (readonly [Measure, string])[] = metrics
    .filter(([f]) => f === "peakBytes" || side.knows(f))
    .map(
      ([f, title]) =>
        [f, f === "bytes" && side.bytesTitle !== "allocated" ? `Bytes ${side.bytesTitle}` : title] as const,
    );
  const { profile } = side.report;
  if (profile) choices.push(["samples", profile.clock === "cpu" ? "CPU time" : "Wall time"]);
  const figure = choices.find(([f]) => f === keys.metric)?.[0] ?? "bytes";
  const unit = side.report.types.find((t) => t.lifetime)?.lifetime?.unit ?? "ns";
  const show =
    figure === "samples" ? (v: number) => duration(v * (profile?.interval_ns ?? 0)) : showFigure(figure, unit);
  const [box, width] = useWidth<HTMLDivElement>();
  const up = (shapeOf === "flame") !== (keys.invert === "1");
  const fold = keys.library !== "1" && shapeOf !== "butterfly";
  const both = sides.length === 2 && keys.both !== "0" && figure !== "samples";
  const compared = both && (shapeOf === "flame" || shapeOf === "icicle");
  const wanted: Wanted = {
    range,
    figure,
    type,
    types: keys.types !== "0",
    zoom: keys.zoom ?? "",
    least: 2 / Math.max(width, 300),
    fold,
    unfolded: new Set((keys.unfold ?? "").split(".").filter(Boolean).map(Number)),
  };
  const drawn = [figure, wanted.types, wanted.zoom, width, shapeOf, fold, keys.unfold];
  const depends = [side, range?.from, range?.to, type, compared, ...drawn];
  const fn = shapeOf === "butterfly" ? Number(keys.fn ?? -1) : -1;
  const callees = useLevels((levels) => (shapeOf === "bottom-up" ? bottomUp(side, wanted, levels) : nothing), depends);
  const paths = useMemo(
    () => (compared ? twoPaths(sides[0], sides[1], wanted) : null),
    [sides, compared, figure, wanted.types],
  );
  const callers = useMemo(
    () => (shapeOf === "flame" || shapeOf === "icicle" ? topDown(paths ?? pathsOf(side, wanted), wanted) : nothing),
    [paths, ...depends],
  );
  const tree = shapeOf === "bottom-up" ? callees : callers;
  const unfold = (b: Box) =>
    change({ unfold: [...(keys.unfold ? [keys.unfold] : []), b.key.replace("n", "")].join(".") });
  const zoom = (b: Box) => (b.folded > 0 ? unfold(b) : change({ zoom: b.key || null }));
  const open = (b: Box) => {
    if (b.type !== null) location.hash = linkTo("type", route, { t: String(b.type) });
    else if (b.function >= 0) change({ shape: "butterfly", fn: String(b.function), zoom: null });
  };
  const csv = () => [
    ["depth", "name", "place", "value", "self"],
    ...tree.boxes.map((b) => [b.depth, b.full, b.place, b.value, b.self]),
  ];
  const empty = shapeOf !== "butterfly" && tree.total === 0;
  return (
    <>
      <h1>{side.head.stacks ? "Call stacks" : "Allocating functions"}</h1>
      {!side.head.stacks && figure !== "samples" && (
        <p class="dim">
          No call stacks in this trace: each site is shown with what was inlined there.{" "}
          <code>INMEM_OPTIONS=stacks=16</code> records them.
        </p>
      )}
      {figure === "samples" && (range || type !== null) && (
        <p class="dim">Samples of threads are of the whole run and of all types.</p>
      )}
      {side.head.folded_rows > 0 && (
        <p class="dim">
          {side.head.folded_rows} rare stacks are counted with their callers; <code>--limit 0</code> keeps all.
        </p>
      )}
      {compared && (range || type !== null) && <p class="dim">Both runs are compared as a whole, and all types.</p>}
      <div class="tools">
        {sides.length === 2 && (
          <Choice
            label="Runs"
            value={both ? "1" : "0"}
            of={[
              ["1", "Both runs"],
              ["0", "One run"],
            ]}
            set={(v) => change({ both: v === "0" ? "0" : null, zoom: null, unfold: null })}
          />
        )}
        <Choice label="Picture" value={shapeOf} of={shapes} set={(shape) => change({ shape, zoom: null })} />
        <Choice label="Width means" value={figure} of={choices} set={(metric) => change({ metric })} />
        <label class="search">
          <span class="hide">Mark in the picture</span>
          <input
            type="search"
            placeholder="Mark"
            value={keys.mark ?? ""}
            onInput={(e) => change({ mark: (e.target as HTMLInputElement).value || null }, true)}
          />
        </label>
        {shapeOf !== "butterfly" && (
          <label>
            <input
              type="checkbox"
              checked={!fold}
              onChange={() => change({ library: fold ? "1" : null, zoom: null, unfold: null })}
            />{" "}
            library frames
          </label>
        )}
        <label>
          <input
            type="checkbox"
            checked={wanted.types}
            onChange={() => change({ types: wanted.types ? "0" : null, zoom: null })}
          />{" "}
          types
        </label>
        {shapeOf !== "butterfly" && (
          <button
            type="button"
            aria-pressed={keys.invert === "1"}
            onClick={() => change({ invert: keys.invert === "1" ? null : "1" })}
          >
            Invert
          </button>
        )}
        {wanted.zoom && (
          <button type="button" onClick={() => change({ zoom: null })}>
            Zoom out
          </button>
        )}
        {keys.unfold && fold && (
          <button type="button" onClick={() => change({ unfold: null })}>
            Fold again
          </button>
        )}
        <span class="gap" />
        <SaveButtons name="stacks" of={box} csv={csv} />
      </div>
      <div ref={box} class="pictures">
        {empty && (
          <Empty>
            Nothing with this figure
            {figure === "peakBytes" ? ": peaks by stack need stacks, or a part of the time line" : ""}.
          </Empty>
        )}
        {shapeOf !== "butterfly" && !empty && width > 0 && (
          <Flame
            view={tree}
            width={width}
            up={up}
            search={keys.mark ?? ""}
            show={show}
            zoom={zoom}
            open={open}
            label={`${shapeOf === "bottom-up" ? "Callees first" : "Callers first"}, by ${figure}`}
          />
        )}
        {shapeOf === "butterfly" && width > 0 && <Butterfly fn={fn} width={width} wanted={wanted} show={show} />}
      </div>
      {shapeOf !== "butterfly" && <Legend boxes={tree.boxes} compared={compared} />}
      {shapeOf !== "butterfly" && (
        <p class="dim">
          Click or Enter: zoom, or unfold a call into a library (▸). Double click or o: the function's butterfly, the
          type's page. Arrows move.
        </p>
      )}
    </>
  );
}

/** The colours of boxes. */
function Legend({ boxes, compared }: { boxes: readonly Box[]; compared: boolean }) {
  const dark = isDark();
  const entries: [string, string][] = compared
    ? [
        ["more than before", changeColour({ old: 0, now: 1 }, dark)],
        ["a little more", changeColour({ old: 9, now: 10 }, dark)],
        ["as before", changeColour({ old: 1, now: 1 }, dark)],
        ["a little less", changeColour({ old: 10, now: 9 }, dark)],
        ["less", changeColour({ old: 1, now: 0 }, dark)],
      ]
    : modulesIn(boxes)
        .slice(0, 12)
        .map(({ name, library }) => [name, moduleColour(name, library, dark)]);
  return (
    <ul class="legend flush" aria-label="Colours">
      {entries.map(([name, colour]) => (
        <li key={name}>
          <span class="swatch" style={{ background: colour }} aria-hidden="true" />
          <span class="name">{name}</span>
        </li>
      ))}
      {compared && <li class="dim">a box is as wide as the larger of both runs</li>}
    </ul>
  );
}

function Butterfly(props: { fn: number; width: number; wanted: Wanted; show: (v: number) => string }) {
  const { side, range, type, route } = useScope();
  const { fn, width, wanted, show } = props;
  const known = fn >= 0 && fn < side.column("function.name").length;
  const depends = [side, range?.from, range?.to, wanted.figure, type, width, fn];
  const plain = { ...wanted, zoom: "", types: false, fold: false };
  const callers = useLevels((levels) => (known ? bottomUp(side, plain, levels, fn) : nothing), depends);
  const callees = useMemo(() => (known ? calleesOf(side, plain, fn) : nothing), depends);
  const sums = functionSums(side, wanted);
  const columns = useMemo(
    (): Column[] => [
      {
        key: "name",
        title: "function",
        value: (r: number) => side.functionName(r + 1),
        show: (r: number) => side.functionShort(r + 1),
        width: [210, 4],
      },
      { key: "place", title: "where", value: (r: number) => side.functionPlace(r + 1), path: true },
      {
        key: "total",
        title: "total",
        numeric: true,
        value: (r: number) => sums.total[r + 1],
        show: (r: number) => `${show(sums.total[r + 1])} (${percent(sums.total[r + 1], sums.all)})`,
      },
      {
        key: "self",
        title: "self",
        numeric: true,
        value: (r: number) => sums.self[r + 1],
        show: (r: number) => `${show(sums.self[r + 1])} (${percent(sums.self[r + 1], sums.all)})`,
      },
    ],
    [side, sums],
  );
  const pick = (b: Box) => b.function >= 0 && change({ fn: String(b.function) });
  return (
    <>
      {known && (
        <>
          <h2>
            {side.functionShort(fn)} <span class="dim">{side.functionPlace(fn)}</span>
          </h2>
          <h3>Callers</h3>
          <Flame
            view={callers}
            width={width}
            up={true}
            search={route.keys.mark ?? ""}
            show={show}
            zoom={pick}
            label="Callers"
          />
          <h3>Callees</h3>
          <Flame
            view={callees}
            width={width}
            up={false}
            search={route.keys.mark ?? ""}
            show={show}
            zoom={pick}
            label="Callees"
          />
        </>
      )}
      {!known && <Empty>Choose a function.</Empty>}
      <Table
        name="functions"
        label="functions"
        rows={Math.max(side.column("function.name").length - 1, 0)}
        columns={columns}
        sort="total down"
        height={360}
        text={(r) => side.functionName(r + 1)}
        keep={undefined}
        open={(r) => change({ fn: String(r + 1) })}
      />
    </>
  );
}
