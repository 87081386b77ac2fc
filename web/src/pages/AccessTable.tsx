// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of a class in the order of layout, with reads and writes.
import { nameOf } from "../data/accesses";
import type { Field } from "../data/schema/report";
import { count, exact, placeText } from "../format";

const figure = (value: number | undefined) => (value ? <span title={exact(value)}>{count(value)}</span> : "–");

export function AccessTable({ fields }: { fields: Field[] }) {
  return (
    <div class="wide" tabIndex={0} role="group" aria-label="Reads and writes by field">
      <table>
        <caption class="hide">Reads and writes by field</caption>
        <thead>
          <tr>
            <th scope="col">offset</th>
            <th scope="col">bytes</th>
            <th scope="col" class="text">
              field
            </th>
            <th scope="col">reads</th>
            <th scope="col">writes</th>
            <th scope="col">copies</th>
            <th scope="col">hottest line</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((f, i) => (
            <tr key={`${i}`} class={f.field === null ? "dim" : undefined}>
              <td>{f.offset}</td>
              <td>{f.bits !== undefined ? `${f.bits} bit${f.bits === 1 ? "" : "s"}` : f.bytes}</td>
              <th scope="row">
                {nameOf(f)} <span class="dim">{f.type}</span>
              </th>
              <td>
                {f.exact === false ? "≈ " : ""}
                {figure(f.reads)}
                {f.opaque ? " ?" : ""}
              </td>
              <td>{figure(f.writes)}</td>
              <td>{figure(f.copies)}</td>
              <td>{f.hottest?.line ? <code>{placeText(f.hottest.file, f.hottest.line)}</code> : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
