import { isText } from "./choices";
import { readList } from "../../../lib/csv";
import { hasTexts } from "./jsontext";
import type { ColumnInfo } from "./tables";
import { withReference } from "./shapes";
import { elementOf, isJSON, isKnown, isSpatial, isUnequal, typed } from "./values";

/** Filter is a condition on a column, as it is typed. */
export interface Filter {
  column: string;
  operator: string;
  /** Undefined until something is typed. */
  value: string | undefined;
}

/** Filters are conditions that all hold, or of which any does. */
export interface Filters {
  any: boolean;
  list: Filter[];
}

/** Order is a column that rows are sorted by. */
export interface Order {
  column: string;
  descending: boolean;
}

/** operators are those of conditions, with their names in rules. */
const operators: Record<string, string> = {
  "=": "_eq",
  "<>": "_neq",
  "<": "_lt",
  "<=": "_lte",
  ">": "_gt",
  ">=": "_gte",
  "one of": "_in",
  "none of": "_nin",
  like: "_ilike",
  "not like": "_nilike",
  "is NULL": "_is_null",
  "is not NULL": "_is_null",
};

export const operatorNames = Object.keys(operators);

/** takesValue reports whether an operator compares with a value. */
export function takesValue(operator: string): boolean {
  return operators[operator] !== "_is_null";
}

/** takesList reports whether an operator compares with several values, which readList reads. */
export function takesList(operator: string): boolean {
  return /^_n?in$/.test(operators[operator] ?? "");
}

/** empties are types whose values may be empty texts. */
const empties = /char|text|string|^(name|hstore|ltree|tsquery|tsvector|varbit|xml)$/i;

/** isWhole reports whether a condition has all that it needs. */
function isWhole(filter: Filter, columns: ColumnInfo[]): boolean {
  if (!takesValue(filter.operator)) return true;
  if (takesList(filter.operator)) return /[^,\s]/.test(filter.value ?? "");
  return filter.value !== undefined && (filter.value !== "" || empties.test(typeOf(filter, columns)));
}

function typeOf(filter: Filter, columns: ColumnInfo[]): string {
  return columns.find((c) => c.name === filter.column)?.type ?? "";
}

/** problemOf is what is wrong with a condition before the server sees it, undefined for nothing. */
export function problemOf(kind: string, filter: Filter, columns: ColumnInfo[]): string | undefined {
  if (!isWhole(filter, columns)) return undefined;
  try {
    ruleOf(kind, filter, columns);
    return undefined;
  } catch (e) {
    return (e as Error).message;
  }
}

/** counted are the conditions that are whole and not wrong, with their numbers. */
function counted(kind: string, filters: Filters, columns: ColumnInfo[]): number[] {
  return filters.list.flatMap((f, i) => (isWhole(f, columns) && problemOf(kind, f, columns) === undefined ? [i] : []));
}

/** whereOfFilters is the rule of conditions. Those that aren't whole, or wrong, are left out. */
export function whereOfFilters(kind: string, filters: Filters, columns: ColumnInfo[]): object {
  const rules = counted(kind, filters, columns).map((i) => ruleOf(kind, filters.list[i]!, columns));
  return filters.any && rules.length > 0 ? { _or: rules } : { _and: rules };
}

function ruleOf(kind: string, filter: Filter, columns: ColumnInfo[]): object {
  const type = typeOf(filter, columns);
  const { operator, value = "" } = filter;
  const known = operators[operator]!;
  const rule = (operation: object) => ({ [filter.column]: operation });
  if (known === "_is_null") return rule({ _is_null: operator === "is NULL" });
  if (/like$/.test(known))
    return rule({ [kind === "mssql" || kind === "bigquery" ? known.replace("ilike", "like") : known]: value });
  const many = takesList(operator);
  const values = many ? readList(value) : [value];
  const negated = known === "_neq" || known === "_nin";
  // A list of lists is one of more dimensions to the server.
  if (many && type.endsWith("[]"))
    return {
      [negated ? "_and" : "_or"]: values.map((v) =>
        ruleOf(kind, { ...filter, operator: negated ? "<>" : "=", value: v }, columns),
      ),
    };
  if ((many || known === "_eq" || negated) && values.some((v) => isComparedAsText(kind, type, v))) {
    const texts = values.flatMap(withAnyLineEnd);
    return rule({ _cast: { text: negated ? { _nin: texts } : { _in: texts } } });
  }
  if (!many && (known === "_eq" || negated) && isText(type) && value.includes("\n"))
    return rule({ [negated ? "_nin" : "_in"]: withAnyLineEnd(value) });
  if (isSpatial(elementOf(type)) && (many || known === "_eq" || negated)) {
    // It has no <>. In a list GeoJSON that names no reference system has none; others take it for WGS 84, so that it is
    // found either way.
    const shapes = values.map((v) => typed(type, v)).flatMap((v) => (hasTexts(kind) ? withReference(v) : [v]));
    return rule(many || negated || shapes.length > 1 ? { [negated ? "_nin" : "_in"]: shapes } : { _eq: shapes[0] });
  }
  return rule({ [known]: many ? values.map((v) => typed(type, v)) : typed(type, value) });
}

/**
 * isComparedAsText reports whether a value is found by the text that the database writes for it: where there is no
 * equality, in composite values, which may have parts without one, and for the null of JSON, which conditions take for
 * NULL.
 */
function isComparedAsText(kind: string, type: string, value: string): boolean {
  if (isJSON(type) && value.trim() === "null") {
    if (kind === "bigquery") throw new Error("The null of JSON can't be looked for.");
    return true;
  }
  if (kind === "sqlite") return isJSON(type); // it has no equality but that of texts, which may have blanks
  return hasTexts(kind) && (isUnequal(type) || (!isKnown(type) && /^\s*[({]/.test(value)));
}

/**
 * withAnyLineEnd are the texts that a typed one stands for: its line ends may be of any kind in the database, as
 * controls have one of their own.
 */
function withAnyLineEnd(text: string): string[] {
  return text.includes("\n") && !text.includes("\r")
    ? ["\n", "\r\n", "\r"].map((end) => text.replaceAll("\n", end))
    : [text];
}

/** faultedBy is the number of the condition that an error of the server is about, undefined when it is about none. */
export function faultedBy(
  kind: string,
  path: string | undefined,
  filters: Filters,
  columns: ColumnInfo[],
): number | undefined {
  const [, place] = /\._(?:and|or)\[1\]\._(?:and|or)\[(\d+)\]/.exec(path ?? "") ?? [];
  return place === undefined ? undefined : counted(kind, filters, columns)[Number(place)];
}
