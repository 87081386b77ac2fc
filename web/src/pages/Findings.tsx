// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The start page: totals, and what to change.

import advice from "virtual:advice";
import { useMemo } from "preact/hooks";
import { shortName } from "../data/names";
import type { Finding } from "../data/types";
import { bytes, count, duration, exact, known, percent, placeText, time } from "../format";
import { linkTo, useScope } from "../state";
import { Change, Code, EditorLink } from "../ui/Code";
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
  const { side, range, type } = scope;
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
          title={range ? "live at its end" : "live at the end"}
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
      {report.findings.length > 0 && <Together />}
      {list.length === 0 && (
        <Empty>
          {report.findings.length === 0
            ? (side.head.advice.none ?? "No findings.")
            : `No findings${range || type !== null ? " in what is chosen" : ""}.`}
        </Empty>
      )}
      <ol class="findings">
        {list.map(({ f, number, site, type: of }) => (
          <Card
            key={number}
            finding={f}
            number={number}
            type={of}
            chosen={range && site !== null ? `${bytes(sites.bytes[site])} in what is chosen` : null}
          />
        ))}
      </ol>
    </>
  );
}

/** Bars on one scale: each is a part of all that the run allocated, or of its peak. */
function Saved(props: { blocks: number; bytes: number; peak: number; maybe?: boolean }) {
  const { side } = useScope();
  const t = side.report.totals;
  const rows = [
    ["blocks", props.blocks, t.allocations, count],
    ["bytes", props.bytes, t.allocated_bytes, bytes],
    ["peak", props.peak, t.peak_live_bytes, bytes],
  ] as const;
  const shown = rows.filter(([, part, all]) => part > 0 && all);
  if (shown.length === 0) return null;
  return (
    <dl class={props.maybe ? "saved maybe" : "saved"}>
      {shown.map(([name, part, all, show]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <span class="bar" aria-hidden="true">
              <span style={{ width: `${Math.min(100, (100 * part) / all!)}%` }} />
            </span>
            <strong>{percent(Math.min(part, all!), all!)}</strong> <span class="dim">{show(part)}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Savings of all findings. */
function Together() {
  const { side } = useScope();
  const { together, not_faster: notFaster } = side.head.advice;
  const findings = side.report.findings.length;
  const some = together.allocations + together.bytes + together.peak_bytes > 0;
  return (
    <section class="together" aria-label="Savings of all findings">
      {some && (
        <>
          <h2>{findings === 1 ? "This change saves" : `These ${findings} changes together save`}</h2>
          <Saved blocks={together.allocations} bytes={together.bytes} peak={together.peak_bytes} />
          {findings > 1 && <p class="dim">Each block is counted once, however many findings name it.</p>}
        </>
      )}
      {notFaster && <p>{notFaster}</p>}
    </section>
  );
}

function Card(props: { finding: Finding; number: number; type: number | null; chosen: string | null }) {
  const { side, route } = useScope();
  const { finding: f, number, type, chosen } = props;
  const { file, line } = f.site;
  const saves = f.saves_bytes + f.saves_allocations + (f.saves_peak_bytes ?? 0) > 0;
  const change = advice[f.rule];
  const footprint = f.measure === "footprint";
  return (
    <li class={`finding ${f.severity}`}>
      <header>
        <span class={`severity ${f.severity}`}>{f.severity}</span>
        <h2>{f.about}</h2>
        <code class="dim">{f.rule}</code>
      </header>
      {(f.site.function || file) && (
        <p class="at">
          {f.site.function && <code title={f.site.function}>{shortName(f.site.function)}</code>}{" "}
          {file && line ? (
            <a href={linkTo("source", route, { file, line: String(line) })}>{placeText(file, line)}</a>
          ) : null}{" "}
          {file && line ? <EditorLink file={file} line={line} /> : null}
        </p>
      )}
      <div class="split">
        <div>
          {file && line ? <Code file={file} line={line} warm={f.lines?.map((l) => l.line)} /> : null}
          <p class="message">{f.message}</p>
          <p class="cure">→ {f.advice}</p>
        </div>
        <div>
          <p class="dim">{side.head.advice.saves[number]}</p>
          {saves ? (
            <Saved blocks={f.saves_allocations} bytes={f.saves_bytes} peak={f.saves_peak_bytes ?? 0} />
          ) : (
            <Saved
              maybe
              blocks={footprint ? 0 : f.allocations}
              bytes={footprint ? 0 : f.bytes}
              peak={footprint ? f.bytes : 0}
            />
          )}
          <p class="dim">
            about {bytes(f.bytes)} in {count(f.allocations)} blocks
            {chosen ? `; ${chosen}` : ""}
          </p>
        </div>
      </div>
      {change && (
        <details>
          <summary>Before and after, in a program of this kind</summary>
          <Change lines={change} label={`${f.rule}, before and after`} />
        </details>
      )}
      {type !== null && (
        <p class="evidence">
          See <a href={linkTo("type", route, { t: String(type) })}>its type</a>,{" "}
          <a href={linkTo("flame", route, { type: String(type) })}>its stacks</a>
          {side.parts > 0 ? (
            <>
              , <a href={linkTo("time", route, { type: String(type) })}>its time line</a>
            </>
          ) : null}
        </p>
      )}
    </li>
  );
}
