// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One type: lifetimes, sites, stacks, objects, fields.
import { useMemo, useRef } from "preact/hooks";
import type { Figure, Side } from "../data/side";
import { pathOf } from "../data/tree";
import type { Objects } from "../data/types";
import { bytes, count, exact, known, life, peakText, percent, placeText } from "../format";
import { linkTo, useScope } from "../state";
import { Empty, palette, SaveButtons, Share, Tile, Tiles } from "../ui/parts";
import { siteColumns } from "../ui/siteColumns";
import { Table } from "../ui/Table";
import { Accesses } from "./AccessPicture";
import { Fields } from "./FieldsPicture";

export function TypePage() {
  const { side, route, range } = useScope();
  const type = Number(route.keys.t ?? 0);
  const row = side.report.types[type];
  if (!row) return <Empty>There is no such type.</Empty>;
  const sums = side.typeSums(range);
  const unit = row.lifetime?.unit ?? "ns";
  const name = side.typeName(type);
  const of = (figure: Figure) => (side.knows(figure) ? sums[figure][type] : side.typeFigure(type, figure));
  return (
    <>
      <h1>{name}</h1>
      {row.type && row.type !== name && (
        <p class="dim">
          <code class="long">{row.type}</code>
        </p>
      )}
      <Tiles>
        <Tile
          title="size"
          value={row.size === null ? "unknown" : `${exact(row.size)} B`}
          hint={`aligned to ${row.align ?? "?"}`}
        />
        <Tile title={side.bytesTitle} value={bytes(sums.bytes[type])} hint={`${exact(sums.bytes[type])} bytes`} />
        <Tile title="blocks" value={known(of("allocations"), count)} hint={known(of("allocations"), exact)} />
        <Tile title="frees" value={known(of("frees"), count)} hint={known(of("frees"), exact)} />
        <Tile title="live" value={known(of("liveBytes"), bytes)} hint={`${known(of("live"), exact)} blocks`} />
        <Tile title="peak" value={peakText(row)} hint="over the whole run" />
        <Tile title="median lifetime" value={life(row.lifetime?.p50, unit)} hint="over the whole run" />
        <Tile title="p99 life" value={life(row.lifetime?.p99, unit)} hint="over the whole run" />
      </Tiles>
      <p>
        <a href={linkTo("flame", route, { type: String(type) })}>Its stacks</a> ·{" "}
        <a href={linkTo("time", route, { type: String(type) })}>over time</a> ·{" "}
        <a href={linkTo("types", route, { type: String(type) })}>filter everything by it</a>
      </p>
      <Histogram side={side} type={type} />
      <SitesOf type={type} />
      <Stacks type={type} />
      {row.objects && <ObjectFacts objects={row.objects} unit={unit} />}
      <Fields side={side} type={type} size={row.size} />
      <Accesses side={side} type={type} size={row.size} />
    </>
  );
}

/** Freed blocks by class of lifetime. */
export function Histogram({ side, type }: { side: Side; type: number }) {
  const { range } = useScope();
  const box = useRef<HTMLDivElement>(null);
  const classes = side.lives(range).get(type);
  const unit = side.report.types[type].lifetime?.unit ?? "ns";
  const alive = side.knows("live") ? side.typeSums(range).live[type] : 0;
  if (!classes)
    return (
      <section>
        <h2>Lifetimes</h2>
        <Empty>No freed block was timed{alive > 0 ? `; ${count(alive)} are alive` : ""}.</Empty>
      </section>
    );
  const first = classes.findIndex((c) => c > 0);
  const last = classes.findLastIndex((c) => c > 0);
  const shown = Array.from(classes.subarray(first, last + 1));
  const most = Math.max(...shown, 1);
  const total = shown.reduce((a, b) => a + b, 0);
  const [width, height, foot] = [Math.max(shown.length * 34, 320), 150, 34];
  const step = width / shown.length;
  const lastLabel = 26; // A label begins below its bar and leans to the right.
  const rows = () => [["from", "to", "blocks"], ...shown.map((c, i) => [...side.lifeClass(first + i), c])];
  return (
    <section ref={box}>
      <div class="tools">
        <h2>Lifetimes</h2>
        <span class="dim">
          {count(total)} freed blocks{alive > 0 ? `, ${count(alive)} still alive` : ""}
        </span>
        <span class="gap" />
        <SaveButtons name="lifetimes" of={box} csv={rows} />
      </div>
      <div class="wide" tabIndex={0} role="group" aria-label="Lifetimes of freed blocks">
        <svg
          class="picture bars"
          width={width + lastLabel}
          height={height + foot}
          viewBox={`0 0 ${width + lastLabel} ${height + foot}`}
          role="img"
          aria-label="Histogram of lifetimes"
        >
          {shown.map((c, i) => {
            const h = c > 0 ? Math.max(1.5, (c / most) * height) : 0;
            const [from, to] = side.lifeClass(first + i);
            return (
              <g key={from}>
                <title>{`${life(from, unit)} to ${life(to, unit)}: ${exact(c)} blocks, ${percent(c, total)}`}</title>
                <rect x={i * step + 2} y={height - h} width={step - 4} height={h} rx={2} fill={palette[0]} />
                <text
                  class="tick"
                  x={i * step + 2}
                  y={height + 14}
                  transform={`rotate(28 ${i * step + 2} ${height + 12})`}
                >
                  {life(from, unit)}
                </text>
              </g>
            );
          })}
        </svg>
      </div>
    </section>
  );
}

function SitesOf({ type }: { type: number }) {
  const { side, route, range } = useScope();
  const list = side.sitesOfType(type);
  const sums = side.siteSums(range);
  const several = side.report.types[type].kinds !== undefined;
  const columns = useMemo(() => siteColumns(side, sums, route, several, (r) => list[r]), [side, type, sums]);
  const text = useMemo(() => (r: number) => `${side.siteFunction(list[r])} ${side.sitePlace(list[r])}`, [side, type]);
  return (
    <section>
      <h2>Sites</h2>
      {list.length === 0 ? (
        <Empty>It was never allocated on the heap.</Empty>
      ) : (
        <Table
          name="sites-of-type"
          label="sites of this type"
          prefix="s."
          rows={list.length}
          columns={columns}
          sort="bytes down"
          height={Math.min(360, 60 + list.length * 28)}
          text={text}
        />
      )}
    </section>
  );
}

function Stacks({ type }: { type: number }) {
  const { side, range } = useScope();
  const rows = side.rowSums(range);
  const top = useMemo(() => {
    const typeOf = side.rowType();
    const list: number[] = [];
    for (let r = 0; r < side.rows; r++) if (typeOf[r] === type && rows.bytes[r] + rows.liveBytes[r] > 0) list.push(r);
    list.sort((a, b) => rows.bytes[b] - rows.bytes[a]);
    return { list: list.slice(0, 25), more: Math.max(0, list.length - 25) };
  }, [side, type, rows]);
  if (!side.head.stacks || top.list.length === 0) return null;
  return (
    <section>
      <h2>Stacks</h2>
      {top.list.map((r) => {
        const path = pathOf(side, side.rowNode[r]).reverse();
        const own = path.find((f) => !side.isLibraryFunction(f)) ?? path[0];
        return (
          <details class="stack" key={r}>
            <summary>
              <strong>{bytes(rows.bytes[r])}</strong>
              {side.knows("allocations") ? ` in ${count(rows.allocations[r])} blocks` : ""}
              {rows.liveBytes[r] > 0 ? `, ${bytes(rows.liveBytes[r])} alive` : ""} · {side.functionShort(own) || "?"}
            </summary>
            <ol>
              {path.slice(0, 400).map((f, i) => (
                <li key={`${i}`}>
                  {side.functionShort(f)} <span class="dim">{side.functionPlace(f)}</span>
                </li>
              ))}
            </ol>
          </details>
        );
      })}
      {top.more > 0 && <p class="dim">and {top.more} more stacks: see the flame graph</p>}
    </section>
  );
}

export function ObjectFacts({ objects, unit }: { objects: Objects; unit: string }) {
  const made = Object.entries(objects.constructed).filter(([, n]) => n > 0) as [keyof Objects["constructed"], number][];
  const all = made.reduce((sum, [, n]) => sum + n, 0);
  const manners = (["defaulted", "copied", "moved", "converted", "aggregate", "other"] as const).filter(
    (k) => objects[k] > 0,
  );
  return (
    <section>
      <h2>Objects</h2>
      <p>
        {count(all)} constructed,{" "}
        {objects.destroyed === null ? "destructions unknown" : `${count(objects.destroyed)} destroyed`}
        {objects.alive !== null ? `, ${count(objects.alive)} alive at the end` : ""}
        {objects.peak_alive !== null ? `, ${count(objects.peak_alive)} at the peak` : ""}. Over the whole run.
      </p>
      <div class="two">
        <table>
          <caption>By storage</caption>
          <thead>
            <tr>
              <th scope="col">storage</th>
              <th scope="col">constructed</th>
              <th scope="col">destroyed</th>
            </tr>
          </thead>
          <tbody>
            {made.map(([storage, n]) => (
              <tr key={storage}>
                <th scope="row">{storage}</th>
                <td>
                  <Share part={n / all}>{exact(n)}</Share>
                </td>
                <td>{objects.destroyed_in ? exact(objects.destroyed_in[storage]) : "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <table>
          <caption>How they were made</caption>
          <thead>
            <tr>
              <th scope="col">constructor</th>
              <th scope="col">objects</th>
            </tr>
          </thead>
          <tbody>
            {manners.map((key) => (
              <tr key={key}>
                <th scope="row">{key}</th>
                <td>
                  <Share part={objects[key] / all}>{exact(objects[key])}</Share>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {objects.lifetime && (
        <p>
          Lifetimes of objects: median {life(objects.lifetime.p50, unit)}, p99 {life(objects.lifetime.p99, unit)}.
        </p>
      )}
      {objects.sites.length > 0 && (
        <details>
          <summary>Where they are constructed ({objects.sites.length})</summary>
          <ul class="plain">
            {objects.sites.slice(0, 100).map((s) => (
              <li key={`${s.file}${s.line}${s.function}${s.storage}${s.manner}`}>
                {count(s.constructed)} {s.manner}, {s.storage}: {s.function}{" "}
                <span class="dim">{placeText(s.file, s.line)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
