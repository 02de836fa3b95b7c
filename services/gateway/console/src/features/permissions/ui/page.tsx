import { useMemo, useState, type ReactNode } from "react";
import { getRouteApi } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { Input, Label, SearchField, Tab, TabList, TabPanel } from "react-aria-components";

import { grantOfObject, permittedOf, uses } from "../model/objects";
import {
  conflictOf,
  grantOf,
  isWhole,
  operations,
  parentsOf,
  type Operation,
  type Parents,
} from "../model/permissions";
import { exportQuery } from "../../metadata/api/queries";
import { rolesOf } from "../model/roles";
import { display, keyOf, schemaOf } from "../../data/model/tables";
import { effectiveOf } from "../api/roleschema";
import type { MetadataDocument, Source, Table } from "../../../lib/http/types";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { Failure } from "../../../ui/failure";
import { Staying } from "../../../ui/forms/staying";
import { NoSource } from "../../../ui/empty";
import { Loading } from "../../../ui/progress";
import { SourcePicker } from "../../../ui/sources";
import { Tabs } from "../../../ui/tabs";
import { PermissionEditor } from "./editor";
import { InheritedRoles } from "./inherited";
import { Matrix, type Mark, type MatrixRow } from "./matrix";
import { ObjectEditor } from "./objects";
import { Roles } from "./roles";
import { Crumb, Title } from "../../../ui/title";

const route = getRouteApi("/permissions");

/** PermissionsPage has what each role may do with each table of a source, and with what else can be allowed. */
export function PermissionsPage() {
  const server = useServer();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const metadata = useQuery(exportQuery(server));
  if (metadata.isPending)
    return (
      <>
        <Title name="Permissions" />
        <Loading what="the permissions" />
      </>
    );
  if (metadata.isLoadingError)
    return (
      <>
        <Title name="Permissions" />
        <Failure error={metadata.error} retry={() => void metadata.refetch()} />
      </>
    );
  const document = metadata.data.metadata;
  const source = document.sources.find((s) => s.name === search.source) ?? document.sources[0];
  return (
    <div className="page">
      <Title name="Permissions">
        {source && (
          <Crumb>
            <SourcePicker
              sources={document.sources}
              value={source.name}
              onChange={(name) => void navigate({ search: { source: name } })}
            />
          </Crumb>
        )}
      </Title>
      <Tabs first={search.kind === undefined ? "matrix" : "objects"}>
        <TabList aria-label="Permissions or roles">
          <Tab id="matrix">Tables and roles</Tab>
          <Tab id="objects">Functions, actions and more</Tab>
          <Tab id="inherited">Inherited roles</Tab>
          <Tab id="roles">Roles</Tab>
        </TabList>
        <TabPanel id="matrix">
          {source ? (
            <TablesAndRoles key={source.name} document={document} source={source} />
          ) : (
            <NoSource what="Permissions are given on the tables of a source." />
          )}
        </TabPanel>
        <TabPanel id="objects">
          <ObjectsAndRoles key={source?.name} document={document} source={source} />
        </TabPanel>
        <TabPanel id="inherited">
          <InheritedRoles document={document} />
        </TabPanel>
        <TabPanel id="roles">
          <Roles document={document} />
        </TabPanel>
      </Tabs>
    </div>
  );
}

/** TablesAndRoles has the tables of a source. */
function TablesAndRoles(props: { document: MetadataDocument; source: Source }) {
  const { document, source } = props;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const parents = useMemo(() => parentsOf(document), [document]);
  const tables = useMemo(() => new Map(source.tables.map((t) => [keyOf(t.table), t])), [source]);
  const rows = useMemo(
    () =>
      [...tables].map(([key, t]): MatrixRow => ({
        key,
        name: display(t.table),
        operations,
        marks: (role) => operations.map((o) => markOf(t, o, role, parents)),
      })),
    [tables, parents],
  );
  const opened =
    search.kind === undefined && search.table !== undefined
      ? tables.get(keyOf({ name: search.table, schema: search.schema }))
      : undefined;
  return (
    <Grants
      document={document}
      words={{ label: "Tables and roles", head: "Table", find: "Find a table", many: "tables" }}
      rows={rows}
      opened={opened && keyOf(opened.table)}
      open={(row, role) => {
        const { table } = tables.get(row.key)!;
        void navigate({ search: { source: source.name, schema: schemaOf(table), table: table.name, role } });
      }}
      hint="S, I, U and D are select, insert, update and delete: filled for all rows and columns, framed for a part of them, ! where inherited roles differ"
    >
      {search.role && (
        <Staying
          id={`${search.schema} ${search.table} ${search.role}`}
          name={search.table ?? ""}
          value={opened}
          hint="it can be saved when the table is tracked again"
        >
          {(table) => (
            <PermissionEditor
              key={`${keyOf(table.table)} ${search.role}`}
              document={document}
              source={source}
              table={table}
              role={search.role!}
            />
          )}
        </Staying>
      )}
    </Grants>
  );
}

/** markOf finds how a role comes by an operation, and whether it has all of it. */
function markOf(table: Table, operation: Operation, role: string, parents: Parents): Mark {
  const grant = grantOf(table, operation, role, parents);
  if (!grant) return { grant, but: conflictOf(table, operation, role, parents).length > 0 ? "in conflict" : undefined };
  return {
    grant,
    but: effectiveOf(table, operation, role, parents).some((p) => isWhole(operation, p)) ? undefined : "in part",
  };
}

/**
 * ObjectsAndRoles has what else roles are allowed to use: functions and logical models of a source, actions, and remote
 * schemas.
 */
function ObjectsAndRoles(props: { document: MetadataDocument; source: Source | undefined }) {
  const { document, source } = props;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const parents = useMemo(() => parentsOf(document), [document]);
  const objects = useMemo(
    () => new Map(permittedOf(document, source).map((o) => [`${o.kind} ${o.name}`, o])),
    [document, source],
  );
  const rows = useMemo(
    () =>
      [...objects].map(([key, o]): MatrixRow => ({
        key,
        name: key,
        operations: [uses[o.kind]],
        marks: (role) => [{ grant: grantOfObject(o, role, parents) }],
      })),
    [objects, parents],
  );
  const key = `${search.kind} ${search.name}`;
  const opened = search.kind === undefined ? undefined : objects.get(key);
  if (objects.size === 0)
    return <p className="hint">There are no functions, actions, remote schemas and logical models.</p>;
  return (
    <Grants
      document={document}
      words={{ label: "Objects and roles", head: "Object", find: "Find an object", many: "objects" }}
      rows={rows}
      opened={opened && key}
      open={(row, role) => {
        const { kind, name } = objects.get(row.key)!;
        void navigate({ search: { source: source?.name, kind, name, role } });
      }}
      hint="C, Q and S are call, query and select"
    >
      {search.role && (
        <Staying id={`${key} ${search.role}`} name={key} value={opened} hint="it can be saved when that is there again">
          {(object) => (
            <ObjectEditor
              key={`${key} ${search.role}`}
              document={document}
              source={source}
              object={object}
              role={search.role!}
            />
          )}
        </Staying>
      )}
    </Grants>
  );
}

interface GrantsProps {
  document: MetadataDocument;
  words: { label: string; head: string; find: string; many: string };
  rows: MatrixRow[];
  opened: string | undefined;
  open: (row: MatrixRow, role: string) => void;
  /** What the letters are. */
  hint: string;
  /** The editor of what is open. */
  children: ReactNode;
}

/** Grants is a matrix of objects and roles, both found by their names, with the editor of the cell that is open. */
function Grants(props: GrantsProps) {
  const { document, words, rows, opened, open, hint, children } = props;
  const search = route.useSearch();
  const [wanted, setWanted] = useState("");
  const [role, setRole] = useState("");
  const [added, setAdded] = useState("");
  const [more, setMore] = useState<string[]>([]);
  const roles = useMemo(() => {
    const known = rolesOf(document);
    const named = search.role && !known.includes(search.role) ? [search.role] : []; // one that is known stays where it is
    return [...new Set([...more, ...named, ...known])];
  }, [document, more, search.role]);
  const sorted = useMemo(
    () => rows.map((row) => ({ row, text: row.name.toLowerCase() })).sort((a, b) => a.text.localeCompare(b.text)),
    [rows],
  );
  const shown = useMemo(
    () => sorted.filter((r) => r.text.includes(wanted.toLowerCase())).map((r) => r.row),
    [sorted, wanted],
  );
  const shownRoles = roles.filter((r) => r.toLowerCase().includes(role.toLowerCase()));
  const name = added.trim();
  return (
    <div className="page">
      <div className="fields">
        <SearchField value={wanted} onChange={setWanted}>
          <Label>{words.find}</Label>
          <Input />
        </SearchField>
        <SearchField value={role} onChange={setRole}>
          <Label>Find a role</Label>
          <Input />
        </SearchField>
        <label>
          New role
          <input value={added} autoComplete="off" onChange={(e) => setAdded(e.target.value)} />
        </label>
        <Button
          isDisabled={!name || name === "admin" || roles.includes(name)}
          onPress={() => {
            setMore([name, ...more]);
            setAdded("");
            setRole("");
          }}
        >
          Add the role
        </Button>
        <span className="hint" role="status">
          {shown.length} {words.many}, {shownRoles.length} roles
        </span>
      </div>
      {roles.length === 0 && (
        <p className="hint">No role but admin, who may do everything. A new role exists once it has a permission.</p>
      )}
      <Matrix
        label={words.label}
        head={words.head}
        rows={shown}
        roles={shownRoles}
        current={opened && search.role ? { key: opened, role: search.role } : undefined}
        open={open}
      />
      <p className="hint">{hint}; in italics what a role inherits. Arrows move, Enter opens.</p>
      {children && (
        <section className="panel edited" aria-label="Permissions of a role">
          {children}
        </section>
      )}
    </div>
  );
}
