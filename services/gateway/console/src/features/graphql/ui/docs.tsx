import { useMemo, useState } from "react";
import { Input, Label, SearchField } from "react-aria-components";
import {
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
} from "graphql";
import { Button } from "../../../ui/button";

/** shownItems bounds the fields and types that are listed at once; the search narrows them. */
const shownItems = 200;

/** Looked is a type, or a field of it, that was looked up in the editor. */
export interface Looked {
  type: string;
  field?: string;
}

/** Docs explores a schema: types with their fields, one after the other. */
export function Docs(props: { schema: GraphQLSchema; looked?: Looked }) {
  const { schema, looked } = props;
  const [path, setPath] = useState<string[]>(looked ? [looked.type] : []);
  const [wanted, setWanted] = useState(looked?.field ?? "");
  const [last, setLast] = useState(looked);
  const open = (name: string, field = "") => {
    setPath([...path, name]);
    setWanted(field);
  };
  if (looked && looked !== last) {
    setLast(looked);
    open(looked.type, looked.field);
  }
  const current = path.length ? schema.getType(path[path.length - 1]!) : undefined;
  return (
    <section className="docs" aria-label="Documentation of the schema">
      <div className="row">
        <h2>{current?.name ?? "Schema"}</h2>
        {path.length > 0 && (
          <Button
            onPress={() => {
              setPath(path.slice(0, -1));
              setWanted("");
            }}
          >
            Back
          </Button>
        )}
      </div>
      <SearchField value={wanted} onChange={setWanted}>
        <Label>Find</Label>
        <Input />
      </SearchField>
      {current ? (
        <TypeDocs schema={schema} type={current} wanted={wanted} open={open} />
      ) : (
        <Types schema={schema} wanted={wanted} open={open} />
      )}
    </section>
  );
}

interface PartProps {
  wanted: string;
  open: (name: string, field?: string) => void;
}

/** Types has the root types, or the types and fields of the schema that are looked for. */
function Types(props: PartProps & { schema: GraphQLSchema }) {
  const { schema, wanted, open } = props;
  const fields = useMemo(
    () =>
      Object.values(schema.getTypeMap()).flatMap((type) =>
        type.name.startsWith("__")
          ? []
          : [{ type, name: "" }, ...Object.keys(fieldsOf(type)).map((name) => ({ type, name }))],
      ),
    [schema],
  );
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
    type ? [{ type: type as GraphQLNamedType, name: "" }] : [],
  );
  // Types are before fields, and what begins with the words is before what only has them.
  const found = wanted
    ? fields.filter((f) => matches(f.name || f.type.name, wanted)).sort((a, b) => rank(a, wanted) - rank(b, wanted))
    : roots;
  return (
    <ul>
      {found.slice(0, shownItems).map((f) => (
        <li key={`${f.type.name}.${f.name}`}>
          {f.name ? (
            <Button look="link" onPress={() => open(f.type.name, f.name)}>
              {f.type.name}.{f.name}
            </Button>
          ) : (
            <TypeLink type={f.type} open={open} />
          )}
        </li>
      ))}
      <More hidden={found.length - shownItems} />
    </ul>
  );
}

function rank(found: { type: GraphQLNamedType; name: string }, wanted: string): number {
  const name = (found.name || found.type.name).toLowerCase();
  return (found.name ? 3 : 0) + (name === wanted.toLowerCase() ? 0 : name.startsWith(wanted.toLowerCase()) ? 1 : 2);
}

function TypeDocs(props: PartProps & { schema: GraphQLSchema; type: GraphQLNamedType }) {
  const { schema, type, wanted, open } = props;
  const fields = Object.values(fieldsOf(type)).filter((f) => matches(f.name, wanted));
  const interfaces = isObjectType(type) || isInterfaceType(type) ? type.getInterfaces() : [];
  return (
    <>
      {type.description && <p className="description">{type.description}</p>}
      {interfaces.length > 0 && (
        <p>
          Implements{" "}
          {interfaces.map((t) => (
            <TypeLink key={t.name} type={t} open={open} />
          ))}
        </p>
      )}
      <ul>
        {fields.slice(0, shownItems).map((f) => (
          <li key={f.name}>
            <code>{f.name}</code>
            {"args" in f && f.args.length > 0 && (
              <span>
                {" "}
                (
                {f.args.map((a, i) => (
                  <span key={a.name}>
                    {i > 0 && ", "}
                    <code title={a.description ?? undefined}>{a.name}</code>: <TypeLink type={a.type} open={open} />
                    <Default of={a} />
                  </span>
                ))}
                )
              </span>
            )}
            : <TypeLink type={f.type} open={open} />
            {!("args" in f) && <Default of={f} />}
            {f.deprecationReason != null && <span className="mark">deprecated: {f.deprecationReason}</span>}
            {f.description && <p className="description">{f.description}</p>}
          </li>
        ))}
        <More hidden={fields.length - shownItems} />
        {isEnumType(type) &&
          type
            .getValues()
            .filter((v) => matches(v.name, wanted))
            .map((v) => (
              <li key={v.name}>
                <code>{v.name}</code>
                {v.deprecationReason != null && <span className="mark">deprecated: {v.deprecationReason}</span>}
                {v.description && <p className="description">{v.description}</p>}
              </li>
            ))}
        {isAbstractType(type) &&
          schema.getPossibleTypes(type).map((t) => (
            <li key={t.name}>
              <TypeLink type={t} open={open} />
            </li>
          ))}
      </ul>
    </>
  );
}

/** Default is the value that an argument, or a field of an input, has when it is given none. */
function Default(props: { of: GraphQLArgument | GraphQLInputField }) {
  return props.of.defaultValue === undefined ? null : <code> = {JSON.stringify(props.of.defaultValue)}</code>;
}

function fieldsOf(type: GraphQLNamedType): Record<string, GraphQLField<unknown, unknown> | GraphQLInputField> {
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? type.getFields() : {};
}

function More(props: { hidden: number }) {
  return props.hidden > 0 ? <li className="hint">{props.hidden} more: type to narrow them</li> : null;
}

function TypeLink(props: { type: GraphQLType; open: (name: string) => void }) {
  return (
    <Button look="link" onPress={() => props.open(getNamedType(props.type).name)}>
      {String(props.type)}
    </Button>
  );
}

function matches(name: string, wanted: string): boolean {
  return name.toLowerCase().includes(wanted.toLowerCase());
}
