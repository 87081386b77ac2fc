// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types as a table.
import { useMemo } from "preact/hooks";
import { bytes, count, life, peakText } from "../format";
import { change, linkTo, useScope } from "../state";
import { Share, Spark } from "../ui/parts";
import { type Column, Table } from "../ui/Table";

export function Types() {
  const { side, range, route, type } = useScope();
  const kinds = side.kinds;
  const sums = side.kindSums(range);
  const types = side.report.types;
  const columns = useMemo((): Column[] => {
    const all = sums.bytes.reduce((a, b) => a + b, 0) || 1;
    const highest = range
      ? side.liveAtByKind().map((live) => live.slice(range.from, range.to + 1).reduce((a, b) => Math.max(a, b), 0))
      : null;
    const typeOf = (r: number) => types[kinds[r].type];
    const lifeOf = (r: number) => kinds[r].kind?.lifetime ?? (kinds[r].kind ? null : typeOf(r).lifetime);
    // The most that can have been alive of one name's blocks.
    const peakOf = (r: number) => {
      const { peak_live_bytes: known, peak_live_bytes_at_most: most = null } = typeOf(r);
      const { kind } = kinds[r];
      const whole = known ?? most;
      if (!kind || whole === null) return { peak_live_bytes: known, peak_live_bytes_at_most: most ?? undefined };
      return { peak_live_bytes: null, peak_live_bytes_at_most: Math.min(whole, kind.allocated_bytes ?? whole) };
    };
    const objectsOf = (r: number) => (r === 0 || kinds[r - 1].type !== kinds[r].type ? typeOf(r).objects : null);
    const figure = (
      key: keyof typeof sums,
      title: string,
      show: (v: number) => string,
      more: Partial<Column> = {},
    ): Column => ({
      key,
      title,
      numeric: true,
      value: (r) => (side.knows(key) ? sums[key][r] : (side.typeFigure(kinds[r].type, key) ?? null)),
      show: (r) => show(side.knows(key) ? sums[key][r] : side.typeFigure(kinds[r].type, key)!),
      ...more,
    });
    const unit = types.find((t) => t.lifetime)?.lifetime?.unit ?? "ns";
    const whole = (key: "min" | "mean" | "p50" | "p90" | "p99" | "max", title: string, hidden: boolean): Column => ({
      key,
      title,
      numeric: true,
      hidden,
      hint: "lifetime of freed blocks, over the whole run",
      value: (r) => lifeOf(r)?.[key] ?? null,
      show: (r) => life(lifeOf(r)?.[key], unit),
    });
    const object = (
      key: string,
      title: string,
      of: (o: NonNullable<(typeof types)[0]["objects"]>) => number | null,
    ): Column => ({
      key,
      title,
      numeric: true,
      hidden: true,
      hint: "objects, over the whole run",
      value: (r) => {
        const objects = objectsOf(r);
        return objects ? of(objects) : null;
      },
    });
    return [
      {
        key: "type",
        title: "type",
        value: (r) => kinds[r].name,
        show: (r) => <a href={linkTo("type", route, { t: String(kinds[r].type) })}>{kinds[r].name}</a>,
        width: [210, 4],
      },
      { key: "size", title: "size", numeric: true, hidden: true, value: (r) => typeOf(r).size },
      figure("bytes", side.bytesTitle, bytes, {
        show: (r) => <Share part={sums.bytes[r] / all}>{bytes(sums.bytes[r])}</Share>,
        width: [135, 1.4],
      }),
      figure("allocations", "blocks", count),
      figure("liveBytes", "live", bytes, { hint: "bytes alive at the end of what is shown" }),
      figure("live", "live blocks", count, { hidden: true }),
      {
        key: "peak",
        title: "peak",
        numeric: true,
        hint: range ? "most bytes alive at a border of the part" : "most bytes alive at the same time",
        value: (r) => (highest ? highest[r] : (peakOf(r).peak_live_bytes ?? peakOf(r).peak_live_bytes_at_most ?? null)),
        show: (r) => (highest ? bytes(highest[r]) : peakText(peakOf(r))),
      },
      figure("frees", "frees", count, { hidden: true }),
      figure("freedBytes", "freed", bytes, { hidden: true }),
      {
        key: "temporary",
        title: "temporary",
        numeric: true,
        hidden: true,
        hint: "freed with no other allocation of the thread between, over the whole run",
        value: (r) => (kinds[r].kind ?? typeOf(r)).temporary_allocations,
      },
      {
        key: "lives",
        title: "lifetimes",
        value: (r) => lifeOf(r)?.mean ?? null,
        show: (r) => <Spark classes={side.kindLives(range, r)} />,
        width: [105, 0],
        numeric: true,
        hint: "how long freed blocks lived, shortest left",
      },
      whole("min", "shortest", true),
      whole("p50", "median", false),
      whole("mean", "mean", true),
      whole("p90", "p90", true),
      whole("p99", "p99", false),
      whole("max", "longest", true),
      object("constructed", "objects", (o) => Object.values(o.constructed).reduce((a, b) => a + b, 0)),
      object("copied", "copied", (o) => o.copied),
      object("moved", "moved", (o) => o.moved),
      object("aliveObjects", "live objects", (o) => o.alive),
    ];
  }, [side, range, route.keys.from, route.keys.to, route.keys.side, route.keys.type]);
  const keep = useMemo(() => {
    const heap = (r: number) => sums.allocations[r] > 0 || sums.live[r] > 0 || sums.frees[r] > 0;
    return type !== null ? (r: number) => kinds[r].type === type : range ? heap : undefined;
  }, [sums, type, range]);
  return (
    <>
      <h1>Types</h1>
      <Table
        name="types"
        label="types"
        rows={kinds.length}
        columns={columns}
        sort="bytes down"
        text={(r) => `${types[kinds[r].type].type} ${kinds[r].name}`}
        open={(r) => {
          location.hash = linkTo("type", route, { t: String(kinds[r].type) });
        }}
        keep={keep}
        note={
          type !== null ? (
            <button type="button" onClick={() => change({ type: null })}>
              All types
            </button>
          ) : null
        }
      />
    </>
  );
}
