// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was alive at the end, and objects that were never destroyed.
import { useMemo } from "preact/hooks";
import { bytes, count, exact, known, placeText } from "../format";
import { linkTo, useScope } from "../state";
import { Empty, Tile, Tiles } from "../ui/parts";
import { siteColumns } from "../ui/siteColumns";
import { Table } from "../ui/Table";

export function Leaks() {
  const { side, range, route, type } = useScope();
  const sums = side.siteSums(range);
  const columns = useMemo(() => {
    const all = siteColumns(side, sums, route, true, (r) => r);
    const first = ["function", "place", "of", "liveBytes", "live", "bytes", "allocations"];
    return first.map((key) => ({ ...all.find((c) => c.key === key)!, hidden: false }));
  }, [side, sums]);
  const keep = useMemo(
    () => (r: number) => sums.liveBytes[r] > 0 && (type === null || side.siteType[r] === type),
    [side, sums, type],
  );
  const leaked = side.report.leaked_objects.filter((l) => type === null || l.type === side.report.types[type].type);
  const types = useMemo(() => new Map(side.report.types.map((t, i) => [t.type, i])), [side]);
  let live = 0;
  let liveBytes = 0;
  for (let s = 0; s < side.sites; s++)
    if (keep(s)) {
      live += sums.live[s];
      liveBytes += sums.liveBytes[s];
    }
  // Where another tool does not say whose they are, it may say how many in all.
  const whole = type === null ? side.report.totals : side.report.types[type];
  const bytesAlive = side.knows("liveBytes") ? liveBytes : whole.live_bytes;
  const blocksAlive = side.knows("live") ? live : whole.live_allocations;
  return (
    <>
      <h1>Still alive</h1>
      <p class="dim">
        What is alive {range ? "at the end of the part that is chosen" : "at the end of the run"}: a leak, or what the
        program keeps on purpose.
      </p>
      <Tiles>
        <Tile title="live" value={known(bytesAlive, bytes)} hint={known(bytesAlive, (v) => `${exact(v)} bytes`)} />
        <Tile title="blocks" value={known(blocksAlive, count)} hint={known(blocksAlive, exact)} />
        <Tile title="classes not destroyed" value={count(leaked.length)} />
      </Tiles>
      <h2>Blocks</h2>
      {!side.knows("liveBytes") && <p class="dim">Unknown: the tool that recorded this does not say whose they are.</p>}
      <Table
        name="leaks"
        label="sites with living blocks"
        rows={side.sites}
        columns={columns}
        sort="liveBytes down"
        height={420}
        text={(r) => `${side.siteFunction(r)} ${side.sitePlace(r)} ${side.siteBlocks(r)}`}
        keep={keep}
        open={(r) => {
          location.hash = linkTo("flame", route, { type: String(side.siteType[r]), metric: "liveBytes" });
        }}
      />
      <h2>Objects that were not destroyed</h2>
      {range && <p class="dim">Over the whole run.</p>}
      {leaked.length === 0 ? (
        <Empty>None that is known.</Empty>
      ) : (
        leaked.map((l) => {
          const index = types.get(l.type);
          return (
            <details class="stack" key={l.type}>
              <summary>
                <strong>{count(l.alive)}</strong> of {count(l.constructed)}{" "}
                {index === undefined ? l.type : side.typeName(index)}
              </summary>
              {index !== undefined && (
                <p>
                  <a href={linkTo("type", route, { t: String(index) })}>Its type</a>
                </p>
              )}
              <ul class="plain">
                {l.sites.map((s) => (
                  <li key={`${s.file}${s.line}${s.function}${s.storage}${s.manner}`}>
                    {count(s.constructed)} {s.manner}, {s.storage}: {s.function}{" "}
                    {s.file && s.line ? (
                      <a href={linkTo("source", route, { file: s.file, line: String(s.line) })}>
                        {placeText(s.file, s.line)}
                      </a>
                    ) : null}
                  </li>
                ))}
              </ul>
            </details>
          );
        })
      )}
    </>
  );
}
