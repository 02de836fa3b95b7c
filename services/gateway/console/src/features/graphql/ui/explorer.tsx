import { useId, useMemo, useState } from "react";
import { Input, Label, SearchField } from "react-aria-components";
import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  parse,
  OperationTypeNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type InlineFragmentNode,
  type OperationDefinitionNode,
} from "graphql";
import { Arguments } from "./arguments";
import {
  fieldText,
  fragmentText,
  withoutSelection,
  withOperation,
  withSelection,
  type Parent,
} from "../model/selection";
import { Button } from "../../../ui/button";

/**
 * shownFields bounds the fields of a type that are listed at once; the search narrows them, and what is chosen is
 * always there.
 */
const shownFields = 100;

interface ExplorerProps {
  schema: GraphQLSchema;
  query: string;
  /** The operation of the text that is edited; the first one otherwise. */
  operationName: string | undefined;
  change: (query: string, operationName?: string) => void;
}

/**
 * Explorer makes an operation by its fields: those that are chosen are in the text, whose other parts stay as they are.
 */
export function Explorer(props: ExplorerProps) {
  const { schema, query, operationName, change } = props;
  const operations = useMemo(() => operationsOf(query), [query]);
  const chosen = operations?.find((o) => o.name?.value === operationName) ?? operations?.[0];
  const [wanted, setWanted] = useState<OperationTypeNode>();
  const kind = wanted ?? chosen?.operation ?? OperationTypeNode.QUERY;
  const operation = chosen?.operation === kind ? chosen : operations?.find((o) => o.operation === kind);
  const type = schema.getRootType(kind);
  const kinds = Object.values(OperationTypeNode).filter((k) => schema.getRootType(k));
  return (
    <section className="docs" aria-label="Explorer">
      <div className="row" role="group" aria-label="Kind of operation">
        {kinds.map((k) => (
          <Button key={k} aria-pressed={k === kind} onPress={() => setWanted(k)}>
            {k}
          </Button>
        ))}
      </div>
      {operations === undefined && (
        <p className="hint">The fields are shown when the text of the operation can be read.</p>
      )}
      {operations && type && (
        <Selections
          key={`${kind} ${operation?.name?.value}`}
          schema={schema}
          query={query}
          type={type}
          line={operation ? [operation] : []}
          operation={operation}
          root
          change={change}
          add={(text) => {
            const made = operation
              ? { query: withSelection(query, operation, text), name: operation.name?.value }
              : withOperation(query, operations, kind, text);
            change(made.query, made.name);
          }}
        />
      )}
    </section>
  );
}

/** operationsOf are the operations of a text, undefined when it can't be read. */
function operationsOf(query: string): OperationDefinitionNode[] | undefined {
  if (!query.replace(/#.*/g, "").trim()) return [];
  try {
    return parse(query).definitions.filter((d) => d.kind === "OperationDefinition");
  } catch {
    return undefined;
  }
}

interface SelectionsProps {
  schema: GraphQLSchema;
  query: string;
  type: GraphQLNamedType;
  /** The nodes that lead here, the last of which has the selections; empty where nothing is selected. */
  line: Parent[];
  operation: OperationDefinitionNode | undefined;
  root?: boolean;
  change: (query: string) => void;
  /** Adds a selection here, and what leads here. */
  add: (text: string) => void;
}

/** Selections lists what can be selected of a type. */
function Selections(props: SelectionsProps) {
  const { schema, type, line, root } = props;
  const [wanted, setWanted] = useState("");
  const selections = line.at(-1)?.selectionSet?.selections ?? [];
  const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  const nodes = new Map<string, FieldNode>();
  for (const s of selections)
    if (s.kind === "Field" && (!nodes.has(s.name.value) || !s.alias)) nodes.set(s.name.value, s);
  const matching = fields.filter((f) => f.name.toLowerCase().includes(wanted.toLowerCase()));
  const found = [
    ...matching.filter((f) => nodes.has(f.name)),
    ...matching.filter((f) => !nodes.has(f.name)).slice(0, shownFields),
  ];
  const shown = root ? found : matching.filter((f) => found.includes(f)); // the order of a type is that of its table
  const types = isAbstractType(type) ? schema.getPossibleTypes(type) : [];
  return (
    <>
      {(root || fields.length > 15) && (
        <SearchField value={wanted} onChange={setWanted}>
          <Label>{root ? "Find a field" : `Find a field of ${type.name}`}</Label>
          <Input />
        </SearchField>
      )}
      <ul className={root ? undefined : "members"}>
        {shown.map((f) => (
          <Choice key={f.name} {...props} root={false} field={f} node={nodes.get(f.name)} />
        ))}
        {types.map((t) => (
          <OnType
            key={t.name}
            {...props}
            root={false}
            on={t}
            node={selections.find(
              (s): s is InlineFragmentNode => s.kind === "InlineFragment" && s.typeCondition?.name.value === t.name,
            )}
          />
        ))}
        {matching.length > found.length && (
          <li className="hint">{matching.length - found.length} more: type to narrow them</li>
        )}
      </ul>
    </>
  );
}

/** Choice is a field with its arguments and what can be selected below it. */
function Choice(props: SelectionsProps & { field: GraphQLField<unknown, unknown>; node: FieldNode | undefined }) {
  const { query, line, field, node, change, add } = props;
  const [opened, setOpened] = useState<boolean>();
  const type = getNamedType(field.type);
  const more = isCompositeType(type) || field.args.length > 0;
  const open = more && (opened ?? node !== undefined);
  const below: Parent[] = node ? [...line, node] : [];
  const id = useId();
  return (
    <li>
      <div className="inline">
        {more ? (
          <Button
            className="tick"
            aria-label={`${open ? "Close" : "Open"} ${field.name}`}
            aria-expanded={open}
            onPress={() => setOpened(!open)}
          >
            {open ? "▾" : "▸"}
          </Button>
        ) : (
          <span className="tick" />
        )}
        <input
          type="checkbox"
          id={id}
          checked={node !== undefined}
          onChange={() => {
            setOpened(undefined);
            if (node) change(withoutSelection(query, [...line, node]));
            else add(fieldText(field));
          }}
        />
        <label htmlFor={id} title={field.description ?? undefined}>
          {field.name}
        </label>
        <small className="hint">{String(field.type)}</small>
        {field.deprecationReason != null && <small className="mark">deprecated</small>}
      </div>
      {open && (
        <div className="members">
          {node && field.args.length > 0 && (
            <Arguments query={query} operation={props.operation!} holder={node} items={field.args} change={change} />
          )}
          {isCompositeType(type) && (
            <Selections
              {...props}
              type={type}
              line={below}
              add={(text) => (node ? change(withSelection(query, node, text)) : add(fieldText(field, text)))}
            />
          )}
        </div>
      )}
    </li>
  );
}

/** OnType is what is selected of one of the types that an abstract one may be. */
function OnType(props: SelectionsProps & { on: GraphQLNamedType; node: InlineFragmentNode | undefined }) {
  const { query, line, on, node, change, add } = props;
  const id = useId();
  return (
    <li>
      <div className="inline">
        <span className="tick" />
        <input
          type="checkbox"
          id={id}
          checked={node !== undefined}
          onChange={() => (node ? change(withoutSelection(query, [...line, node])) : add(fragmentText(on)))}
        />
        <label htmlFor={id}>... on {on.name}</label>
      </div>
      {node && (
        <div className="members">
          <Selections
            {...props}
            type={on}
            line={[...line, node]}
            add={(text) => change(withSelection(query, node, text))}
          />
        </div>
      )}
    </li>
  );
}
