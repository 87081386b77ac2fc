// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The block that report/formats/PageData.cpp writes: zlib around a JSON head and
// columns of varints.
import type { Head } from "./types";

export type Columns = Map<string, Float64Array>;

export interface Decoded {
  head: Head;
  columns: Columns;
}

async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Base64 in pieces, so that no string of the whole is made twice. */
function fromBase64(text: string): Uint8Array {
  const native = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array }).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const out = new Uint8Array(Math.floor((text.length * 3) / 4));
  const piece = 1 << 20;
  let at = 0;
  for (let from = 0; from < text.length; from += piece) {
    const raw = atob(text.slice(from, from + piece));
    for (let i = 0; i < raw.length; i++) out[at++] = raw.charCodeAt(i);
  }
  return out.subarray(0, at);
}

function readColumns(head: Head, bytes: Uint8Array, start: number): Columns {
  const columns: Columns = new Map();
  let at = start;
  for (const [name, count, kind] of head.columns ?? []) {
    const values = new Float64Array(count);
    let before = 0;
    for (let i = 0; i < count; i++) {
      let byte = bytes[at++];
      let value = byte & 0x7f;
      for (let scale = 128; byte & 0x80; scale *= 128) {
        byte = bytes[at++];
        value += (byte & 0x7f) * scale;
      }
      if (kind !== "u") {
        value = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
        if (kind === "d") {
          value += before;
          before = value;
        }
      }
      values[i] = value;
    }
    columns.set(name, values);
  }
  return columns;
}

export async function decode(compressed: Uint8Array): Promise<Decoded> {
  const bytes = await inflate(compressed);
  const size = new DataView(bytes.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size))) as Head;
  if (head.schema !== "inmem-page/1") throw new Error(`data of another version: ${head.schema}`);
  return { head, columns: readColumns(head, bytes, 4 + size) };
}

export async function decodeEmbedded(): Promise<Decoded> {
  const element = document.getElementById("inmem-data");
  if (!element) throw new Error("there is no data in this page");
  const text = element.textContent ?? "";
  element.remove();
  return decode(fromBase64(text));
}
