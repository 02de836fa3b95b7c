import { createContext, use, useMemo } from "react";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { fieldsQuery, type Fields } from "../../api/comparisons";
import { fieldName, typeName } from "../../../data/model/names";
import { linksOf, type Link } from "../../../data/model/related";
import { infoQuery } from "../../../data/api/tables";
import type { LogicalModel, Name, Source, Table } from "../../../../lib/http/types";
import { useServer } from "../../../../lib/session";
import { Known } from "./known";
import { keyOf, type TableInfo } from "../../../data/model/tables";
import { scalarIn } from "../../model/rule";

/** Place is the table whose rows a rule is about, or else the logical model. */
export interface Place {
  source: Source;
  table: Name;
  model?: LogicalModel;
  /** The rows aren't those that the whole rule is for. */
  nested?: boolean;
  /** Only columns can be compared: it is in another source. */
  columnsOnly?: boolean;
}

/** Root is the place of the whole rule, which ["$", "column"] refers to. */
export const Root = createContext<Place | undefined>(undefined);

export interface Column {
  name: string;
  type: string | undefined;
}

/** Subject is what a condition of a rule is about. */
export type Subject =
  | { kind: "column"; type: string | undefined; comparison: string | undefined }
  | { kind: "computed"; comparison: string }
  | { kind: "rows"; table: Name }
  | { kind: "link"; link: Link }
  | { kind: "remote"; source: Source; table: Name }
  /** A rule can't be about it, or not as far as it is known here. */
  | { kind: "other"; why: string };

/** Scope is what rules about the rows of a table may name. */
export interface Scope {
  place: Place;
  columns: Column[];
  subject: (name: string) => Subject;
  /** What conditions are offered for, by kind. */
  offered: { title: string; names: { name: string; about?: string }[] }[];
  info: UseQueryResult<TableInfo>;
  fields: UseQueryResult<Fields>;
}

interface RemoteDefinition {
  to_source?: { source: string; table: Name | string; field_mapping: Record<string, string> };
}

/** useScope finds what rules about the rows of a place may name. */
export function useScope(place: Place): Scope {
  const { source, table, model, columnsOnly } = place;
  const server = useServer();
  const { sources } = use(Known);
  const info = useQuery({ ...infoQuery(server, source, table), enabled: model === undefined });
  const tracked: Table | undefined = useMemo(
    () => (model ? { table } : source.tables.find((t) => keyOf(t.table) === keyOf(table))),
    [source, table, model],
  );
  const fields = useQuery({ ...fieldsQuery(server, source, tracked), enabled: tracked !== undefined });
  const known = useMemo(() => {
    const columns: Column[] = model
      ? model.fields.map((f) => ({ name: f.name, type: scalarIn(f.type) }))
      : (info.data?.columns ?? []).map((c) => ({ name: c.name, type: c.type }));
    const subjects = new Map<string, Subject>();
    if (!columnsOnly && tracked) {
      for (const r of tracked.remote_relationships ?? [])
        subjects.set(r.name, remoteSubject(r.definition as RemoteDefinition, columns, sources));
      for (const f of tracked.computed_fields ?? [])
        subjects.set(f.name, computedSubject(source, fields.data, f.name, fields.isSuccess));
      for (const link of linksOf(tracked)) subjects.set(link.name, { kind: "link", link });
    }
    for (const c of columns) {
      const comparison =
        tracked && fields.data ? fields.data.types[fieldName(tracked, c.name, fields.data.convention)] : undefined;
      subjects.set(
        c.name,
        c.type === "json"
          ? { kind: "other", why: "values of type json aren't compared" }
          : { kind: "column", type: c.type, comparison },
      );
    }
    const names = (...kinds: Subject["kind"][]) =>
      [...subjects].filter(([, s]) => kinds.includes(s.kind)).map(([name, s]) => ({ name, about: aboutOf(s) }));
    const offered = [
      { title: "Columns", names: names("column") },
      { title: "Computed fields", names: names("computed", "rows") },
      { title: "Relationships", names: names("link", "remote") },
    ];
    return { columns, subjects, offered: offered.filter((o) => o.names.length > 0) };
  }, [model, info.data, tracked, fields.data, fields.isSuccess, columnsOnly, sources, source]);
  const settled = model !== undefined || !info.isPending;
  return {
    place,
    info,
    fields,
    columns: known.columns,
    offered: known.offered,
    subject: (name) =>
      known.subjects.get(name) ?? {
        kind: "other",
        why: settled ? "there is nothing of this name that a rule can be about" : "…",
      },
  };
}

function aboutOf(subject: Subject): string | undefined {
  switch (subject.kind) {
    case "column":
      return subject.type;
    case "rows":
      return "rows";
    case "link":
      return subject.link.array ? "array" : "object";
    case "remote":
      return `in ${subject.source.name}`;
  }
  return undefined;
}

/**
 * computedSubject finds what a computed field returns by the schema, which leaves out those that the client passes
 * arguments to.
 */
function computedSubject(source: Source, fields: Fields | undefined, name: string, known: boolean): Subject {
  const type = fields?.types[name];
  if (!fields || !type)
    return {
      kind: "other",
      why: known ? "it takes arguments, or can't be used, so that no rule can be about it" : "…",
    };
  const returned = source.tables.find((t) => typeName(source, t, fields.convention, "bool_exp") === type);
  return returned ? { kind: "rows", table: returned.table } : { kind: "computed", comparison: type };
}

/**
 * remoteSubject finds whether a rule can be about the rows that a remote relationship leads to: those in a source,
 * found by a single column.
 */
function remoteSubject(definition: RemoteDefinition, columns: Column[], sources: Source[]): Subject {
  const to = definition.to_source;
  if (!to) return { kind: "other", why: "it leads to a remote schema, which rules can't" };
  const mapped = Object.keys(to.field_mapping);
  if (mapped.length !== 1) return { kind: "other", why: "it maps several columns, which no rule can follow" };
  if (columns.length > 0 && !columns.some((c) => c.name === mapped[0]))
    return { kind: "other", why: `${mapped[0]} isn't a column, so that no rule can follow it` };
  const source = sources.find((s) => s.name === to.source);
  if (!source) return { kind: "other", why: `there is no source ${to.source}` };
  const name = typeof to.table === "string" ? { name: to.table } : to.table;
  const found = source.tables.find(
    (t) =>
      t.table.name === name.name &&
      (name.schema ?? name.dataset ?? t.table.schema ?? t.table.dataset) === (t.table.schema ?? t.table.dataset),
  );
  return found
    ? { kind: "remote", source, table: found.table }
    : { kind: "other", why: `there is no table ${name.name} in ${to.source}` };
}
