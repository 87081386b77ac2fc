// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A heap snapshot: who holds what, and what could go.
import { useMemo } from "preact/hooks";
import { holdersView } from "../data/holders";
import { shortName } from "../data/names";
import type { HeapSnapshot, Place } from "../data/types";
import { bytes, count, duration, exact, percent, shortPath, time } from "../format";
import { change, useScope } from "../state";
import { Flame } from "../ui/Flame";
import { Empty, SaveButtons, Tile, Tiles, useWidth } from "../ui/parts";
import { type Column, Table } from "../ui/Table";

const typeName = (type: string | null): string => type ?? "(unknown type)";
const member = (row: { owner: string | null; field: string | null }): string =>
  `${row.owner ? shortName(row.owner) : "(unknown type)"}${row.field ? `.${row.field}` : ""}`;
const placeName = (site: Place | null): string =>
  !site?.function ? "" : site.file ? `${site.function} ${shortPath(site.file, 1)}:${site.line ?? 0}` : site.function;

/** A file's last part, or which thread. */
const rootName = (root: HeapSnapshot["roots"][number]): string =>
  root.kind === "global" ? shortPath(root.where ?? "", 1) : `thread ${(root.where ?? "").replace(/^thread /, "")}`;

/** Columns of rows of one kind. */
function columnsOf<Row>(rows: Row[]) {
  const plain = (
    key: string,
    title: string,
    value: (row: Row) => string,
    width: [number, number] = [210, 3],
  ): Column => ({
    key,
    title,
    value: (r) => value(rows[r]),
    width,
  });
  /** Of C++: shown short, whole in CSV and for the search. */
  const name = (key: string, title: string, value: (row: Row) => string): Column => ({
    ...plain(key, title, value),
    show: (r) => shortName(value(rows[r])),
  });
  const number = (
    key: string,
    title: string,
    value: (row: Row) => number | null,
    show: (v: number) => string,
  ): Column => ({
    key,
    title,
    numeric: true,
    value: (r) => value(rows[r]),
    show: (r) => {
      const known = value(rows[r]);
      return known === null ? "–" : show(known);
    },
  });
  return { plain, name, number };
}

/** A titled table of one kind of rows; nothing where there are none. */
function Part<Row>(props: {
  name: string;
  title: string;
  about: string;
  rows: Row[];
  sort: string;
  columns: (make: ReturnType<typeof columnsOf<Row>>) => Column[];
  text: (row: Row) => string;
}) {
  const columns = useMemo(() => props.columns(columnsOf(props.rows)), [props.rows]);
  if (props.rows.length === 0) return null;
  return (
    <section>
      <h2>{props.title}</h2>
      <p class="dim">{props.about}</p>
      <Table
        name={`heap-${props.name}`}
        label={props.title}
        prefix={`${props.name}-`}
        rows={props.rows.length}
        columns={columns}
        sort={props.sort}
        height={Math.min(300, 84 + 28 * props.rows.length)}
        text={(r) => props.text(props.rows[r])}
      />
    </section>
  );
}

function Holders({ heap }: { heap: HeapSnapshot }) {
  const { route } = useScope();
  const [box, width] = useWidth<HTMLDivElement>();
  const zoom = Number(route.keys.zoom ?? 0);
  const view = useMemo(() => holdersView(heap.holders, zoom, 2 / Math.max(width, 300)), [heap, zoom, width]);
  const csv = () => [
    ["depth", "held", "retained bytes", "own bytes"],
    ...view.boxes.map((b) => [b.depth, b.full, b.value, b.self]),
  ];
  return (
    <section>
      <h2>Who holds what</h2>
      <p class="dim">
        Below a box stands what its objects alone hold: it would be freed with them. Objects of one type that are held
        the same way are one box. Click or Enter: zoom.
      </p>
      <div class="tools">
        <label class="search">
          <span class="hide">Mark in the picture</span>
          <input
            type="search"
            placeholder="Mark"
            value={route.keys.mark ?? ""}
            onInput={(e) => change({ mark: (e.target as HTMLInputElement).value || null }, true)}
          />
        </label>
        {zoom > 0 && (
          <button type="button" onClick={() => change({ zoom: null })}>
            Zoom out
          </button>
        )}
        <span class="gap" />
        <SaveButtons name="holders" of={box} csv={csv} />
      </div>
      <div ref={box} class="pictures">
        {view.total === 0 && <Empty>No objects.</Empty>}
        {view.total > 0 && width > 0 && (
          <Flame
            view={view}
            width={width}
            up={false}
            search={route.keys.mark ?? ""}
            show={bytes}
            zoom={(b) => change({ zoom: b.key || null })}
            label="Retained bytes, holders first"
          />
        )}
      </div>
    </section>
  );
}

export function HeapPage({ heap }: { heap: HeapSnapshot }) {
  const { totals } = heap;
  return (
    <>
      <h1>Heap snapshot</h1>
      <Tiles>
        <Tile title="taken" value={time(heap.process.taken_unix_ns)} hint={`in process ${heap.process.pid}`} />
        <Tile title="objects" value={count(totals.objects)} hint={exact(totals.objects)} />
        <Tile title="bytes" value={bytes(totals.bytes)} hint={`${exact(totals.bytes)} bytes`} />
        {totals.unreachable_bytes === null ? (
          <Tile
            title="out of reach"
            value="not known"
            hint={`recording was partial: ${(heap.partial ?? []).join(", ")}`}
          />
        ) : (
          <Tile
            title="out of reach"
            value={bytes(totals.unreachable_bytes)}
            hint={`${exact(totals.unreachable_bytes)} bytes, ${percent(totals.unreachable_bytes, totals.bytes)}`}
          />
        )}
        <Tile title="program waited" value={duration(heap.process.pause_ns)} />
      </Tiles>
      <Holders heap={heap} />
      <Part
        name="leaks"
        title="Out of reach"
        about="Objects to which nothing of the program leads any more."
        rows={heap.leaks}
        sort="bytes down"
        columns={({ name, plain, number }) => [
          name("type", "type", (r) => typeName(r.type)),
          name("site", "made by", (r) => placeName(r.site)),
          plain("verdict", "why", (r) => r.verdict, [110, 1]),
          number("bytes", "bytes", (r) => r.bytes, bytes),
          number("retained", "retained", (r) => r.retained_bytes, bytes),
          number("objects", "objects", (r) => r.objects, count),
          number("age", "age", (r) => r.age_ns, duration),
        ]}
        text={(r) => `${typeName(r.type)} ${placeName(r.site)}`}
      />
      <Part
        name="types"
        title="Types"
        about="Retained is what would be freed if all objects of the type were gone."
        rows={heap.types}
        sort="retained down"
        columns={({ name, number }) => [
          name("type", "type", (r) => typeName(r.type)),
          number("objects", "objects", (r) => r.objects, count),
          number("bytes", "bytes", (r) => r.bytes, bytes),
          number("retained", "retained", (r) => r.retained_bytes, bytes),
        ]}
        text={(r) => typeName(r.type)}
      />
      <Part
        name="largest"
        title="Objects that retain the most"
        about="The path is a shortest way from a root."
        rows={heap.largest}
        sort="retained down"
        columns={({ name, plain, number }) => [
          name("type", "type", (r) => typeName(r.type)),
          number("retained", "retained", (r) => r.retained_bytes, bytes),
          number("bytes", "bytes", (r) => r.bytes, bytes),
          plain("path", "path", (r) => r.path, [260, 5]),
          name("site", "made by", (r) => placeName(r.site)),
        ]}
        text={(r) => `${typeName(r.type)} ${r.path}`}
      />
      <Part
        name="roots"
        title="Roots"
        about="Globals, stacks and thread-local storage from which objects are held."
        rows={heap.roots}
        sort="retained down"
        columns={({ plain, number }) => [
          plain("where", "where", rootName, [260, 4]),
          plain("kind", "kind", (r) => r.kind.replace("_", "-"), [110, 1]),
          number("objects", "objects", (r) => r.objects, count),
          number("retained", "retained", (r) => r.retained_bytes, bytes),
        ]}
        text={(r) => `${rootName(r)} ${r.where} ${r.kind}`}
      />
      <Part
        name="collections"
        title="Largest collections"
        about="Single containers, by what they retain."
        rows={heap.collections}
        sort="retained down"
        columns={({ name, plain, number }) => [
          plain("where", "where", member),
          name("container", "container", (r) => r.container ?? ""),
          number("elements", "elements", (r) => r.elements, count),
          number("retained", "retained", (r) => r.retained_bytes, bytes),
        ]}
        text={(r) => `${member(r)} ${r.container}`}
      />
      <Part
        name="duplicates"
        title="Duplicates"
        about="Blocks of equal content: one of them would do."
        rows={heap.duplicates}
        sort="wasted down"
        columns={({ name, number }) => [
          name("type", "type", (r) => typeName(r.type)),
          name("site", "one made by", (r) => placeName(r.site)),
          number("copies", "copies", (r) => r.copies, count),
          number("each", "bytes each", (r) => r.bytes_each, bytes),
          number("wasted", "wasted", (r) => r.wasted_bytes, bytes),
        ]}
        text={(r) => `${typeName(r.type)} ${placeName(r.site)}`}
      />
      <Part
        name="sparse"
        title="Sparse containers"
        about="More room than elements."
        rows={heap.sparse}
        sort="wasted down"
        columns={({ name, plain, number }) => [
          plain("where", "where", member),
          name("container", "container", (r) => r.container ?? ""),
          number("containers", "containers", (r) => r.containers, count),
          number("used", "elements", (r) => r.elements, count),
          number("capacity", "room for", (r) => r.capacity, count),
          number("wasted", "wasted", (r) => r.wasted_bytes, bytes),
        ]}
        text={(r) => `${member(r)} ${r.container}`}
      />
      <Part
        name="padding"
        title="Padding"
        about="Bytes between members that another order saves."
        rows={heap.padding}
        sort="bytes down"
        columns={({ name, plain, number }) => [
          name("type", "type", (r) => typeName(r.type)),
          number("objects", "objects", (r) => r.objects, count),
          number("each", "bytes each", (r) => r.bytes_each, bytes),
          number("bytes", "bytes", (r) => r.bytes, bytes),
          plain("order", "an order without", (r) => r.order.join(", "), [260, 4]),
        ]}
        text={(r) => typeName(r.type)}
      />
    </>
  );
}
