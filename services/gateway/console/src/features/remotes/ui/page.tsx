import { useMemo } from "react";
import { getRouteApi } from "@tanstack/react-router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { graphqlLanguageSupport } from "cm6-graphql";
import { Tab, TabList, TabPanel } from "react-aria-components";
import { exportQuery, inconsistencyQuery } from "../../metadata/api/queries";
import { remoteQuery } from "../api/remotes";
import { rolesOf } from "../../permissions/model/roles";
import type { MetadataDocument, RemoteSchema } from "../../../lib/http/types";
import { Editor } from "../../../ui/editor";
import type { Field } from "../../../ui/forms/types";
import { Form } from "../../../ui/forms/form";
import { useServer } from "../../../lib/session";
import { useConfirm } from "../../../ui/confirm";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { MasterDetail } from "../../../ui/masterdetail";
import { Tabs } from "../../../ui/tabs";
import { customizationFields } from "./customization";
import { Permissions } from "./permissions";
import { Relationships, relationshipsOf } from "./relationships";
import { Button } from "../../../ui/button";
import { Title } from "../../../ui/title";

const route = getRouteApi("/remote-schemas");

/** RemoteSchemasPage has the other GraphQL servers whose fields are part of the API. */
export function RemoteSchemasPage() {
  const server = useServer();
  const metadata = useQuery(exportQuery(server));
  return (
    <div className="page">
      <Title name="Remote schemas" />
      {metadata.isPending && <Loading what="the remote schemas" />}
      {metadata.isLoadingError && <Failure error={metadata.error} retry={() => void metadata.refetch()} />}
      {metadata.data && <RemoteSchemas document={metadata.data.metadata} />}
    </div>
  );
}

/** fieldsOf are those of a remote; one that is there has a schema to name things from. */
const fieldsOf = (remote?: string): Field[] => [
  { path: "definition.url", label: "Address", kind: "text", hint: "{{NAME}} in it is a variable of the environment." },
  {
    path: "definition.url_from_env",
    label: "Variable that has the address",
    kind: "text",
    hint: "Instead of an address.",
  },
  { path: "definition.headers", label: "Headers", kind: "headers" },
  { path: "definition.forward_client_headers", label: "Forward client headers", kind: "flag" },
  { path: "definition.timeout_seconds", label: "Seconds until a call has failed", kind: "number" },
  { path: "comment", label: "Comment", kind: "text" },
  ...customizationFields(remote),
];

function RemoteSchemas(props: { document: MetadataDocument }) {
  const { document } = props;
  const { name } = route.useSearch();
  const navigate = route.useNavigate();
  const open = (n: string | undefined) => void navigate({ search: { name: n } });
  const remotes = document.remote_schemas ?? [];
  const shown = remotes.find((r) => r.name === name);
  return (
    <MasterDetail
      words={{
        list: "All remote schemas",
        one: "Remote schema",
        add: "Add a remote schema",
        choose: "Choose a remote schema.",
        none: "None: a remote schema is another GraphQL server, whose fields become part of the API.",
      }}
      items={remotes}
      shown={shown}
      id={name ?? ""}
      name={(r) => r.name}
      about={(r) => `${r.definition.url ?? r.definition.url_from_env} ${r.comment ?? ""}`}
      open={(r) => open(r?.name)}
      form={(close) => (
        <>
          <h2>A remote schema</h2>
          <Form
            title="Add"
            initial={{ definition: { timeout_seconds: 60 } }}
            fields={() => [{ path: "name", label: "Name", kind: "text", required: true }, ...fieldsOf()]}
            request={(args) => ({ type: "add_remote_schema", args })}
            done={(value) => close(() => open(String(value.name)))}
            cancel={() => close()}
          />
        </>
      )}
    >
      {(one, gone, moved) => (
        <Shown
          key={one.name}
          remote={one}
          gone={gone}
          document={document}
          removed={() => moved(() => open(undefined))}
        />
      )}
    </MasterDetail>
  );
}

function Shown(props: { remote: RemoteSchema; gone: boolean; document: MetadataDocument; removed: () => void }) {
  const { remote, gone, document, removed } = props;
  const server = useServer();
  const client = useQueryClient();
  const { confirm, dialog } = useConfirm();
  const inconsistencies = useQuery(inconsistencyQuery(server));
  const bad = inconsistencies.data?.inconsistent_objects.find(
    (o) => o.type === "remote_schema" && o.name?.endsWith(remote.name),
  );
  const found = useQuery(remoteQuery(server, remote.name));
  const reload = useMutation({
    mutationFn: () => server.metadata("reload_remote_schema", { name: remote.name }),
    onSettled: () => client.invalidateQueries(),
  });
  const { permissions = [], remote_relationships: _, ...args } = remote;
  // A remote schema that is added has neither.
  const parts = () => [
    ...permissions.map((p) => ({ type: "add_remote_schema_permissions", args: { remote_schema: remote.name, ...p } })),
    ...relationshipsOf(remote).map((args) => ({ type: "create_remote_schema_remote_relationship", args })),
  ];
  const graphql = useMemo(() => graphqlLanguageSupport(), []);
  return (
    <>
      <div className="row">
        <h2>{remote.name}</h2>
        {bad && <span className="removed">can't be used: {bad.reason}</span>}
        <Button isPending={reload.isPending} onPress={() => reload.mutate()}>
          Reload
        </Button>
        <Button
          onPress={() =>
            confirm({
              title: "Remove",
              request: { type: "remove_remote_schema", args: { name: remote.name } },
              done: removed,
            })
          }
        >
          Remove…
        </Button>
        <span role="status" className="hint">
          {reload.isPending ? "Reloading…" : reload.isSuccess ? "Reloaded" : ""}
        </span>
      </div>
      {reload.error && <Failure error={reload.error} />}
      {inconsistencies.isLoadingError && (
        <Failure error={inconsistencies.error} retry={() => void inconsistencies.refetch()} />
      )}
      <Tabs first="schema">
        <TabList aria-label="Parts of the remote schema">
          <Tab id="schema">Schema</Tab>
          <Tab id="permissions">Permissions</Tab>
          <Tab id="relationships">Relationships</Tab>
          <Tab id="definition">Definition</Tab>
        </TabList>
        <TabPanel id="schema">
          {found.isPending && <Loading what="the schema" />}
          {found.isLoadingError && <Failure error={found.error} retry={() => void found.refetch()} />}
          {found.data !== undefined && (
            <div className="editor-half">
              <Editor label="Schema of the remote" value={found.data.sdl} extensions={graphql} readOnly />
            </div>
          )}
        </TabPanel>
        <TabPanel id="permissions">
          <Permissions remote={remote} roles={rolesOf(document)} />
        </TabPanel>
        <TabPanel id="relationships">
          <Relationships remote={remote.name} document={document} relationships={relationshipsOf(remote)} />
        </TabPanel>
        <TabPanel id="definition">
          <Form
            follows
            title={gone ? "Create it again" : "Change"}
            confirm={!gone}
            initial={{ ...args }}
            fields={() => fieldsOf(remote.name)}
            request={(value) =>
              gone
                ? { type: "bulk", args: [{ type: "add_remote_schema", args: value }, ...parts()] }
                : { type: "update_remote_schema", args: value }
            }
            done={() => {}}
          />
        </TabPanel>
      </Tabs>
      {dialog}
    </>
  );
}
