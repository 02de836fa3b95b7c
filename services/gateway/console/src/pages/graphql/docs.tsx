import { useState } from "react";
import { Button, Input, Label, SearchField } from "react-aria-components";
import { getNamedType, isEnumType, isInputObjectType, isInterfaceType, isObjectType, isUnionType, type GraphQLField, type GraphQLInputField, type GraphQLNamedType, type GraphQLSchema, type GraphQLType } from "graphql";

/** shownItems bounds the fields and types that are listed at once; the search narrows them. */
const shownItems = 200;

/** Docs explores a schema: types with their fields, one after the other. */
export function Docs(props: { schema: GraphQLSchema }) {
  const { schema } = props;
  const [path, setPath] = useState<string[]>([]);
  const [wanted, setWanted] = useState("");
  const open = (name: string) => {
    setPath([...path, name]);
    setWanted("");
  };
  const current = path.length ? schema.getType(path[path.length - 1]!) : undefined;
  return (
    <section className="docs" aria-label="Documentation of the schema">
      <div className="row">
        <h2>{current?.name ?? "Schema"}</h2>
        {path.length > 0 && <Button className="button" onPress={() => setPath(path.slice(0, -1))}>Back</Button>}
      </div>
      <SearchField value={wanted} onChange={setWanted}>
        <Label>Find</Label>
        <Input />
      </SearchField>
      {current ? <TypeDocs type={current} wanted={wanted} open={open} /> : <Types schema={schema} wanted={wanted} open={open} />}
    </section>
  );
}

function Types(props: { schema: GraphQLSchema; wanted: string; open: (name: string) => void }) {
  const { schema, wanted, open } = props;
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((t) => (t ? [t.name] : []));
  const names = wanted ? Object.keys(schema.getTypeMap()).filter((n) => matches(n, wanted) && !n.startsWith("__")).sort() : roots;
  return (
    <ul>
      {names.slice(0, shownItems).map((n) => <li key={n}><TypeLink type={schema.getType(n)!} open={open} /></li>)}
      <More hidden={names.length - shownItems} />
    </ul>
  );
}

function TypeDocs(props: { type: GraphQLNamedType; wanted: string; open: (name: string) => void }) {
  const { type, wanted, open } = props;
  const fields: (GraphQLField<unknown, unknown> | GraphQLInputField)[] =
    isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? Object.values(type.getFields()).filter((f) => matches(f.name, wanted)) : [];
  return (
    <>
      {type.description && <p className="description">{type.description}</p>}
      <ul>
        {fields.slice(0, shownItems).map((f) => (
          <li key={f.name}>
            <code>{f.name}</code>
            {"args" in f && f.args.length > 0 && (
              <span> ({f.args.map((a, i) => <span key={a.name}>{i > 0 && ", "}<code>{a.name}</code>: <TypeLink type={a.type} open={open} /></span>)})</span>
            )}
            : <TypeLink type={f.type} open={open} />
            {f.description && <p className="description">{f.description}</p>}
          </li>
        ))}
        <More hidden={fields.length - shownItems} />
        {isEnumType(type) && type.getValues().map((v) => <li key={v.name}><code>{v.name}</code>{v.description && <p className="description">{v.description}</p>}</li>)}
        {isUnionType(type) && type.getTypes().map((t) => <li key={t.name}><TypeLink type={t} open={open} /></li>)}
      </ul>
    </>
  );
}

function More(props: { hidden: number }) {
  return props.hidden > 0 ? <li className="hint">{props.hidden} more: type to narrow them</li> : null;
}

function TypeLink(props: { type: GraphQLType; open: (name: string) => void }) {
  return <Button className="link" onPress={() => props.open(getNamedType(props.type).name)}>{String(props.type)}</Button>;
}

function matches(name: string, wanted: string): boolean {
  return name.toLowerCase().includes(wanted.toLowerCase());
}
