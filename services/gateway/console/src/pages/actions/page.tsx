import { getRouteApi } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { Button, Tab, TabList, TabPanel } from "react-aria-components";
import { exportQuery } from "../../api/queries";
import { rolesOf } from "../../api/roles";
import type { ActionDefinition, MetadataDocument } from "../../api/types";
import type { Field } from "../../forms/fields";
import { Form } from "../../forms/form";
import { Roles } from "../../forms/roles";
import { useServer } from "../../session";
import { useConfirm } from "../../shell/confirm";
import { Failure } from "../../shell/failure";
import { Loading } from "../../shell/progress";
import { Split } from "../../shell/split";
import { Tabs } from "../../shell/tabs";
import { CustomTypes } from "./types";

const route = getRouteApi("/actions");

/** Action is an action as the document has it. */
interface Action {
  name: string;
  definition: ActionDefinition;
  comment?: string;
  permissions?: { role: string; comment?: string }[];
}

/** ActionsPage has the actions, who may use them, and the types that are made for them. */
export function ActionsPage() {
  const server = useServer();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const metadata = useQuery(exportQuery(server));
  if (metadata.isPending) return <><h1>Actions</h1><Loading what="the actions" /></>;
  if (metadata.isLoadingError) return <><h1>Actions</h1><Failure error={metadata.error} retry={() => void metadata.refetch()} /></>;
  const document = metadata.data.metadata;
  return (
    <div className="page">
      <h1>Actions</h1>
      <Tabs first="actions">
        <TabList aria-label="Actions"><Tab id="actions">Actions</Tab><Tab id="types">Types</Tab></TabList>
        <TabPanel id="actions"><Actions document={document} name={search.name} open={(name) => void navigate({ search: { name } })} /></TabPanel>
        <TabPanel id="types"><CustomTypes types={document.custom_types} /></TabPanel>
      </Tabs>
    </div>
  );
}

const fields: Field[] = [
  { path: "definition.handler", label: "Handler", kind: "text", required: true, hint: "An address, in which {{NAME}} is a variable of the environment." },
  { path: "definition.type", label: "Root", kind: "choice", options: [{ value: "mutation", label: "mutation" }, { value: "query", label: "query" }] },
  { path: "definition.kind", label: "Waiting for the answer", kind: "choice", options: [{ value: "synchronous", label: "synchronous" }, { value: "asynchronous", label: "asynchronous" }] },
  { path: "definition.arguments", label: "Arguments", kind: "json", hint: 'As in [{"name": "id", "type": "Int!"}].' },
  { path: "definition.output_type", label: "Type of the answer", kind: "text", required: true, hint: "As in [Recommendation!]!; objects are those of Types." },
  { path: "definition.timeout", label: "Seconds until a call has failed", kind: "number" },
  { path: "definition.headers", label: "Headers", kind: "headers" },
  { path: "definition.forward_client_headers", label: "Pass on the headers of the client", kind: "flag" },
  { path: "comment", label: "Comment", kind: "text" },
  { path: "definition.request_transform", label: "Transform of the request", kind: "json" },
  { path: "definition.response_transform", label: "Transform of the response", kind: "json" },
];

function Actions(props: { document: MetadataDocument; name: string | undefined; open: (name: string | undefined) => void }) {
  const { document, name, open } = props;
  const actions = (document.actions ?? []) as Action[];
  const shown = actions.find((a) => a.name === name);
  return (
    <Split
      words={{ list: "All actions", one: "Action", add: "New action", none: "None: an action is a field of the API that a handler of yours answers.", choose: "Choose an action." }}
      items={actions}
      shown={shown}
      id={name ?? ""}
      name={(a) => a.name}
      about={(a) => `${a.definition.type ?? "mutation"}: ${a.definition.output_type}`}
      open={(a) => open(a?.name)}
      form={(close) => (
        <>
          <h2>New action</h2>
          <Form
            title="Create"
            initial={{ definition: { type: "mutation", kind: "synchronous", arguments: [] } }}
            fields={() => [{ path: "name", label: "Name", kind: "text", required: true }, ...fields]}
            request={(args) => ({ type: "create_action", args })}
            done={(value) => { close(); open(String(value.name)); }}
            cancel={close}
          />
        </>
      )}
    >
      {(one, gone) => <Shown key={one.name} action={one} gone={gone} roles={rolesOf(document)} removed={() => open(undefined)} />}
    </Split>
  );
}

function Shown(props: { action: Action; gone: boolean; roles: string[]; removed: () => void }) {
  const { action, gone, roles, removed } = props;
  const { confirm, dialog } = useConfirm();
  const { permissions = [], ...args } = action;
  return (
    <>
      <div className="row">
        <h2>{action.name}</h2>
        <Button className="button" onPress={() => confirm({ title: "Drop", request: { type: "drop_action", args: { name: action.name } }, done: removed })}>Drop…</Button>
      </div>
      <Roles
        allowed={permissions.map((p) => p.role)}
        roles={roles}
        allow={(role) => confirm({ title: "Allow it", request: { type: "create_action_permission", args: { action: action.name, role } } })}
        withdraw={(role) => confirm({ title: "Withdraw it", request: { type: "drop_action_permission", args: { action: action.name, role } } })}
      />
      <h3>Definition</h3>
      <Form follows title={gone ? "Create it anew" : "Change"} confirm initial={{ ...args }} fields={() => fields} request={(value) => ({ type: gone ? "create_action" : "update_action", args: value })} done={() => {}} />
      {dialog}
    </>
  );
}
