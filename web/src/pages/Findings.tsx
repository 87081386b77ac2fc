// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The start page: totals, and what to change.
import { useMemo } from "preact/hooks";
import { shortName } from "../data/names";
import { bytes, count, duration, exact, known, percent, placeText, time } from "../format";
import { linkTo, useScope } from "../state";
import { Empty, Tile, Tiles } from "../ui/parts";

export function totalsOf(scope: ReturnType<typeof useScope>) {
  const { side, range } = scope;
  const t = side.report.totals;
  if (!range)
    return {
      allocations: t.allocations,
      bytes: t.allocated_bytes,
      frees: t.frees,
      live: t.live_allocations,
      liveBytes: t.live_bytes,
      peak: t.peak_live_bytes,
    };
  const sums = side.rowSums(range);
  const sum = (values: Float64Array) => values.reduce((a, b) => a + b, 0);
  return {
    allocations: sum(sums.allocations),
    bytes: sum(sums.bytes),
    frees: sum(sums.frees),
    live: sum(sums.live),
    liveBytes: sum(sums.liveBytes),
    peak: side.liveAt()[side.highest(range)],
  };
}

export function Findings() {
  const scope = useScope();
  const { side, route, range, type } = scope;
  const report = side.report;
  const totals = totalsOf(scope);
  const sites = side.siteSums(range);
  const list = useMemo(() => {
    // By what identifies a place, so that each finding finds its site.
    const index = side.once("siteIndex", () => {
      const out = new Map<string, number>();
      for (let s = side.sites - 1; s >= 0; s--)
        out.set(
          `${side.siteFunction(s)}\n${side.siteFile(s)}\n${side.siteLine(s)}\n${side.report.types[side.siteType[s]]?.type}`,
          s,
        );
      return out;
    });
    const types = new Map(report.types.map((t, i) => [t.type, i]));
    return report.findings
      .map((f, number) => {
        const place = `${f.site.function ?? ""}\n${f.site.file ?? ""}\n${f.site.line ?? 0}\n${f.type}`;
        return {
          f,
          number,
          site: index.get(place) ?? null,
          type: f.type === null ? null : (types.get(f.type) ?? null),
        };
      })
      .filter((each) => type === null || each.type === type)
      .filter((each) => !range || each.site === null || sites.allocations[each.site] > 0 || sites.live[each.site] > 0);
  }, [side, range, type]);
  const process = report.processes[0];
  return (
    <>
      <h1>Findings</h1>
      <Tiles>
        <Tile
          title="allocated"
          value={known(totals.bytes, bytes)}
          hint={known(totals.bytes, (v) => `${exact(v)} bytes`)}
        />
        <Tile title="blocks" value={known(totals.allocations, count)} hint={known(totals.allocations, exact)} />
        <Tile title="frees" value={known(totals.frees, count)} hint={known(totals.frees, exact)} />
        <Tile
          title={range ? "alive at its end" : "alive at the end"}
          value={known(totals.liveBytes, bytes)}
          hint={`${known(totals.liveBytes, exact)} bytes in ${known(totals.live, exact)} blocks`}
        />
        <Tile title="peak" value={known(totals.peak, bytes)} />
        {process?.duration_ns ? <Tile title="ran" value={duration(process.duration_ns)} /> : null}
        {process?.start_unix_ns ? <Tile title="started" value={time(process.start_unix_ns)} /> : null}
      </Tiles>
      {report.notes.length > 0 && (
        <ul class="notes" aria-label="Notes">
          {report.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {list.length === 0 && <Empty>No findings{range || type !== null ? " in what is chosen" : ""}.</Empty>}
      <ol class="findings">
        {list.map(({ f, number, site, type: of }) => (
          <li key={number} class={`finding ${f.severity}`}>
            <header>
              <span class={`severity ${f.severity}`}>{f.severity}</span>
              <code>{f.rule}</code>
              <span class="dim">
                {bytes(f.bytes)} in {count(f.allocations)} blocks,{" "}
                {percent(f.bytes, report.totals.allocated_bytes ?? 0)} of all bytes
                {range && site !== null ? `; ${bytes(sites.bytes[site])} in what is chosen` : ""}
              </span>
            </header>
            <p>
              <strong>{f.about}</strong>
              {f.site.function && (
                <>
                  {" "}
                  in <code title={f.site.function}>{shortName(f.site.function)}</code>
                </>
              )}
            </p>
            <p class="message">{f.message}</p>
            <p>{f.advice}</p>
            {f.saves_bytes + f.saves_allocations > 0 && (
              <p class="dim">
                saves up to {bytes(f.saves_bytes)} and {count(f.saves_allocations)} blocks
              </p>
            )}
            <p class="evidence">
              Evidence: {of !== null && <a href={linkTo("type", route, { t: String(of) })}>its type</a>}
              {f.site.file && f.site.line ? (
                <>
                  {" "}
                  <a href={linkTo("source", route, { file: f.site.file, line: String(f.site.line) })}>
                    {placeText(f.site.file, f.site.line)}
                  </a>
                </>
              ) : null}{" "}
              {of !== null && <a href={linkTo("flame", route, { type: String(of) })}>its stacks</a>}
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}
