import { hasDatasets } from "./kinds";
import type { Name, Source } from "../../../lib/http/types";

/** TableInfo is the answer of get_table_info. */
export interface TableInfo {
  name: Name;
  type: "table" | "view";
  columns: ColumnInfo[];
  primary_key?: string[];
  foreign_keys?: Record<string, { foreign_table: Name; column_mapping: Record<string, string> }>;
  description?: string;
  insertable: boolean;
  updatable: boolean;
  deletable: boolean;
}

export interface ColumnInfo {
  name: string;
  type: string;
  nullable: boolean;
  description?: string;
  insertable: boolean;
  updatable: boolean;
  /** Where a value comes from when none is given. */
  value_generated?: { type: string };
}

/** schemaOf is the schema of a name, or what its kind of sources has in its place. */
export function schemaOf(n: Name): string | undefined {
  return n.schema ?? n.dataset;
}

/** nameIn is a name as the kind of a source has it. */
export function nameIn(source: Source, schema: string | undefined, name: string): Name {
  if (!schema) return { name };
  return hasDatasets(source.kind) ? { dataset: schema, name } : { schema, name };
}

export function display(n: Name): string {
  const schema = schemaOf(n);
  return schema ? `${schema}.${n.name}` : n.name;
}

export function keyOf(n: Name): string {
  return JSON.stringify([schemaOf(n) ?? "", n.name]);
}
