// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two views side by side: two traces, or two parts of one. Of two whole traces the
// numbers equal `inmem diff`, which finds sites again that have moved.
import { useMemo } from "preact/hooks";
import type { Range, Side } from "../data/side";
import type { DiffCounts, Head } from "../data/types";
import { bytes, count, duration, placeText, signed } from "../format";
import { change, type Route, rangeOf, useScope } from "../state";
import { Choice, Empty, Tile, Tiles } from "../ui/parts";
import { type Column, Table } from "../ui/Table";

interface Row {
  name: string;
  where: string;
  type: string;
  old: DiffCounts;
  now: DiffCounts;
  noise: boolean;
}

interface Chosen {
  side: Side;
  range: Range | null;
}

/** `0`, or `0:3-7` for parts 3 to 7 of the first side. */
function chosen(sides: Side[], text: string | undefined, otherwise: number): Chosen {
  const match = /^(\d+)(?::(\d+)-(\d+))?$/.exec(text ?? "");
  const side = sides[match ? Number(match[1]) : otherwise] ?? sides[0];
  return { side, range: match?.[2] ? rangeOf(side, match[2], match[3]) : null };
}

const titleOf = ({ side, range }: Chosen) =>
  `${side.head.label}${range ? `, ${duration(side.borders[range.from])} – ${duration(side.borders[range.to])}` : ""}`;

const none: DiffCounts = { allocations: 0, allocated_bytes: 0, live_bytes: 0 };

// biome-ignore lint/suspicious/noExplicitAny: inmem-diff/1
const fromDiff = (diff: any, by: "type" | "site"): Row[] =>
  // biome-ignore lint/suspicious/noExplicitAny: inmem-diff/1
  (diff[by === "type" ? "types" : "sites"] ?? []).map((r: any) => {
    const place = r.places?.new?.[0] ?? r.places?.old?.[0];
    return {
      name: by === "type" ? r.name : r.site,
      where: placeText(place?.file, place?.line),
      type: r.name,
      old: r.old ?? none,
      now: r.new ?? none,
      noise: r.noise,
    };
  });

/** Rows of both by what identifies them. */
function fromSides(a: Chosen, b: Chosen, by: "type" | "site"): Row[] {
  const rows = new Map<string, Row>();
  for (const [which, { side, range }] of [
    ["old", a],
    ["now", b],
  ] as const) {
    const sums = by === "type" ? side.kindSums(range) : side.siteSums(range);
    for (let i = 0; i < sums.bytes.length; i++) {
      if (sums.allocations[i] === 0 && sums.live[i] === 0) continue;
      const type = by === "type" ? side.kinds[i].name : side.siteBlocks(i);
      const name = by === "type" ? type : side.siteFunction(i);
      const file = by === "type" ? "" : side.siteFile(i);
      const key = by === "type" ? name : `${name}\n${file}\n${type}`;
      let row = rows.get(key);
      if (!row) {
        row = {
          name,
          where: by === "type" ? "" : side.sitePlace(i),
          type,
          old: { ...none },
          now: { ...none },
          noise: false,
        };
        rows.set(key, row);
      }
      row[which].allocations += sums.allocations[i];
      row[which].allocated_bytes += sums.bytes[i];
      row[which].live_bytes += sums.liveBytes[i];
    }
  }
  return [...rows.values()].filter(
    ({ old, now }) =>
      old.allocations !== now.allocations ||
      old.allocated_bytes !== now.allocated_bytes ||
      old.live_bytes !== now.live_bytes,
  );
}

const asText = (route: Route, side: number) =>
  `${side}${route.keys.from || route.keys.to ? `:${route.keys.from ?? 0}-${route.keys.to ?? 0}` : ""}`;

export function Diff({ head }: { head: Head }) {
  const { sides, side, route } = useScope();
  const a = chosen(sides, route.keys.a, 0);
  const b = chosen(sides, route.keys.b, sides.length - 1);
  const by = route.keys.by === "site" ? "site" : "type";
  const byTool = head.diff && !a.range && !b.range && a.side === sides[0] && b.side === sides[1];
  const rows = useMemo(
    () => (byTool ? fromDiff(head.diff, by) : fromSides(a, b, by)),
    [byTool, by, a.side, b.side, a.range?.from, a.range?.to, b.range?.from, b.range?.to],
  );
  const sum = (pick: (r: Row) => number) => rows.reduce((s, r) => s + pick(r), 0);
  const columns = useMemo((): Column[] => {
    const both = (key: keyof DiffCounts, title: string, show: (v: number) => string): Column[] => [
      {
        key: `old.${key}`,
        title: `${title}, A`,
        numeric: true,
        hidden: key === "live_bytes",
        value: (r) => rows[r].old[key],
        show: (r) => show(rows[r].old[key]),
      },
      {
        key: `now.${key}`,
        title: `${title}, B`,
        numeric: true,
        hidden: key === "live_bytes",
        value: (r) => rows[r].now[key],
        show: (r) => show(rows[r].now[key]),
      },
      {
        key: `change.${key}`,
        title: `${title}, change`,
        numeric: true,
        value: (r) => rows[r].now[key] - rows[r].old[key],
        show: (r) => {
          const by = rows[r].now[key] - rows[r].old[key];
          return <span class={by > 0 ? "more" : by < 0 ? "less" : ""}>{signed(show, by)}</span>;
        },
      },
    ];
    return [
      {
        key: "name",
        title: by === "type" ? "type" : "function",
        value: (r) => rows[r].name,
        width: [210, 4],
      },
      ...(by === "site"
        ? ([
            { key: "where", title: "where", value: (r) => rows[r].where, path: true },
            { key: "type", title: "type", value: (r) => rows[r].type },
          ] as Column[])
        : []),
      ...both("allocated_bytes", "allocated", bytes),
      ...both("allocations", "blocks", count),
      ...both("live_bytes", "live", bytes),
      { key: "noise", title: "noise", hidden: true, value: (r) => (rows[r].noise ? "within noise" : "") },
    ];
  }, [rows, by]);
  const here = sides.indexOf(side);
  const lone = sides.length === 1 && !a.range && !b.range;
  return (
    <>
      <h1>Difference</h1>
      <dl class="sides">
        <div>
          <dt>A</dt>
          <dd>
            {titleOf(a)}{" "}
            <button type="button" onClick={() => change({ a: asText(route, here) })}>
              Set to what is chosen
            </button>
          </dd>
        </div>
        <div>
          <dt>B</dt>
          <dd>
            {titleOf(b)}{" "}
            <button type="button" onClick={() => change({ b: asText(route, here) })}>
              Set to what is chosen
            </button>
          </dd>
        </div>
      </dl>
      {lone && (
        <Empty>
          Choose a part on the time line, set A to it, then another and set B; or open two traces: inmem html --diff OLD
          NEW.
        </Empty>
      )}
      {!lone && (
        <>
          <div class="tools">
            <Choice
              label="Rows"
              value={by}
              of={[
                ["type", "By type"],
                ["site", "By site"],
              ]}
              set={(v) => change({ by: v, sort: null, cols: null })}
            />
            <button
              type="button"
              onClick={() => change({ a: route.keys.b ?? String(sides.length - 1), b: route.keys.a ?? "0" })}
            >
              Swap
            </button>
          </div>
          <Tiles>
            <Tile
              title="allocated"
              value={signed(
                bytes,
                sum((r) => r.now.allocated_bytes - r.old.allocated_bytes),
              )}
            />
            <Tile
              title="blocks"
              value={signed(
                count,
                sum((r) => r.now.allocations - r.old.allocations),
              )}
            />
            <Tile
              title="live"
              value={signed(
                bytes,
                sum((r) => r.now.live_bytes - r.old.live_bytes),
              )}
            />
          </Tiles>
          <Table
            name="diff"
            label="what changed"
            rows={rows.length}
            columns={columns}
            sort="change.allocated_bytes down"
            text={(r) => `${rows[r].name} ${rows[r].where} ${rows[r].type}`}
          />
        </>
      )}
    </>
  );
}
