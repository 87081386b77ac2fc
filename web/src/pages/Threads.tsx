// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocations and frees of each thread, and which code frees which blocks.
import { useMemo, useRef } from "preact/hooks";
import { shortName } from "../data/names";
import type { FreeingThread, Thread } from "../data/types";
import { bytes, count, exact } from "../format";
import { useScope } from "../state";
import { Empty, SaveButtons, Share } from "../ui/parts";
import { type Column, Table } from "../ui/Table";

const nameOf = (t: Thread | FreeingThread): string => (t ? t.name || `thread ${t.tid ?? t.index}` : "unknown");

export function Threads() {
  const { side, range } = useScope();
  const threads = side.report.threads ?? [];
  const sums = side.threadSums(range);
  const columns = useMemo((): Column[] => {
    const all = sums.reduce((s, t) => s + t.bytes, 0) || 1;
    const number = (
      key: "bytes" | "allocations" | "frees" | "freedBytes",
      title: string,
      show: (v: number) => string,
    ): Column => ({
      key,
      title,
      numeric: true,
      value: (r) => sums[r][key],
      show: (r) =>
        key === "bytes" ? <Share part={sums[r].bytes / all}>{show(sums[r][key])}</Share> : show(sums[r][key]),
    });
    return [
      { key: "name", title: "thread", value: (r) => nameOf(threads[r]), width: [180, 3] },
      { key: "tid", title: "tid", numeric: true, value: (r) => threads[r].tid },
      { key: "pid", title: "pid", numeric: true, hidden: true, value: (r) => threads[r].pid },
      number("bytes", "allocated", bytes),
      number("allocations", "blocks", count),
      number("freedBytes", "freed here", bytes),
      number("frees", "frees", count),
      {
        key: "temporary",
        title: "temporary",
        numeric: true,
        hint: "over the whole run",
        value: (r) => threads[r].temporary_allocations,
        show: (r) => count(threads[r].temporary_allocations ?? 0),
      },
    ];
  }, [side, sums]);
  return (
    <>
      <h1>Threads</h1>
      {range && !side.head.time?.has_threads && (
        <p class="dim">What single threads did in parts of the run is not in this trace: this is the whole run.</p>
      )}
      {threads.length === 0 ? (
        <Empty>Threads are not known.</Empty>
      ) : (
        <Table
          name="threads"
          label="threads"
          rows={threads.length}
          columns={columns}
          sort="bytes down"
          height={Math.min(420, 60 + threads.length * 28)}
          text={(r) => `${nameOf(threads[r])} ${threads[r].tid}`}
        />
      )}
      <FreeMatrix />
    </>
  );
}

/** Rows allocated, columns freed. */
function FreeMatrix() {
  const { side } = useScope();
  const box = useRef<HTMLElement>(null);
  const known = side.report.frees;
  if (!known)
    return (
      <section>
        <h2>Who frees</h2>
        <Empty>
          Not recorded: <code>INMEM_OPTIONS=frees=on</code> keeps it.
        </Empty>
      </section>
    );
  const frees = known;
  const sumOf = (pick: (t: (typeof frees.threads)[0]) => FreeingThread) => {
    const sums = new Map<string, number>();
    for (const t of frees.threads) sums.set(nameOf(pick(t)), (sums.get(nameOf(pick(t))) ?? 0) + t.freed_bytes);
    return [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  };
  const from = sumOf((t) => t.allocated_in).slice(0, 24);
  const to = sumOf((t) => t.freed_in).slice(0, 24);
  const cells = new Map<string, { bytes: number; frees: number }>();
  let most = 1;
  for (const t of frees.threads) {
    const key = `${nameOf(t.allocated_in)}\n${nameOf(t.freed_in)}`;
    const sum = cells.get(key) ?? { bytes: 0, frees: 0 };
    sum.bytes += t.freed_bytes;
    sum.frees += t.frees;
    cells.set(key, sum);
    most = Math.max(most, sum.bytes);
  }
  return (
    <section ref={box}>
      <div class="tools">
        <h2>Who frees</h2>
        <span class="gap" />
        <SaveButtons
          name="frees"
          of={box}
          csv={() => [
            ["allocated in", "freed in", "frees", "bytes"],
            ...frees.threads.map((t) => [nameOf(t.allocated_in), nameOf(t.freed_in), t.frees, t.freed_bytes]),
          ]}
        />
      </div>
      <div class="wide" tabIndex={0} role="group" aria-label="Matrix of threads">
        <table class="matrix">
          <caption>
            Bytes by the thread that allocated (rows) and the one that freed (columns), over the whole run
          </caption>
          <thead>
            <tr>
              <td />
              {to.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {from.map((a) => (
              <tr key={a}>
                <th scope="row">{a}</th>
                {to.map((b) => {
                  const sum = cells.get(`${a}\n${b}`);
                  return (
                    <td
                      key={b}
                      class={`heat${sum ? Math.ceil((sum.bytes / most) * 5) : 0}`}
                      title={sum ? `${exact(sum.bytes)} bytes in ${exact(sum.frees)} blocks` : ""}
                    >
                      {sum ? bytes(sum.bytes) : ""}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <FunctionPairs />
    </section>
  );
}

function FunctionPairs() {
  const { side } = useScope();
  const pairs = side.report.frees?.functions ?? [];
  const columns = useMemo((): Column[] => {
    const place = (p: { function: string | null } | null) => p?.function ?? "unknown";
    return [
      {
        key: "by",
        title: "allocated by",
        value: (r) => place(pairs[r].allocated_by),
        show: (r) => shortName(place(pairs[r].allocated_by)),
      },
      {
        key: "freed",
        title: "freed by",
        value: (r) => place(pairs[r].freed_by),
        show: (r) => shortName(place(pairs[r].freed_by)),
      },
      { key: "type", title: "type", value: (r) => pairs[r].name },
      {
        key: "bytes",
        title: "bytes",
        numeric: true,
        value: (r) => pairs[r].freed_bytes,
        show: (r) => bytes(pairs[r].freed_bytes),
      },
      { key: "frees", title: "frees", numeric: true, value: (r) => pairs[r].frees, show: (r) => count(pairs[r].frees) },
    ];
  }, [side]);
  return (
    <Table
      name="free-pairs"
      label="functions that allocate and free"
      prefix="f."
      rows={pairs.length}
      columns={columns}
      sort="bytes down"
      height={360}
      text={(r) => `${pairs[r].allocated_by?.function} ${pairs[r].freed_by?.function} ${pairs[r].name}`}
    />
  );
}
