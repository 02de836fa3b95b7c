import type { TableInfo } from "./tables";
import type { TableDescription } from "../../../lib/http/types";
import { comparable } from "./values";

/**
 * rowKeyOf are the columns that tell rows apart, of those that are read: the primary key, or the shortest unique key
 * without NULL; undefined where there is none. Partial indexes don't hold for all rows, and one with a collation of its
 * own may take for different what an equality takes for the same.
 */
export function rowKeyOf(
  kind: string,
  info: TableInfo,
  described: TableDescription | undefined,
  readable: string[],
): string[] | undefined {
  const types = new Map(
    info.columns.filter((c) => !c.nullable && readable.includes(c.name)).map((c) => [c.name, c.type]),
  );
  const tells = (key: string[]) => key.length > 0 && key.every((c) => types.has(c) && comparable(kind, types.get(c)!));
  if (info.primary_key?.every((c) => readable.includes(c))) return info.primary_key;
  const indexes = described?.indexes ?? [];
  const unique = [
    ...(described?.constraints ?? [])
      .filter((k) => k.type === "unique" && !indexes.some((i) => i.name === k.name && i.invalid))
      .map((k) => k.columns ?? []),
    ...indexes
      .filter((i) => i.unique && !i.invalid && !i.where && !/\bCOLLATE\b/i.test(i.definition ?? ""))
      .map((i) => i.columns.map((c) => (types.has(c) ? c : unquoted(c)))),
  ];
  return unique.filter(tells).toSorted((a, b) => a.length - b.length)[0];
}

/** unquoted is the name of a column of an index, which PostgreSQL quotes as SQL would. */
function unquoted(name: string): string {
  return /^"([^"]|"")+"$/.test(name) ? name.slice(1, -1).replaceAll('""', '"') : name;
}
