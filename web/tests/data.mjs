// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data of a page, read by another decoder than its own.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";

/** Head and columns of the page in `file`. */
export function dataOf(file) {
  const html = readFileSync(file, "utf8");
  const text = /id="inmem-data">([^<]*)</.exec(html)[1];
  const bytes = inflateSync(Buffer.from(text, "base64"));
  const size = bytes.readUInt32LE(0);
  const head = JSON.parse(bytes.subarray(4, 4 + size).toString("utf8"));
  let at = 4 + size;
  const columns = {};
  for (const [name, count, kind] of head.columns) {
    const values = [];
    let before = 0n;
    for (let i = 0; i < count; i++) {
      let value = 0n;
      for (let shift = 0n; ; shift += 7n) {
        const byte = BigInt(bytes[at++]);
        value |= (byte & 127n) << shift;
        if (byte < 128n) break;
      }
      if (kind !== "u") value = value & 1n ? -(value >> 1n) - 1n : value >> 1n;
      if (kind === "d") before = value += before;
      values.push(Number(value));
    }
    columns[name] = values;
  }
  assert.equal(at, bytes.length);
  return { head, columns };
}
