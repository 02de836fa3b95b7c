import { useId, useState } from "react";
import { parseType } from "graphql";
import { nameProblem } from "../../data/model/names";
import type { ActionArgument, MetadataDocument, SetCustomTypesArgs } from "../../../lib/http/types";
import type { CustomProps } from "../../../ui/forms/types";
import { at } from "../../../lib/json/path";
import { Button } from "../../../ui/button";

const scalars = ["Int", "Float", "String", "Boolean", "ID", "uuid", "jsonb", "timestamptz", "numeric", "bigint"];

/** typesFor are the types of arguments, or of answers. */
export function typesFor(document: MetadataDocument, of: "input" | "output"): string[] {
  const types = (document.custom_types ?? {}) as SetCustomTypesArgs;
  const named = of === "input" ? types.input_objects : types.objects;
  return [...(named ?? []), ...(types.enums ?? []), ...(types.scalars ?? [])].map((t) => t.name).concat(scalars);
}

/** typeProblem is what is wrong with the text of a type, undefined for nothing. */
export function typeProblem(text: string): string | undefined {
  try {
    parseType(text);
    return undefined;
  } catch {
    return "This isn't a type as GraphQL spells it, as [Wish!]!.";
  }
}

/** Arguments are those of an action. */
export function Arguments(props: CustomProps & { types: string[] }) {
  const { field, value, fault, change, types } = props;
  const id = useId();
  const part = at(value, field.path);
  const list = Array.isArray(part) ? (part as ActionArgument[]) : [];
  // Lines have numbers of their own, so that what is typed stays with its argument.
  const [numbers, setNumbers] = useState(() => list.map((_, i) => i));
  const replace = (i: number, changed: Partial<ActionArgument>) =>
    change(list.map((old, j) => (i === j ? { ...old, ...changed } : old)));
  const twice = (name: string) => list.filter((a) => a.name === name).length > 1;
  return (
    <fieldset className="field wide">
      <legend>{field.label}</legend>
      <datalist id={id}>
        {types.map((t) => (
          <option key={t} value={t} />
        ))}
      </datalist>
      {list.map((a, i) => {
        const wrong =
          (a.name && (nameProblem(a.name) ?? (twice(a.name) ? "There are two of this name." : undefined))) ||
          (a.type && typeProblem(a.type)) ||
          undefined;
        return (
          <div key={numbers[i] ?? i}>
            <div className="row pair">
              <input
                type="text"
                autoComplete="off"
                aria-label={`Name of argument ${i + 1}`}
                placeholder="name"
                value={a.name}
                onChange={(e) => replace(i, { name: e.target.value })}
              />
              <input
                type="text"
                autoComplete="off"
                list={id}
                aria-label={`Type of argument ${i + 1}`}
                placeholder="Int!"
                aria-invalid={wrong !== undefined || undefined}
                aria-describedby={wrong && `${id}-${i}`}
                value={a.type}
                onChange={(e) => replace(i, { type: e.target.value })}
              />
              <input
                type="text"
                autoComplete="off"
                aria-label={`Description of argument ${i + 1}`}
                placeholder="description"
                value={a.description ?? ""}
                onChange={(e) => replace(i, { description: e.target.value || undefined })}
              />
              <Button
                aria-label={`Remove argument ${i + 1}`}
                onPress={() => {
                  setNumbers(numbers.filter((_, j) => j !== i));
                  change(list.filter((_, j) => j !== i));
                }}
              >
                Remove
              </Button>
            </div>
            {wrong && (
              <span className="removed" id={`${id}-${i}`}>
                {wrong}
              </span>
            )}
          </div>
        );
      })}
      <Button
        onPress={() => {
          setNumbers([...numbers, Math.max(-1, ...numbers) + 1]);
          change([...list, { name: "", type: "" }]);
        }}
      >
        Add an argument
      </Button>
      {fault && <span className="removed">{fault}</span>}
    </fieldset>
  );
}
