// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counted objects of each class: constructed, alive, copied, by storage.
import { useMemo } from "preact/hooks";
import { bytes, count, placeText } from "../format";
import { linkTo, useScope } from "../state";
import { Empty, PlaceText } from "../ui/parts";
import { type Column, Table } from "../ui/Table";

const storages = ["heap", "stack", "static", "thread", "member", "placed", "unknown"] as const;

export function ObjectsPage() {
  const { side, range, route, type } = useScope();
  const rows = side.report.types;
  const columns = useMemo((): Column[] => {
    const number = (key: string, title: string, of: (r: number) => number | null, hidden = false): Column => ({
      key,
      title,
      numeric: true,
      hidden,
      value: of,
      show: (r) => count(of(r)!),
    });
    const made = (r: number) => Object.values(rows[r].objects!.constructed).reduce((a, b) => a + b, 0);
    return [
      {
        key: "type",
        title: "class",
        value: (r) => side.className(r),
        show: (r) => <a href={linkTo("type", route, { t: String(r) })}>{side.className(r)}</a>,
        width: [210, 4],
      },
      number("made", "constructed", made),
      number("destroyed", "destroyed", (r) => rows[r].objects!.destroyed),
      number("alive", "alive", (r) => rows[r].objects!.alive),
      number("peak", "peak", (r) => rows[r].objects!.peak_alive, true),
      number("copied", "copied", (r) => rows[r].objects!.copied),
      number("moved", "moved", (r) => rows[r].objects!.moved),
      ...storages.map((s) =>
        number(s, s, (r) => rows[r].objects!.constructed[s], s === "unknown" || s === "thread" || s === "placed"),
      ),
    ];
  }, [side]);
  const keep = useMemo(() => (r: number) => rows[r].objects !== null && (type === null || r === type), [side, type]);
  const copies = side.report.copies.filter((c) => type === null || c.type === rows[type].type);
  const copyColumns = useMemo(
    (): Column[] => [
      { key: "type", title: "type", value: (r) => copies[r].type ?? "" },
      { key: "function", title: "function", value: (r) => copies[r].function ?? "" },
      {
        key: "place",
        title: "where",
        value: (r) => placeText(copies[r].file, copies[r].line),
        show: (r) =>
          copies[r].file && copies[r].line ? (
            <a href={linkTo("source", route, { file: copies[r].file!, line: String(copies[r].line) })}>
              <PlaceText text={placeText(copies[r].file, copies[r].line)} />
            </a>
          ) : (
            ""
          ),
      },
      {
        key: "copies",
        title: "copies",
        numeric: true,
        value: (r) => copies[r].copies,
        show: (r) => count(copies[r].copies),
      },
      {
        key: "bytes",
        title: "bytes",
        numeric: true,
        value: (r) => copies[r].bytes,
        show: (r) => bytes(copies[r].bytes!),
      },
    ],
    [side, type],
  );
  return (
    <>
      <h1>Objects</h1>
      {range && <p class="dim">Objects are counted over the whole run, whatever part is chosen.</p>}
      {rows.some((t) => t.objects) ? (
        <Table
          name="objects"
          label="classes"
          rows={rows.length}
          columns={columns}
          sort="made down"
          text={(r) => `${side.className(r)} ${rows[r].type}`}
          keep={keep}
        />
      ) : (
        <Empty>No objects were counted: compile with inmem-clang++.</Empty>
      )}
      {copies.length > 0 && (
        <>
          <h2>Copies</h2>
          <Table
            name="copies"
            label="places that copy"
            prefix="c."
            rows={copies.length}
            columns={copyColumns}
            sort="bytes down"
            height={360}
            text={(r) => `${copies[r].type} ${copies[r].function} ${copies[r].file}`}
          />
        </>
      )}
    </>
  );
}
