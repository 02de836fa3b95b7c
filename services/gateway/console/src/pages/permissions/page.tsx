import { useMemo, useState } from "react";
import { getRouteApi } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { Button, Input, Label, SearchField, Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { parentsOf } from "../../api/permissions";
import { exportQuery } from "../../api/queries";
import { rolesOf } from "../../api/roles";
import { display, keyOf } from "../../api/tables";
import type { MetadataDocument, Source } from "../../api/types";
import { useServer } from "../../session";
import { Failure } from "../../shell/failure";
import { Loading } from "../../shell/progress";
import { SourcePicker } from "../../shell/sources";
import { PermissionEditor } from "./editor";
import { InheritedRoles } from "./inherited";
import { Matrix } from "./matrix";

const route = getRouteApi("/permissions");

/** PermissionsPage has what each role may do with each table of a source. */
export function PermissionsPage() {
  const server = useServer();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const metadata = useQuery(exportQuery(server));
  if (metadata.isPending) return <><h1>Permissions</h1><Loading what="the permissions" /></>;
  if (metadata.error) return <><h1>Permissions</h1><Failure error={metadata.error} retry={() => void metadata.refetch()} /></>;
  const document = metadata.data.metadata;
  const source = document.sources.find((s) => s.name === search.source) ?? document.sources[0];
  return (
    <div className="page">
      <div className="row">
        <h1>Permissions</h1>
        {source && <SourcePicker sources={document.sources} value={source.name} onChange={(name) => void navigate({ search: { source: name } })} />}
      </div>
      <Tabs>
        <TabList aria-label="Permissions or roles"><Tab id="matrix">Tables and roles</Tab><Tab id="inherited">Inherited roles</Tab></TabList>
        <TabPanel id="matrix">
          {source ? <TablesAndRoles key={source.name} document={document} source={source} /> : <p>There is no source: <code>add_source</code> of the metadata API adds one.</p>}
        </TabPanel>
        <TabPanel id="inherited"><InheritedRoles document={document} /></TabPanel>
      </Tabs>
    </div>
  );
}

function TablesAndRoles(props: { document: MetadataDocument; source: Source }) {
  const { document, source } = props;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [table, setTable] = useState("");
  const [role, setRole] = useState("");
  const [added, setAdded] = useState("");
  const [more, setMore] = useState<string[]>([]);
  const parents = useMemo(() => parentsOf(document), [document]);
  const roles = useMemo(() => [...new Set([...more, ...(search.role ? [search.role] : []), ...rolesOf(document)])], [document, more, search.role]);
  const tables = useMemo(() => source.tables.map((t) => ({ table: t, text: display(t.table).toLowerCase() })).sort((a, b) => a.text.localeCompare(b.text)), [source]);
  const shownTables = useMemo(() => tables.filter((t) => t.text.includes(table.toLowerCase())).map((t) => t.table), [tables, table]);
  const shownRoles = roles.filter((r) => r.toLowerCase().includes(role.toLowerCase()));
  const opened = source.tables.find((t) => t.table.name === search.table && (t.table.schema ?? undefined) === search.schema);
  const name = added.trim();
  return (
    <div className="page">
      <div className="fields">
        <SearchField value={table} onChange={setTable}><Label>Find a table</Label><Input /></SearchField>
        <SearchField value={role} onChange={setRole}><Label>Find a role</Label><Input /></SearchField>
        <label>New role<input value={added} autoComplete="off" onChange={(e) => setAdded(e.target.value)} /></label>
        <Button className="button" isDisabled={!name || name === "admin" || roles.includes(name)} onPress={() => { setMore([name, ...more]); setAdded(""); setRole(""); }}>Add the role</Button>
        <span className="hint" role="status">{shownTables.length} tables, {shownRoles.length} roles</span>
      </div>
      {roles.length === 0 && <p className="hint">No role but admin, who may do everything. A new role exists once it has a permission.</p>}
      <Matrix
        tables={shownTables}
        roles={shownRoles}
        parents={parents}
        current={opened && search.role ? { table: keyOf(opened.table), role: search.role } : undefined}
        open={(t, r) => void navigate({ search: { source: source.name, schema: t.table.schema, table: t.table.name, role: r } })}
      />
      <p className="hint">S, I, U and D are select, insert, update and delete; in italics what a role inherits. Arrows move, Enter opens.</p>
      {opened && search.role && (
        <section className="panel" aria-label="Permissions of a role">
          <PermissionEditor key={`${keyOf(opened.table)} ${search.role}`} document={document} source={source} table={opened} role={search.role} />
        </section>
      )}
    </div>
  );
}
