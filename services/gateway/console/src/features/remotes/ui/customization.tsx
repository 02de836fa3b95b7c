import { useId, useState, type ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { isInterfaceType, isIntrospectionType, isObjectType, isSpecifiedScalarType, type GraphQLSchema } from "graphql";
import { nameProblem } from "../../data/model/names";
import { remoteQuery } from "../api/remotes";
import { namesOf } from "../api/renamed";
import type { RemoteCustomization, RemoteFieldNames } from "../../../lib/http/types";
import type { CustomProps, Field } from "../../../ui/forms/types";
import { at } from "../../../lib/json/path";
import { Pairs, wordsFor } from "../../../ui/forms/pairs";
import { useServer } from "../../../lib/session";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { Button } from "../../../ui/button";

const section = "Customization";
const base = "definition.customization";

/** shownTypes bounds the types of the preview. */
const shownTypes = 200;

/** customizationFields give types and fields of a remote other names; those that it has are known once it was added. */
export function customizationFields(remote: string | undefined): Field[] {
  const custom = (
    path: string,
    label: string,
    control: (props: CustomProps, schema: GraphQLSchema | undefined) => ReactNode,
  ): Field => ({
    path,
    label,
    section,
    kind: "custom",
    control: (props) =>
      remote === undefined ? (
        control(props, undefined)
      ) : (
        <WithSchema key={path} remote={remote}>
          {(schema) => control(props, schema)}
        </WithSchema>
      ),
  });
  const check = (text: string) => nameProblem(text);
  return [
    {
      path: `${base}.root_fields_namespace`,
      label: "Root field namespace",
      section,
      kind: "text",
      check,
      hint: "A field that has those of the remote below it.",
    },
    { path: `${base}.type_names.prefix`, label: "Type name prefix", section, kind: "text", check },
    { path: `${base}.type_names.suffix`, label: "Type name suffix", section, kind: "text" },
    custom(`${base}.type_names.mapping`, "Names of single types", (props, schema) => (
      <Pairs
        legend={props.field.label}
        words={wordsFor("Type")}
        fault={props.fault}
        names={schema && typesOf(schema).map((t) => t.name)}
        value={at(props.value, props.field.path) as Record<string, string> | undefined}
        change={(pairs) => props.change(Object.keys(pairs).length > 0 ? pairs : undefined)}
        faultOf={(name) =>
          schema && !schema.getType(name)
            ? `The remote has no type ${name}.`
            : nameFault((at(props.value, props.field.path) as Record<string, string> | undefined)?.[name])
        }
      />
    )),
    custom(`${base}.field_names`, "Names of the fields of single types", (props, schema) => (
      <FieldNames {...props} schema={schema} />
    )),
    ...(remote === undefined ? [] : [preview(remote)]),
  ];
}

function preview(remote: string): Field {
  const label = "What becomes of its names";
  return {
    path: base,
    label,
    section,
    kind: "custom",
    control: (props) => (
      <Previewed remote={remote} customization={(at(props.value, base) ?? {}) as RemoteCustomization} />
    ),
  };
}

function Previewed(props: { remote: string; customization: RemoteCustomization }) {
  const found = useQuery(remoteQuery(useServer(), props.remote));
  if (found.isPending) return <Loading what="the schema" />;
  if (found.isLoadingError) return <Failure error={found.error} retry={() => void found.refetch()} />;
  return <Preview schema={found.data.schema} customization={props.customization} />;
}

function nameFault(name: string | undefined): string | undefined {
  return name ? nameProblem(name) : undefined;
}

function WithSchema(props: { remote: string; children: (schema: GraphQLSchema | undefined) => ReactNode }) {
  const found = useQuery(remoteQuery(useServer(), props.remote));
  return <>{props.children(found.data?.schema)}</>;
}

function typesOf(schema: GraphQLSchema) {
  return Object.values(schema.getTypeMap()).filter((t) => !isIntrospectionType(t) && !isSpecifiedScalarType(t));
}

/** FieldNames are the names of fields, by types. */
function FieldNames(props: CustomProps & { schema: GraphQLSchema | undefined }) {
  const { field, value, fault, change, schema } = props;
  const list = (at(value, field.path) as RemoteFieldNames[] | undefined) ?? [];
  const id = useId();
  // The lines have numbers of their own, so that what is typed stays with its type.
  const [numbers, setNumbers] = useState(() => list.map((_, i) => i));
  const set = (next: RemoteFieldNames[]) => change(next.length > 0 ? next : undefined);
  const replace = (i: number, part: Partial<RemoteFieldNames>) =>
    set(list.map((old, j) => (i === j ? { ...old, ...part } : old)));
  const owners = schema && typesOf(schema).filter((t) => isObjectType(t) || isInterfaceType(t));
  return (
    <fieldset className="field">
      <legend>{field.label}</legend>
      <datalist id={`${id}-types`}>
        {owners?.map((t) => (
          <option key={t.name} value={t.name} />
        ))}
      </datalist>
      {list.map((names, i) => {
        const type = owners?.find((t) => t.name === names.parent_type);
        const n = i + 1;
        return (
          <div key={numbers[i] ?? i} className="rule" role="group" aria-label={`Fields of type ${n}`}>
            <div className="fields">
              <label>
                Name of type {n}{" "}
                <input
                  type="text"
                  autoComplete="off"
                  list={`${id}-types`}
                  value={names.parent_type}
                  onChange={(e) => replace(i, { parent_type: e.target.value })}
                />
              </label>
              <label>
                Prefix of fields {n}{" "}
                <input
                  type="text"
                  autoComplete="off"
                  value={names.prefix ?? ""}
                  onChange={(e) => replace(i, { prefix: e.target.value || undefined })}
                />
              </label>
              <label>
                Suffix of fields {n}{" "}
                <input
                  type="text"
                  autoComplete="off"
                  value={names.suffix ?? ""}
                  onChange={(e) => replace(i, { suffix: e.target.value || undefined })}
                />
              </label>
              <Button
                aria-label={`Remove the names of type ${n}`}
                onPress={() => {
                  setNumbers(numbers.filter((_, j) => j !== i));
                  set(list.filter((_, j) => j !== i));
                }}
              >
                Remove
              </Button>
            </div>
            {owners && names.parent_type && !type && (
              <span className="removed">The remote has no type {names.parent_type} with fields.</span>
            )}
            <Pairs
              legend={`Names of single fields of ${names.parent_type || "the type"}`}
              words={{
                name: (m) => `Field ${m} of type ${n}`,
                value: (m) => `Name of field ${m} of type ${n}`,
                remove: (m) => `Remove field ${m} of type ${n}`,
                add: `Add a field of type ${n}`,
              }}
              names={type && (isObjectType(type) || isInterfaceType(type)) ? Object.keys(type.getFields()) : undefined}
              value={names.mapping}
              change={(mapping) =>
                replace(i, {
                  mapping: Object.keys(mapping).length > 0 ? (mapping as Record<string, string>) : undefined,
                })
              }
              faultOf={(name) => nameFault(names.mapping?.[name])}
            />
          </div>
        );
      })}
      <Button
        onPress={() => {
          setNumbers([...numbers, Math.max(-1, ...numbers) + 1]);
          set([...list, { parent_type: "" }]);
        }}
      >
        Add a type with fields
      </Button>
      {fault && <span className="removed">{fault}</span>}
    </fieldset>
  );
}

/** Preview shows the names that come of it. */
function Preview(props: { schema: GraphQLSchema; customization: RemoteCustomization }) {
  const { namespace, roots, types, twice } = namesOf(props.schema, props.customization);
  const changed = types.filter((t) => t.name !== t.remote || t.fields.length > 0);
  return (
    <section aria-label="What becomes of its names" className="form">
      <h3>What becomes of its names</h3>
      {twice.length > 0 && <p className="removed">More than one has the name {twice.join(", ")}.</p>}
      <ul className="changes" aria-label="Root fields">
        {roots.map((r) => (
          <li key={r.operation}>
            {r.operation}:{" "}
            <code>
              {namespace ? `${namespace} { ` : ""}
              {r.fields.map((f) => f.name).join(", ")}
              {namespace && " }"}
            </code>
          </li>
        ))}
      </ul>
      {changed.length === 0 && <p className="hint">The types and their fields keep their names.</p>}
      <ul className="changes" aria-label="Types">
        {changed.slice(0, shownTypes).map((t) => (
          <li key={t.remote}>
            <code>{t.remote}</code>{" "}
            {t.name !== t.remote && (
              <>
                becomes <code className="added">{t.name}</code>
              </>
            )}
            {t.fields.length > 0 && (
              <>
                , of its fields{" "}
                {t.fields.map((f, i) => (
                  <span key={f.remote}>
                    {i > 0 && ", "}
                    <code>{f.remote}</code> becomes <code className="added">{f.name}</code>
                  </span>
                ))}
              </>
            )}
          </li>
        ))}
        {changed.length > shownTypes && <li className="hint">{changed.length - shownTypes} more</li>}
      </ul>
    </section>
  );
}
