// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accesses=on: figures of one field of a class.
import { exact, placeText } from "../format";
import type { Field } from "./schema/report";

/** Reads of any kind. */
export const readsOf = (field: Field): number => (field.reads ?? 0) + (field.copies ?? 0);
export const nameOf = (field: Field): string =>
  field.field === null ? "padding" : (field.of ? `${field.of}::` : "") + (field.field || "(unnamed)");

export type Use = "padding" | "unseen" | "unread" | "read";
export function useOf(field: Field): Use {
  if (field.field === null) return "padding";
  if (readsOf(field) > 0) return "read";
  return field.opaque ? "unseen" : "unread";
}

/** One line for the pointer, and for screen readers. */
export function hintOf(field: Field): string {
  const where = `bytes ${field.offset} to ${field.offset + field.bytes - 1}`;
  if (field.field === null) return `padding, ${where}`;
  const seen = field.opaque ? "; code that does not name it may access it, too" : "";
  const line = field.hottest?.line ? `; mostly at ${placeText(field.hottest.file, field.hottest.line)}` : "";
  const figures = `${exact(field.reads ?? 0)} reads, ${exact(field.copies ?? 0)} copies, ${exact(field.writes ?? 0)} writes`;
  return `${nameOf(field)}: ${field.type}, ${where}; ${figures}${line}${seen}`;
}
