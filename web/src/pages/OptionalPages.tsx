// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pages that only some data has: samples of threads, a list of traces.
import { useMemo, useState } from "preact/hooks";
import { shortName } from "../data/names";
import type { Head, ProfiledFunction } from "../data/types";
import { bytes, count, duration, percent, placeText, time } from "../format";
import { type Route, useScope } from "../state";
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
      width: [112, 1],
      value: (r) => rows[r][key],
      show: (r) => `${count(rows[r][key])} (${percent(rows[r][key], profile?.samples ?? 0)})`,
    });
    return [
      {
        key: "function",
        title: "function",
        value: (r) => rows[r].function,
        show: (r) => shortName(rows[r].function),
        width: [210, 4],
      },
      { key: "place", title: "where", value: (r) => placeText(rows[r].file, rows[r].line), path: true },
      figure("self"),
      figure("total"),
      figure("interesting"),
      figure("running", true),
      figure("blocked", true),
    ];
  }, [side]);
  return (
    <>
      <h1>Where threads were</h1>
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

/** Start page of `inmem serve`: sorts and searches by any column, and picks two to compare. */
export function ListPage({ head, route }: { head: Head; route: Route }) {
  const traces = head.traces ?? [];
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const [picked, pick] = useState<readonly number[]>([]);
  const columns = useMemo((): Column[] => {
    const link = (row: number) => `/trace?${new URLSearchParams({ file: traces[row].file, token })}`;
    const text = (key: "command" | "host" | "labels", width: [number, number], hidden = false): Column => ({
      key,
      title: key,
      width,
      hidden,
      value: (r) => traces[r][key],
    });
    return [
      {
        key: "compare",
        title: "two",
        hint: "Those to compare",
        width: [44, 0],
        value: (r) => (picked.includes(r) ? 0 : 1),
        show: (r) => (
          <input
            type="checkbox"
            value={traces[r].file}
            aria-label={`Compare ${traces[r].file}`}
            checked={picked.includes(r)}
            disabled={traces[r].error !== "" || (picked.length === 2 && !picked.includes(r))}
            onChange={() => pick(picked.includes(r) ? picked.filter((p) => p !== r) : [...picked, r])}
          />
        ),
      },
      {
        key: "trace",
        title: "trace",
        value: (r) => traces[r].file,
        show: (r) => (traces[r].error ? traces[r].file : <a href={link(r)}>{traces[r].file}</a>),
      },
      { ...text("command", [200, 4]), show: (r) => traces[r].error || traces[r].command },
      {
        key: "started",
        title: "started",
        numeric: true,
        width: [170, 0],
        value: (r) => traces[r].start_unix_ns,
        show: (r) => time(traces[r].start_unix_ns),
      },
      {
        key: "ran",
        title: "ran",
        numeric: true,
        value: (r) => traces[r].duration_ns,
        show: (r) =>
          traces[r].running ? "running" : traces[r].duration_ns > 0 ? duration(traces[r].duration_ns) : "–",
      },
      text("labels", [150, 3]),
      {
        key: "build",
        title: "build",
        hint: "The build ID of the program",
        value: (r) => traces[r].build,
        show: (r) => <code>{traces[r].build.slice(0, 12)}</code>,
      },
      text("host", [110, 1], true),
      { key: "size", title: "size", numeric: true, value: (r) => traces[r].bytes, show: (r) => bytes(traces[r].bytes) },
    ];
  }, [traces, picked, token]);
  const compareTwo = () => {
    const [old, now] = [...picked]
      .sort((x, y) => traces[x].start_unix_ns - traces[y].start_unix_ns)
      .map((r) => traces[r].file);
    location.href = `/diff?${new URLSearchParams({ old, new: now, token })}`;
  };
  return (
    <main class="list" id="main">
      <h1>Traces</h1>
      {traces.length === 0 ? (
        <Empty>No *.inmem file in this folder yet.</Empty>
      ) : (
        <Table
          name="traces"
          label="traces"
          route={route}
          rows={traces.length}
          columns={columns}
          sort="started down"
          text={(r) =>
            [traces[r].file, traces[r].command, traces[r].labels, traces[r].build, traces[r].host].join("\n")
          }
          note={
            <button type="button" disabled={picked.length !== 2} onClick={compareTwo}>
              Compare two
            </button>
          }
        />
      )}
    </main>
  );
}
