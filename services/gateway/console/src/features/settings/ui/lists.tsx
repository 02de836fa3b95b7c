import { useQuery } from "@tanstack/react-query";
import { configQuery } from "../../metadata/api/queries";
import { display } from "../../data/model/tables";
import type { AllowlistEntry, MetadataDocument, PublishedChanges, Source } from "../../../lib/http/types";
import { at, type Value } from "../../../lib/json/path";
import { ObjectList } from "../../../ui/forms/list";
import type { Field } from "../../../ui/forms/types";
import { useServer } from "../../../lib/session";

interface TLSHost {
  host: string;
  suffix?: string;
  permissions?: string[];
}

/** TLSHosts are hosts whose certificates aren't verified. */
export function TLSHosts(props: { document: MetadataDocument }) {
  const hosts = (props.document.network as { tls_allowlist?: TLSHost[] } | undefined)?.tls_allowlist ?? [];
  return (
    <>
      <p className="hint">
        Certificates of these hosts aren&apos;t verified when webhooks, actions and remote schemas are called. Whoever
        is between the engine and them can read and change what is sent.
      </p>
      <ObjectList
        label="TLS hosts"
        none="None: all certificates are verified."
        items={hosts.map((h) => ({
          id: h.suffix ? `${h.host}:${h.suffix}` : h.host,
          about: <span className="hint">{h.permissions?.join(", ")}</span>,
          drop: { type: "drop_host_from_tls_allowlist", args: { host: h.host, ...(h.suffix && { suffix: h.suffix }) } },
        }))}
        add={[
          {
            title: "Add a host",
            initial: { permissions: ["self-signed"] },
            fields: () => [
              { path: "host", label: "Host", kind: "text", required: true },
              { path: "suffix", label: "Port", kind: "text", hint: "All ports where it is left out." },
              { path: "permissions", label: "What is accepted", kind: "list", fixed: true },
            ],
            request: (args) => ({ type: "add_host_to_tls_allowlist", args }),
          },
        ]}
      />
    </>
  );
}

const scopeFields = (value: Value): Field[] => [
  { path: "scope.global", label: "For all roles", kind: "flag" },
  ...(at(value, "scope.global") === true
    ? []
    : [{ path: "scope.roles", label: "For the roles", kind: "list", required: true } as const]),
];

/** scopeOf fills in what a form leaves out. */
function scopeOf(value: Value): Value {
  return { ...value, scope: { global: false, ...(value.scope as object | undefined) } };
}

/** AllowList has the collections whose operations may be run. */
export function AllowList(props: { document: MetadataDocument }) {
  const { document } = props;
  const config = useQuery(configQuery(useServer()));
  const entries = (document.allowlist ?? []) as AllowlistEntry[];
  const others = (document.query_collections ?? []).filter((c) => !entries.some((e) => e.collection === c.name));
  return (
    <>
      <p className="hint">
        {config.data
          ? config.data.is_allow_list_enabled
            ? "It counts: roles other than admin may run its operations alone."
            : "It doesn't count: the server was started without --enable-allowlist, and roles may run any operation."
          : "It counts with --enable-allowlist."}
      </p>
      <ObjectList
        label="Allow list"
        none="None: no collection is on it. Operations are saved to collections on the page API."
        items={entries.map((e) => ({
          id: e.collection,
          about: <span className="hint">{e.scope.global ? "all roles" : e.scope.roles?.join(", ")}</span>,
          change: {
            initial: { scope: e.scope },
            fields: scopeFields,
            request: (args) => ({
              type: "update_scope_of_collection_in_allowlist",
              args: { collection: e.collection, ...scopeOf(args) },
            }),
          },
          drop: { type: "drop_collection_from_allowlist", args: { collection: e.collection } },
        }))}
        add={[
          {
            title: "Allow a collection",
            initial: { scope: { global: true } },
            fields: (value) => [
              {
                path: "collection",
                label: "Collection",
                kind: "choice",
                required: true,
                options: [{ value: "", label: "choose one" }, ...others.map((c) => ({ value: c.name, label: c.name }))],
              },
              ...scopeFields(value),
            ],
            request: (args) => ({ type: "add_collection_to_allowlist", args: scopeOf(args) }),
          },
        ]}
      />
    </>
  );
}

const publicationFields: Field[] = [
  {
    path: "tables",
    label: "Tables",
    kind: "json",
    required: true,
    hint: 'Tracked tables with a primary key, as in [{"schema": "public", "name": "author"}].',
  },
  {
    path: "role",
    label: "Role",
    kind: "text",
    required: true,
    hint: "What is published is what it sees; admin sees everything.",
  },
  {
    path: "session_variables",
    label: "Session variables",
    kind: "json",
    hint: 'What the rules of the role ask for, as in {"x-engine-user-id": "7"}.',
  },
  {
    path: "max_bytes",
    label: "Most bytes of the stream",
    kind: "number",
    hint: "1 GiB where it is left out; at it, the oldest messages leave.",
  },
];

/** Published are the publications of changes of all sources. */
export function Published(props: { document: MetadataDocument }) {
  const sources = props.document.sources.filter((s) => s.kind === "postgres");
  const of = (s: Source, p: PublishedChanges) => ({
    id: `${s.name}: ${p.name}`,
    about: (
      <span className="hint">
        {p.tables.map((t) => display(t)).join(", ")} as {p.role}
      </span>
    ),
    change: {
      initial: { ...p },
      fields: () => publicationFields,
      request: (args: Value) => ({ type: "pg_publish_changes", args: { ...args, source: s.name, replace: true } }),
    },
    drop: { type: "pg_unpublish_changes", args: { source: s.name, name: p.name } },
  });
  return (
    <>
      <p className="hint">
        Changes of tables of PostgreSQL as a stream of NATS JetStream, with the rows as they are to begin with.
      </p>
      <ObjectList
        label="Published changes"
        none="None: no changes are published."
        items={sources.flatMap((s) => (s.published_changes ?? []).map((p) => of(s, p)))}
        add={[
          {
            title: "Publish changes",
            initial: { source: sources[0]?.name },
            fields: () => [
              { path: "name", label: "Name", kind: "text", required: true },
              {
                path: "source",
                label: "Source",
                kind: "choice",
                options: sources.map((s) => ({ value: s.name, label: s.name })),
              },
              ...publicationFields,
            ],
            request: (args) => ({ type: "pg_publish_changes", args }),
          },
        ]}
      />
    </>
  );
}
