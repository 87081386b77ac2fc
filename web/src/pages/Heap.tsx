// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A heap snapshot: who holds what, and what could go.
import { useMemo } from "preact/hooks";
import { holdersView, namesOf } from "../data/holders";
import { shortName } from "../data/names";
import type { HeapSnapshot, SourceLocation } from "../data/types";
import { bytes, count, duration, exact, percent, shortPath, time } from "../format";
import { change, useScope } from "../state";
import { Flame } from "../ui/Flame";
import { CutText, Empty, SaveButtons, Tile, Tiles, TypeText, useWidth } from "../ui/parts";
import { type Column, Table } from "../ui/Table";

const typeName = (type: string | null): string => type ?? "(unknown type)";
/** Owner and field of a row; `named` names types. */
const memberOf = (
  row: { owner: string | null; field: string | null },
  named: (type: string | null) => string,
): string => `${named(row.owner)}${row.field && !row.field.startsWith("[") ? "." : ""}${row.field ?? ""}`;
const member = (row: { owner: string | null; field: string | null }): string => memberOf(row, typeName);
const fileLine = ({ file, line }: SourceLocation): string => (file && line ? ` ${shortPath(file, 1)}:${line}` : "");
const placeName = (site: SourceLocation | null): string => (site?.function ? site.function + fileLine(site) : "");

/** The program's line, if a library or a wrapper allocated for it. */
const madeBy = (row: { site: SourceLocation | null; caller?: SourceLocation }): SourceLocation | null =>
  row.caller ?? row.site;

/** A file's last part, or which thread. */
const rootName = (root: HeapSnapshot["roots"][number]): string =>
  root.kind === "global" ? shortPath(root.where ?? "", 1) : `thread ${(root.where ?? "").replace(/^thread /, "")}`;

/** Columns of rows of one kind; `named`: what the report calls a type. */
function columnsOf<Row>(rows: Row[], named: (type: string | null) => string) {
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
  /** The spelling is in the title and in CSV. */
  const type = (key: string, title: string, of: (row: Row) => string | null): Column => ({
    ...plain(key, title, (row) => typeName(of(row))),
    show: (r) => <TypeText name={named(of(rows[r]))} />,
  });
  /** Blocks, as reports name them; the spelling of their type is in the title and in CSV. */
  const blocks = (of: (row: Row) => { type: string | null; name: string }): Column => ({
    ...plain("type", "type", (row) => typeName(of(row).type)),
    show: (r) => <TypeText name={of(rows[r]).name} />,
  });
  /** A member of a type, or of a variable. */
  const where = (of: (row: Row) => { owner: string | null; field: string | null }): Column => ({
    ...plain("where", "where", (row) => member(of(row))),
    show: (r) => <TypeText name={memberOf(of(rows[r]), named)} />,
  });
  const site = (title: string, of: (row: Row) => SourceLocation | null): Column => ({
    ...plain("site", title, (row) => placeName(of(row)), [160, 3]),
    show: (r) => {
      const at = of(rows[r]);
      return at?.function ? <CutText front={shortName(at.function)} end={fileLine(at)} /> : "";
    },
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
  return { plain, type, blocks, where, site, number };
}

/** A titled table of one kind of rows; nothing where there are none. */
function Part<Row>(props: {
  name: string;
  title: string;
  about: string;
  rows: Row[];
  sort: string;
  columns: (make: ReturnType<typeof columnsOf<Row>>) => Column[];
  /** For the search, with the types named by `named`. */
  text: (row: Row, named: (type: string | null) => string) => string;
  heap: HeapSnapshot;
}) {
  const { heap } = props;
  const named = useMemo(() => namesOf(heap), [heap]);
  const columns = useMemo(() => props.columns(columnsOf(props.rows, named)), [props.rows, named]);
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
        text={(r) => `${props.text(props.rows[r], typeName)} ${props.text(props.rows[r], named)}`}
      />
    </section>
  );
}

function Holders({ heap }: { heap: HeapSnapshot }) {
  const { route } = useScope();
  const [box, width] = useWidth<HTMLDivElement>();
  const zoom = Number(route.keys.zoom ?? 0);
  const view = useMemo(() => holdersView(heap, zoom, 2 / Math.max(width, 300)), [heap, zoom, width]);
  const csv = () => [
    ["depth", "held", "retained bytes", "own bytes"],
    ...view.boxes.map((b) => [b.depth, b.full, b.value, b.self]),
  ];
  return (
    <section>
      <h2>Who holds what</h2>
      <p class="dim">
        Below a box is what its objects alone hold: it would be freed with them. Objects of one type that are held the
        same way are one box. Click or Enter: zoom.
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
            title="unreachable"
            value="not known"
            hint={`recording was partial: ${(heap.partial ?? []).join(", ")}`}
          />
        ) : (
          <Tile
            title="unreachable"
            value={bytes(totals.unreachable_bytes)}
            hint={`${exact(totals.unreachable_bytes)} bytes, ${percent(totals.unreachable_bytes, totals.bytes)}`}
          />
        )}
        <Tile title="program waited" value={duration(heap.process.pause_ns)} />
      </Tiles>
      <Holders heap={heap} />
      <Part
        heap={heap}
        name="leaks"
        title="Leaks"
        about="Objects to which nothing of the program leads any more."
        rows={heap.leaks}
        sort="bytes down"
        columns={({ blocks, site, plain, number }) => [
          blocks((r) => r),
          site("allocated by", madeBy),
          plain("verdict", "verdict", (r) => r.verdict, [150, 1]),
          number("bytes", "bytes", (r) => r.bytes, bytes),
          number("retained", "retained", (r) => r.retained_bytes, bytes),
          number("objects", "objects", (r) => r.objects, count),
          number("age", "age", (r) => r.age_ns, duration),
        ]}
        text={(r) => `${r.type} ${r.name} ${placeName(madeBy(r))}`}
      />
      <Part
        heap={heap}
        name="types"
        title="Types"
        about="Retained is what would be freed if all objects of the type were gone."
        rows={heap.kinds}
        sort="retained down"
        columns={({ plain, number }) => [
          { ...plain("type", "type", (r) => r.name), show: (r) => <TypeText name={heap.kinds[r].name} /> },
          number("objects", "objects", (r) => r.objects, count),
          number("bytes", "bytes", (r) => r.bytes, bytes),
          number("retained", "retained", (r) => r.retained_bytes, bytes),
        ]}
        text={(r) => r.name}
      />
      <Part
        heap={heap}
        name="largest"
        title="Objects that retain the most"
        about="The path is a shortest way from a root."
        rows={heap.largest}
        sort="retained down"
        columns={({ blocks, site, plain, number }) => [
          blocks((r) => r),
          number("retained", "retained", (r) => r.retained_bytes, bytes),
          number("bytes", "bytes", (r) => r.bytes, bytes),
          plain("path", "path", (r) => r.path, [260, 5]),
          site("allocated by", madeBy),
        ]}
        text={(r) => `${r.type} ${r.name} ${r.path}`}
      />
      <Part
        heap={heap}
        name="roots"
        title="Roots"
        about="Globals, stacks and thread-local storage from which objects are held. What is only from here is reached from nowhere else."
        rows={heap.roots}
        sort="retained down"
        columns={({ plain, number }) => [
          plain("where", "where", rootName, [260, 4]),
          plain("kind", "kind", (r) => r.kind.replace("_", "-"), [110, 1]),
          number("objects", "objects", (r) => r.objects, count),
          number("retained", "retained", (r) => r.retained_bytes, bytes),
          number("alone", "only from here", (r) => r.only_from_here_bytes, bytes),
        ]}
        text={(r) => `${rootName(r)} ${r.where} ${r.kind}`}
      />
      <Part
        heap={heap}
        name="collections"
        title="Largest collections"
        about="Single containers, by what they retain."
        rows={heap.collections}
        sort="retained down"
        columns={({ type, where, number }) => [
          where((r) => r),
          type("container", "container", (r) => r.container),
          number("elements", "elements", (r) => r.elements, count),
          number("retained", "retained", (r) => r.retained_bytes, bytes),
        ]}
        text={(r, named) => `${memberOf(r, named)} ${named(r.container)}`}
      />
      <Part
        heap={heap}
        name="duplicates"
        title="Duplicates"
        about="Blocks of equal content: one of each content would do."
        rows={heap.duplicates}
        sort="wasted down"
        columns={({ blocks, site, number }) => [
          blocks((r) => r),
          site("allocated by", madeBy),
          number("copies", "copies", (r) => r.copies, count),
          number("contents", "contents", (r) => r.contents, count),
          number("each", "bytes each", (r) => r.bytes_each, bytes),
          number("wasted", "wasted", (r) => r.wasted_bytes, bytes),
        ]}
        text={(r) => `${r.type} ${r.name} ${placeName(madeBy(r))}`}
      />
      <Part
        heap={heap}
        name="sparse"
        title="Sparse containers"
        about="More room than elements."
        rows={heap.sparse}
        sort="wasted down"
        columns={({ type, where, number }) => [
          where((r) => r),
          type("container", "container", (r) => r.container),
          number("containers", "containers", (r) => r.containers, count),
          number("used", "elements", (r) => r.elements, count),
          number("capacity", "room for", (r) => r.capacity, count),
          number("wasted", "wasted", (r) => r.wasted_bytes, bytes),
        ]}
        text={(r, named) => `${memberOf(r, named)} ${named(r.container)}`}
      />
      <Part
        heap={heap}
        name="padding"
        title="Padding"
        about="Bytes between members that another order saves."
        rows={heap.padding}
        sort="bytes down"
        columns={({ type, plain, number }) => [
          type("type", "type", (r) => r.type),
          number("objects", "objects", (r) => r.objects, count),
          number("each", "bytes each", (r) => r.bytes_each, bytes),
          number("bytes", "bytes", (r) => r.bytes, bytes),
          plain("order", "order without padding", (r) => r.order.join(", "), [260, 4]),
        ]}
        text={(r, named) => named(r.type)}
      />
    </>
  );
}
