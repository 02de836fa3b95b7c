import { keyRule } from "./conditions";
import { Raw } from "./exact";
import type { Row } from "./tables";

/** tellNulls tells the null of JSON from NULL, which an answer has the same word for: the rows are asked which of them aren't NULL. */
export async function tellNulls(rows: Row[], columns: string[], key: string[], select: (where: object) => Promise<Row[]>): Promise<void> {
  for (const column of columns) {
    const empty = new Map(rows.filter((r) => r[column] === null).map((r) => [JSON.stringify(keyRule(key, r)), r]));
    if (empty.size === 0) continue;
    const found = await select({ $and: [{ $or: [...empty.values()].map((r) => keyRule(key, r)) }, { [column]: { _is_null: false } }] });
    for (const row of found) {
      const known = empty.get(JSON.stringify(keyRule(key, row)));
      if (known) known[column] = new Raw("null");
    }
  }
}
