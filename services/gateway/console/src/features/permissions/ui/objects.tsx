import { lazy, Suspense, useState } from "react";
import { Link } from "@tanstack/react-router";
import { prefixOf } from "../../../lib/http/prefix";
import { allowOf, grantOfObject, uses, withdrawOf, type Permitted } from "../model/objects";
import { parentsOf } from "../model/permissions";
import { schemaOf } from "../../data/model/tables";
import type { LogicalModel, MetadataDocument, Source } from "../../../lib/http/types";
import { chunk } from "../../../lib/chunk";
import type { Field } from "../../../ui/forms/types";
import { Form } from "../../../ui/forms/form";
import { useConfirm } from "../../../ui/confirm";
import { Loading } from "../../../ui/progress";
import { Names } from "../../../ui/forms/names";
import { Known, knownOf } from "./rule/known";
import { RuleField } from "./rule/field";
import { scalarIn } from "../model/rule";
import { Button } from "../../../ui/button";

const RemoteRole = lazy(chunk(() => import("../../remotes/ui/role")));

/** ObjectEditor edits what a role may do with an object that isn't a table. */
export function ObjectEditor(props: {
  document: MetadataDocument;
  source: Source | undefined;
  object: Permitted;
  role: string;
}) {
  const { document, source, object, role } = props;
  const { confirm, dialog } = useConfirm();
  const [adding, setAdding] = useState(false);
  const grant = grantOfObject(object, role, parentsOf(document));
  const own = object.permissions.find((p) => p.role === role);
  const written = object.kind === "remote schema" || object.kind === "logical model";
  return (
    <>
      <div className="row">
        <h2>
          {role} and {object.kind} {object.name}
        </h2>
        <Leads source={source} object={object} />
      </div>
      {grant === "inherited" && (
        <p className="hint">The role inherits this from its roles; a permission of its own takes the place of that.</p>
      )}
      {!grant && (
        <p className="hint">
          {role} may not {uses[object.kind]} it.
        </p>
      )}
      {object.kind === "function" && (
        <p className="hint">
          The role also has to be allowed to select the rows that it returns; unless{" "}
          <code>--infer-function-permissions=false</code>, that alone is enough for functions that are queries.
        </p>
      )}
      <div className="row">
        {!own && !written && (
          <Button look="primary" onPress={() => confirm({ title: "Allow it", request: allowOf(source, object, role) })}>
            Allow {uses[object.kind]}…
          </Button>
        )}
        {!own && written && !adding && (
          <Button look="primary" onPress={() => setAdding(true)}>
            Allow {uses[object.kind]}
          </Button>
        )}
        {own && (
          <Button
            look="danger"
            onPress={() =>
              confirm({ title: "Revoke", request: withdrawOf(source, object, role), done: () => setAdding(false) })
            }
          >
            Revoke {uses[object.kind]}…
          </Button>
        )}
      </div>
      {object.kind === "remote schema" && (own || adding) && (
        <Suspense fallback={<Loading what="the schema" />}>
          <RemoteRole remote={object.remote} role={role} />
        </Suspense>
      )}
      {object.kind === "logical model" && source && (own || adding) && (
        <Known value={knownOf(document)}>
          <Form
            follows
            title="Save"
            confirm
            initial={
              own ? { permission: own.permission, comment: own.comment } : { permission: { columns: [], filter: {} } }
            }
            fields={() => modelFields(source, object.model)}
            request={(args) => ({
              type: `${prefixOf(source.kind)}_create_logical_model_select_permission`,
              args: { source: source.name, name: object.name, role, ...args },
            })}
            done={() => setAdding(false)}
          />
        </Known>
      )}
      {dialog}
    </>
  );
}

/** Leads leads to the page of the object. */
function Leads(props: { source: Source | undefined; object: Permitted }) {
  const { source, object } = props;
  switch (object.kind) {
    case "function":
      return (
        <Link
          to="/data"
          search={{ source: source?.name, schema: schemaOf(object.function), function: object.function.name }}
        >
          The function
        </Link>
      );
    case "action":
      return (
        <Link to="/actions" search={{ name: object.name }}>
          The action
        </Link>
      );
    case "remote schema":
      return (
        <Link to="/remote-schemas" search={{ name: object.name }}>
          The remote schema
        </Link>
      );
    case "logical model":
      return (
        <Link to="/data" search={{ source: source?.name, view: "queries" }}>
          The logical model
        </Link>
      );
  }
}

/** modelFields are those of the form for a permission on a logical model. */
function modelFields(source: Source, model: LogicalModel): Field[] {
  return [
    {
      path: "permission.columns",
      label: "Fields",
      kind: "custom",
      control: (props) => (
        <Names
          {...props}
          names={model.fields.map((f) => ({ name: f.name, about: scalarIn(f.type) }))}
          all="*"
          allText="All columns (including future ones)"
        />
      ),
    },
    {
      path: "permission.filter",
      label: "Rows",
      kind: "custom",
      required: true,
      hint: "The rule that a row meets; {} is every row.",
      control: (props) => <RuleField {...props} source={source} table={{ name: model.name }} model={model} />,
    },
    { path: "comment", label: "Comment", kind: "text" },
  ];
}
