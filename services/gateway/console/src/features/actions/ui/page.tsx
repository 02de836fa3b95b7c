import { getRouteApi } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { Tab, TabList, TabPanel } from "react-aria-components";
import { exportQuery } from "../../metadata/api/queries";
import { rolesOf } from "../../permissions/model/roles";
import type { ActionDefinition, MetadataDocument } from "../../../lib/http/types";
import { FormScope, useConfirmLeave } from "../../../lib/unsaved";
import type { Field } from "../../../ui/forms/types";
import { Form } from "../../../ui/forms/form";
import { Staying } from "../../../ui/forms/staying";
import { Roles } from "../../../ui/forms/roles";
import { transformsField } from "../../transforms/ui/field";
import { useServer } from "../../../lib/session";
import { useConfirm } from "../../../ui/confirm";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { MasterDetail } from "../../../ui/masterdetail";
import { Tabs } from "../../../ui/tabs";
import { Arguments, typeProblem, typesFor } from "./arguments";
import { ofAction } from "../model/samples";
import { CustomTypes } from "./types";
import { Button } from "../../../ui/button";
import { Title } from "../../../ui/title";

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
  if (metadata.isPending)
    return (
      <>
        <Title name="Actions" />
        <Loading what="the actions" />
      </>
    );
  if (metadata.isLoadingError)
    return (
      <>
        <Title name="Actions" />
        <Failure error={metadata.error} retry={() => void metadata.refetch()} />
      </>
    );
  const document = metadata.data.metadata;
  return (
    <div className="page">
      <Title name="Actions" />
      <Tabs first="actions">
        <TabList aria-label="Actions">
          <Tab id="actions">Actions</Tab>
          <Tab id="types">Types</Tab>
        </TabList>
        <TabPanel id="actions">
          <Actions document={document} name={search.name} open={(name) => void navigate({ search: { name } })} />
        </TabPanel>
        <TabPanel id="types">
          <CustomTypes document={document} />
        </TabPanel>
      </Tabs>
    </div>
  );
}

const fieldsOf = (document: MetadataDocument): Field[] => [
  {
    path: "definition.handler",
    label: "Handler",
    kind: "text",
    required: true,
    hint: "An address, in which {{NAME}} is a variable of the environment.",
  },
  {
    path: "definition.type",
    label: "Root",
    kind: "choice",
    options: [
      { value: "mutation", label: "mutation" },
      { value: "query", label: "query" },
    ],
  },
  {
    path: "definition.kind",
    label: "Waiting for the answer",
    kind: "choice",
    options: [
      { value: "synchronous", label: "synchronous" },
      { value: "asynchronous", label: "asynchronous" },
    ],
  },
  {
    path: "definition.arguments",
    label: "Arguments",
    kind: "custom",
    control: (props) => <Arguments {...props} types={typesFor(document, "input")} />,
  },
  {
    path: "definition.output_type",
    label: "Output type",
    kind: "text",
    required: true,
    check: typeProblem,
    suggestions: typesFor(document, "output"),
    hint: "As in [Recommendation!]!; objects are those of Types.",
  },
  { path: "definition.timeout", label: "Seconds until a call has failed", kind: "number" },
  { path: "definition.headers", label: "Headers", kind: "headers" },
  { path: "definition.forward_client_headers", label: "Forward client headers", kind: "flag" },
  {
    path: "definition.ignored_client_headers",
    label: "Headers of the client that aren't passed on",
    kind: "list",
    hint: "Names with commas between them. Those that describe the client's own request, such as Content-Length, when it is empty.",
  },
  { path: "comment", label: "Comment", kind: "text" },
  transformsField(ofAction(document)),
];

function Actions(props: {
  document: MetadataDocument;
  name: string | undefined;
  open: (name: string | undefined) => void;
}) {
  const { document, name, open } = props;
  const actions = (document.actions ?? []) as Action[];
  const shown = actions.find((a) => a.name === name);
  return (
    <MasterDetail
      words={{
        list: "All actions",
        one: "Action",
        add: "New action",
        none: "None: an action is a field of the API that a handler of yours answers.",
        choose: "Choose an action.",
      }}
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
            fields={() => [{ path: "name", label: "Name", kind: "text", required: true }, ...fieldsOf(document)]}
            request={(args) => ({ type: "create_action", args })}
            done={(value) => close(() => open(String(value.name)))}
            cancel={() => close()}
          />
        </>
      )}
    >
      {(one, gone, moved) => (
        <Shown
          key={one.name}
          action={one}
          gone={gone}
          document={document}
          removed={() => moved(() => open(undefined))}
        />
      )}
    </MasterDetail>
  );
}

function Shown(props: { action: Action; gone: boolean; document: MetadataDocument; removed: () => void }) {
  const { action, gone, document, removed } = props;
  const { confirm, dialog } = useConfirm();
  const commenting = useConfirmLeave<string | undefined>(undefined);
  const { permissions = [], ...args } = action;
  const commented = permissions.find((p) => p.role === commenting.value);
  const permission = (role: string, comment: unknown) => ({
    type: "create_action_permission",
    args: { action: action.name, role, comment },
  });
  const withdrawal = (role: string) => ({ type: "drop_action_permission", args: { action: action.name, role } });
  const drop = () =>
    confirm({
      title: "Drop",
      request: { type: "drop_action", args: { name: action.name } },
      choice: {
        label: "Keep the log of its asynchronous calls, which goes with it otherwise",
        request: { type: "drop_action", args: { name: action.name, clear_data: false } },
      },
      done: removed,
    });
  return (
    <>
      <div className="row">
        <h2>{action.name}</h2>
        <Button look="danger" onPress={drop}>
          Drop…
        </Button>
      </div>
      <Roles
        allowed={permissions.map((p) => p.role)}
        roles={rolesOf(document)}
        allow={(role, comment) => confirm({ title: "Allow it", request: permission(role, comment) })}
        comments={{ of: (role) => permissions.find((p) => p.role === role)?.comment, edit: commenting.set }}
        withdraw={(role) => confirm({ title: "Revoke it", request: withdrawal(role) })}
      />
      <FormScope value={commenting.edits}>
        <Staying
          id={commenting.value ?? ""}
          name={`The permission of ${commenting.value}`}
          value={commented}
          hint="allow it again, and it is kept"
        >
          {({ role, comment }, withdrawn) => (
            <section aria-label={`Comment on ${role}`}>
              <Form
                key={role}
                title={withdrawn ? "Allow it again" : "Change the comment"}
                confirm
                initial={{ comment }}
                fields={() => [{ path: "comment", label: `Comment on ${role}`, kind: "text" }]}
                request={(value) =>
                  withdrawn
                    ? permission(role, value.comment)
                    : { type: "bulk", args: [withdrawal(role), permission(role, value.comment)] }
                }
                done={() => commenting.close()}
                cancel={() => commenting.close()}
              />
            </section>
          )}
        </Staying>
      </FormScope>
      <h3>Definition</h3>
      <Form
        follows
        title={gone ? "Create it again" : "Change"}
        confirm
        initial={{ ...args }}
        fields={() => fieldsOf(document)}
        request={(value) =>
          gone
            ? {
                type: "bulk",
                args: [
                  { type: "create_action", args: value },
                  ...permissions.map((p) => permission(p.role, p.comment)),
                ],
              }
            : { type: "update_action", args: value }
        }
        done={() => {}}
      />
      {dialog}
    </>
  );
}
