import { useQuery } from "@tanstack/react-query";
import { prefixOf } from "../../../lib/http/prefix";
import { functionsQuery, signature, type FunctionInfo } from "../api/functions";
import { rolesOf } from "../../permissions/model/roles";
import { display, keyOf } from "../model/tables";
import type { Function, MetadataDocument, Name, Source } from "../../../lib/http/types";
import type { Field } from "../../../ui/forms/types";
import { Form } from "../../../ui/forms/form";
import { Roles } from "../../../ui/forms/roles";
import { useServer } from "../../../lib/session";
import { useConfirm, type Confirmed } from "../../../ui/confirm";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { Pre } from "../../../ui/pre";
import { Button } from "../../../ui/button";

/**
 * FunctionView shows a function: what it takes and returns, how it is tracked, or why it can't be, and who may call it.
 */
export default function FunctionView(props: { document: MetadataDocument; source: Source; name: Name }) {
  const { document, source, name } = props;
  const found = useQuery(functionsQuery(useServer(), source));
  const { confirm, dialog } = useConfirm();
  const overloads = (found.data ?? []).filter((f) => keyOf(f.name) === keyOf(name));
  const tracked = source.functions?.find((f) => keyOf(f.function) === keyOf(name));
  const refusal = overloads.find((f) => f.refusal)?.refusal;
  const target = { source: source.name, function: name };
  const prefix = prefixOf(source.kind);
  return (
    <>
      <div className="row">
        <h2>{display(name)}</h2>
        {tracked && (
          <Button
            look="danger"
            onPress={() => confirm({ title: "Untrack", request: { type: `${prefix}_untrack_function`, args: target } })}
          >
            Untrack…
          </Button>
        )}
      </div>
      {found.isPending && <Loading what="the function" />}
      {found.isLoadingError && <Failure error={found.error} retry={() => void found.refetch()} />}
      {found.data && overloads.length === 0 && <p className="removed">The database has no such function.</p>}
      {overloads.map((f, i) => (
        <p key={i}>
          <code>{signature(f)}</code>{" "}
          <span className="hint">
            {f.volatility} {f.description}
          </span>
        </p>
      ))}
      {!tracked && refusal && (
        <Pre className="removed" label="Why it can't be tracked">
          {refusal}
        </Pre>
      )}
      {!tracked && !refusal && overloads[0] && (
        <Form
          title="Track"
          initial={{ ...target }}
          fields={() => [...fieldsOf(overloads[0]!), { path: "comment", label: "Comment", kind: "text" }]}
          request={(args) => ({ type: `${prefix}_track_function`, args })}
          done={() => {}}
        />
      )}
      {tracked && (
        <Tracked document={document} source={source} tracked={tracked} info={overloads[0]} confirm={confirm} />
      )}
      {dialog}
    </>
  );
}

function Tracked(props: {
  document: MetadataDocument;
  source: Source;
  tracked: Function;
  info: FunctionInfo | undefined;
  confirm: (c: Confirmed) => void;
}) {
  const { document, source, tracked, info, confirm } = props;
  const prefix = prefixOf(source.kind);
  const target = { source: source.name, function: tracked.function };
  const query =
    tracked.configuration?.exposed_as === "query" ||
    (!tracked.configuration?.exposed_as && info?.volatility !== "VOLATILE");
  return (
    <>
      <Roles
        allowed={(tracked.permissions ?? []).map((p) => p.role)}
        roles={rolesOf(document)}
        allow={(role) =>
          confirm({
            title: "Allow it",
            request: { type: `${prefix}_create_function_permission`, args: { ...target, role } },
          })
        }
        withdraw={(role) =>
          confirm({
            title: "Revoke it",
            request: { type: `${prefix}_drop_function_permission`, args: { ...target, role } },
          })
        }
      />
      <p className="hint">
        A role also has to be allowed to select from {info?.return_table ? display(info.return_table) : "the table"}.
        {query && (
          <>
            {" "}
            Unless <code>--infer-function-permissions=false</code>, each role that may do so may call this function.
          </>
        )}
      </p>
      <h3>Names and arguments</h3>
      <Form
        follows
        title="Change"
        confirm
        initial={{ ...target, configuration: tracked.configuration ?? {} }}
        fields={() => (info ? fieldsOf(info) : [])}
        request={(args) => ({ type: `${prefix}_set_function_customization`, args: { configuration: {}, ...args } })}
        done={() => {}}
      />
    </>
  );
}

/** fieldsOf are those of the configuration of a function. */
function fieldsOf(info: FunctionInfo): Field[] {
  const json = info.arguments.filter((a) => /^jsonb?$/.test(a.type) && a.name).map((a) => a.name!);
  return [
    {
      path: "configuration.exposed_as",
      label: "Root",
      kind: "choice",
      options: [
        {
          value: "",
          label: info.volatility === "VOLATILE" ? "mutation, as it is VOLATILE" : `query, as it is ${info.volatility}`,
        },
        { value: "query", label: "query" },
        { value: "mutation", label: "mutation" },
      ],
    },
    { path: "configuration.custom_name", label: "Other name", kind: "text" },
    { path: "configuration.custom_root_fields.function", label: "Name of the field", kind: "text" },
    {
      path: "configuration.custom_root_fields.function_aggregate",
      label: "Name of the field for aggregates",
      kind: "text",
    },
    {
      path: "configuration.session_argument",
      label: "Argument that gets the session variables",
      kind: "choice",
      options: [{ value: "", label: "none" }, ...json.map((n) => ({ value: n, label: n }))],
      hint: "One of type json.",
    },
  ];
}
