import { isJSON, typed } from "./values";
import type { ColumnInfo } from "./tables";

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
const operators: Record<string, string> = { "=": "_eq", "<>": "_neq", "<": "_lt", "<=": "_lte", ">": "_gt", ">=": "_gte", "one of": "_in", "none of": "_nin", like: "_ilike", "not like": "_nilike", "is NULL": "_is_null", "is not NULL": "_is_null" };

export const operatorNames = Object.keys(operators);

/** takesValue reports whether an operator compares with a value. */
export function takesValue(operator: string): boolean {
  return operators[operator] !== "_is_null";
}

/** isWhole reports whether a condition has all that it needs. Only texts can be empty. */
function isWhole(filter: Filter, columns: ColumnInfo[]): boolean {
  if (!takesValue(filter.operator)) return true;
  return filter.value !== undefined && (filter.value !== "" || /char|text|string/i.test(typeOf(filter, columns)));
}

function typeOf(filter: Filter, columns: ColumnInfo[]): string {
  return columns.find((c) => c.name === filter.column)?.type ?? "";
}

/** problemOf is what is wrong with a condition before the server sees it, undefined for nothing. */
export function problemOf(filter: Filter, columns: ColumnInfo[]): string | undefined {
  if (!isWhole(filter, columns)) return undefined;
  try {
    ruleOf("postgres", filter, columns);
    return undefined;
  } catch (e) {
    return (e as Error).message;
  }
}

/** counted are the conditions that are whole and not wrong, with their numbers. */
function counted(filters: Filters, columns: ColumnInfo[]): number[] {
  return filters.list.flatMap((f, i) => (isWhole(f, columns) && problemOf(f, columns) === undefined ? [i] : []));
}

/** whereOfFilters is the rule of conditions. Those that aren't whole, or wrong, are left out. */
export function whereOfFilters(kind: string, filters: Filters, columns: ColumnInfo[]): object {
  const rules = counted(filters, columns).map((i) => ruleOf(kind, filters.list[i]!, columns));
  return filters.any && rules.length > 0 ? { _or: rules } : { _and: rules };
}

function ruleOf(kind: string, filter: Filter, columns: ColumnInfo[]): object {
  const type = typeOf(filter, columns);
  const known = operators[filter.operator]!;
  const operator = kind === "mssql" || kind === "bigquery" ? known.replace("ilike", "like") : known;
  return { [filter.column]: { [operator]: operandOf(filter, operator, type) } };
}

function operandOf({ operator, value = "" }: Filter, name: string, type: string): unknown {
  if (name === "_is_null") return operator === "is NULL";
  if (name === "_in" || name === "_nin") return value.split(",").map((v) => typed(type, v.trim()));
  if (/like$/.test(name)) return value;
  if (isJSON(type) && value.trim() === "null") throw new Error("The null of JSON can't be looked for.");
  return typed(type, value);
}

/** faultedBy is the number of the condition that an error of the server is about, undefined when it is about none. */
export function faultedBy(path: string | undefined, filters: Filters, columns: ColumnInfo[]): number | undefined {
  const [, place] = /\._(?:and|or)\[1\]\._(?:and|or)\[(\d+)\]/.exec(path ?? "") ?? [];
  return place === undefined ? undefined : counted(filters, columns)[Number(place)];
}
