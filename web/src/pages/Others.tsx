// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pages that only some data has: samples of threads, a list of traces.
import { useMemo } from "preact/hooks";
import type { Head, ProfiledFunction } from "../data/types";
import { bytes, count, duration, percent, time } from "../format";
import { useScope } from "../state";
import { Empty, Tile, Tiles } from "../ui/parts";
import { type Column, Table } from "../ui/Table";

export function ProfilePage() {
  const { side } = useScope();
  const profile = side.report.profile;
  const rows: ProfiledFunction[] = profile?.functions ?? [];
  const columns = useMemo((): Column[] => {
    const figure = (key: "self" | "total" | "running" | "blocked" | "interesting", hidden = false): Column => ({
      key,
      title: key,
      numeric: true,
      hidden,
      value: (r) => rows[r][key],
      show: (r) => `${count(rows[r][key])} (${percent(rows[r][key], profile?.samples ?? 0)})`,
    });
    return [
      { key: "function", title: "function", value: (r) => rows[r].function, width: [210, 4] },
      { key: "place", title: "where", value: (r) => (rows[r].file ? `${rows[r].file}:${rows[r].line}` : "") },
      figure("self"),
      figure("total"),
      figure("interesting"),
      figure("running", true),
      figure("blocked", true),
    ];
  }, [side]);
  return (
    <>
      <h1>Samples of threads</h1>
      {profile && (
        <Tiles>
          <Tile title="samples" value={count(profile.samples)} />
          <Tile title="every" value={duration(profile.interval_ns)} />
          <Tile title="clock" value={profile.clock} />
        </Tiles>
      )}
      <Table
        name="profile"
        label="functions"
        rows={rows.length}
        columns={columns}
        sort="self down"
        text={(r) => `${rows[r].function} ${rows[r].file}`}
      />
    </>
  );
}

/** What `inmem serve` opens with. */
export function ListPage({ head }: { head: Head }) {
  const traces = head.traces ?? [];
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const link = (path: string, keys: Record<string, string>) => `${path}?${new URLSearchParams({ ...keys, token })}`;
  const submit = (event: Event) => {
    event.preventDefault();
    const picked = [...(event.target as HTMLFormElement).querySelectorAll<HTMLInputElement>("input:checked")].map(
      (i) => i.value,
    );
    if (picked.length !== 2) return;
    const [a, b] = picked
      .map((file) => traces.findIndex((t) => t.file === file))
      .sort((x, y) => traces[x].start_unix_ns - traces[y].start_unix_ns);
    location.href = link("/diff", { old: traces[a].file, new: traces[b].file });
  };
  return (
    <main class="list" id="main">
      <h1>Traces</h1>
      {traces.length === 0 && <Empty>No *.inmem file in this folder yet.</Empty>}
      {traces.length > 0 && (
        <form onSubmit={submit}>
          <div class="tools">
            <button type="submit">Compare two</button>
            <span class="dim">{traces.length} traces; choose two to compare</span>
          </div>
          <div class="wide" tabIndex={0} role="group" aria-label="Traces">
            <table>
              <thead>
                <tr>
                  <td />
                  <th scope="col">trace</th>
                  <th scope="col">command</th>
                  <th scope="col">started</th>
                  <th scope="col">ran</th>
                  <th scope="col">host</th>
                  <th scope="col">labels</th>
                  <th scope="col">size</th>
                </tr>
              </thead>
              <tbody>
                {traces.map((t) => (
                  <tr key={t.file}>
                    <td>
                      <input
                        type="checkbox"
                        value={t.file}
                        aria-label={`Compare ${t.file}`}
                        disabled={t.error !== ""}
                      />
                    </td>
                    <th scope="row">{t.error ? t.file : <a href={link("/trace", { file: t.file })}>{t.file}</a>}</th>
                    <td>{t.error || t.command}</td>
                    <td>{time(t.start_unix_ns)}</td>
                    <td>{t.running ? "running" : t.duration_ns > 0 ? duration(t.duration_ns) : "–"}</td>
                    <td>{t.host}</td>
                    <td>{t.labels}</td>
                    <td>{bytes(t.bytes)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </form>
      )}
    </main>
  );
}
