import { useId, useState } from "react";
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  type ArgumentNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  type ValueNode,
} from "graphql";
import {
  declared,
  literalFor,
  literalOf,
  textOf,
  typedOf,
  withArgument,
  withoutArgument,
  withValue,
  type Holder,
} from "../model/selection";
import { Button } from "../../../ui/button";

interface ArgumentsProps {
  query: string;
  operation: OperationDefinitionNode;
  holder: Holder;
  /** What the arguments, or the fields of the input, can be. */
  items: readonly (GraphQLArgument | GraphQLInputField)[];
  change: (query: string) => void;
}

/** Arguments chooses the arguments of a field, or the fields of an input, and their values. */
export function Arguments(props: ArgumentsProps) {
  const { holder, items } = props;
  const given: readonly (ArgumentNode | ObjectFieldNode)[] =
    (holder.kind === "Field" ? holder.arguments : holder.fields) ?? [];
  return (
    <ul className="arguments">
      {items.map((a) => (
        <Item key={a.name} {...props} item={a} node={given.find((g) => g.name.value === a.name)} />
      ))}
    </ul>
  );
}

function Item(
  props: ArgumentsProps & {
    item: GraphQLArgument | GraphQLInputField;
    node: ArgumentNode | ObjectFieldNode | undefined;
  },
) {
  const { query, holder, item, node, change } = props;
  const id = useId();
  return (
    <li>
      <div className="inline">
        <input
          type="checkbox"
          id={id}
          checked={node !== undefined}
          onChange={() =>
            change(
              node
                ? withoutArgument(query, holder, node)
                : withArgument(query, holder, `${item.name}: ${literalOf(item.type)}`),
            )
          }
        />
        <label htmlFor={id} title={item.description ?? undefined}>
          {item.name}:
        </label>
        {node ? (
          <Value {...props} label={`Value of ${item.name}`} name={item.name} type={item.type} value={node.value} />
        ) : (
          <small className="hint">{String(item.type)}</small>
        )}
      </div>
      {node && <Inputs {...props} type={item.type} value={node.value} />}
    </li>
  );
}

/** Inputs are the fields of a value that is an input, or of each in a list of them. */
function Inputs(props: ArgumentsProps & { type: GraphQLInputType; value: ValueNode }) {
  const { type, value } = props;
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return null;
  const items = Object.values(named.getFields());
  const values = value.kind === "ListValue" ? value.values : [value];
  return values.map(
    (v, i) =>
      v.kind === "ObjectValue" && (
        <div key={i} className="members">
          <Arguments {...props} holder={v} items={items} />
        </div>
      ),
  );
}

/** Value edits a value, unless it is one with fields; any can become a variable of the operation. */
function Value(props: ArgumentsProps & { label: string; name: string; type: GraphQLInputType; value: ValueNode }) {
  const { query, operation, label, name, type, value, change } = props;
  const named = getNamedType(type);
  const nullable = getNullableType(type);
  const isVariable = value.kind === "Variable";
  const isInput = isInputObjectType(named);
  const set = (text: string) => change(withValue(query, value, text));
  const bind = () => {
    // What is declared comes before what is used: places in the text stay right when the latter is changed first.
    const used = withValue(query, value, isVariable ? literalOf(type) : `$${name}`);
    change(isVariable ? used : declared(used, operation, name, String(type)));
  };
  return (
    <>
      {!isInput &&
        !isVariable &&
        (isEnumType(nullable) || (named.name === "Boolean" && !isListType(nullable)) ? (
          <select aria-label={label} value={textOf(query, value)} onChange={(e) => set(e.target.value)}>
            {[
              ...new Set([
                textOf(query, value),
                ...(isEnumType(nullable) ? nullable.getValues().map((v) => v.name) : ["true", "false"]),
              ]),
            ].map((v) => (
              <option key={v}>{v}</option>
            ))}
          </select>
        ) : (
          <Typed label={label} shown={typedOf(query, value)} set={(text) => set(literalFor(text, type))} />
        ))}
      {isVariable && <code>{textOf(query, value)}</code>}
      <Button
        look="link"
        aria-label={isVariable ? `${label} is a value` : `${label} is a variable`}
        aria-pressed={isVariable}
        onPress={bind}
      >
        $
      </Button>
    </>
  );
}

/** Typed is a text that becomes a value when it is left, or with Enter, so that the operation is never half of one. */
function Typed(props: { label: string; shown: string; set: (text: string) => void }) {
  const { label, shown, set } = props;
  const [text, setText] = useState<string>();
  const done = () => {
    if (text !== undefined && text !== shown) set(text);
    setText(undefined);
  };
  return (
    <input
      aria-label={label}
      value={text ?? shown}
      onChange={(e) => setText(e.target.value)}
      onBlur={done}
      onKeyDown={(e) => e.key === "Enter" && done()}
    />
  );
}
