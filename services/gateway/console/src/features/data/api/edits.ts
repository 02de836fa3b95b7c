import type { Server } from "../../../lib/http/client";
import { equals, keyRule } from "../model/conditions";
import { asked, asText, sent, withTexts } from "../model/jsontext";
import { rowKeyOf } from "../model/keys";
import type { RunAs } from "../../../lib/http/runas";
import type { ColumnInfo, TableInfo } from "../model/tables";
import type { Source, TableDescription } from "../../../lib/http/types";
import { asBefore } from "../model/shapes";
import type { Row } from "../../../lib/json/rows";
import { textOf } from "../../../lib/json/exact";
import { comparable, isSpatial } from "../model/values";

/** Draft is what a column is to get. */
export interface Draft {
  how: "value" | "null" | "default";
  text: string;
}

/** Target is the table that rows are written to, and as whom. */
export interface Target {
  source: Source;
  info: TableInfo;
  described: TableDescription | undefined;
  as: RunAs;
}

/** Written is what became of a change of a row: there is another row now, or none that the role can change. */
export type Written = { done: true } | { done: false; now: Row };

/** draftOf is a value of a row as it is typed. */
export function draftOf(column: ColumnInfo, row: Row): Draft {
  return row[column.name] === null ? { how: "null", text: "" } : { how: "value", text: textOf(row[column.name]) };
}

/** sameDraft reports whether two drafts give the same. */
export function sameDraft(a: Draft, b: Draft): boolean {
  return a.how === b.how && (a.how !== "value" || a.text === b.text);
}

/** valuesOf are the values of drafts by columns, and what is wrong with those that have none. */
export function valuesOf(
  kind: string,
  columns: ColumnInfo[],
  drafts: Record<string, Draft>,
): { values: Row; wrong: Record<string, string> } {
  const values: Row = {};
  const wrong: Record<string, string> = {};
  for (const c of columns) {
    const draft = drafts[c.name];
    if (!draft || draft.how === "default") continue;
    try {
      values[c.name] = draft.how === "null" ? null : sent(kind, c.type, draft.text);
    } catch (e) {
      wrong[c.name] = (e as Error).message;
    }
  }
  return { values, wrong };
}

/**
 * writeRow changes a row as long as the columns that it changes have the values that were read. Types without an
 * equality are compared by what is read right before; with anyway nothing is.
 */
export async function writeRow(
  server: Server,
  { source, info, described, as }: Target,
  row: Row,
  values: Row,
  anyway = false,
): Promise<Written> {
  const key = rowKeyOf(source.kind, info, described, Object.keys(row));
  const of = { source: source.name, table: info.name };
  const typeOf = (name: string) => info.columns.find((c) => c.name === name)?.type ?? "";
  const read = Object.keys(values).filter((c) => c in row && !anyway);
  // A null may be one of JSON, which isn't NULL, and a column of type json can't be requested at all.
  const guarded = read.filter((c) =>
    row[c] === null ? typeOf(c) !== "json" : textOf(row[c]) !== "null" && comparable(source.kind, typeOf(c)),
  );
  const text = asText(source.kind);
  const now = async () =>
    withTexts(
      source.kind,
      info.columns,
      await server.rows<Row[]>(
        "select",
        { ...of, ...text, columns: asked(source.kind, info.columns, Object.keys(row)), where: keyRule(key, row) },
        as,
      ),
    );
  const differs = (found: Row, columns: string[]) => columns.some((c) => textOf(found[c]) !== textOf(row[c]));
  if (guarded.length < read.length) {
    const [found] = await now();
    if (found && differs(found, read)) return { done: false, now: found };
  }
  const where = { $and: [keyRule(key, row), ...guarded.map((c) => equals(c, row[c]))] };
  const $set = Object.fromEntries(
    Object.entries(values).map(([c, v]) => [c, isSpatial(typeOf(c)) ? asBefore(row[c], v) : v]),
  );
  const { affected_rows } = await server.rows<{ affected_rows: number }>("update", { ...of, ...text, where, $set }, as);
  if (affected_rows > 0) return { done: true };
  const [found] = await now();
  if (!found || (anyway ? true : !differs(found, read)))
    throw new Error("Nothing was changed: the row isn't there any more, or the role may not change it.");
  return { done: false, now: found };
}
