import { Kind, parse, print, type FieldDefinitionNode, type InputValueDefinitionNode } from "graphql";
import type { SetCustomTypesArgs } from "../../../lib/http/types";

/** written is the text of custom types as GraphQL spells them. Relationships have no place in it. */
export function written(types: SetCustomTypesArgs): string {
  const parts = [
    ...(types.scalars ?? []).map((t) => `${described(t.description)}scalar ${t.name}`),
    ...(types.enums ?? []).map(
      (t) =>
        `${described(t.description)}enum ${t.name} {\n${t.values.map((v) => `${described(v.description, "  ")}  ${v.value}${v.is_deprecated ? " @deprecated" : ""}\n`).join("")}}`,
    ),
    ...(types.input_objects ?? []).map((t) => `${described(t.description)}input ${t.name} {\n${fields(t.fields)}}`),
    ...(types.objects ?? []).map((t) => `${described(t.description)}type ${t.name} {\n${fields(t.fields)}}`),
  ];
  return parts.join("\n\n");
}

function described(text: string | undefined, indent = ""): string {
  return text ? `${indent}${JSON.stringify(text)}\n` : "";
}

function fields(list: { name: string; type: string; description?: string }[]): string {
  return list.map((f) => `${described(f.description, "  ")}  ${f.name}: ${f.type}\n`).join("");
}

/** read is what a text defines. It throws for what isn't a type, or has what custom types can't have. */
export function read(text: string): SetCustomTypesArgs {
  const types: Required<SetCustomTypesArgs> = { scalars: [], enums: [], input_objects: [], objects: [] };
  if (!text.trim()) return types;
  for (const d of parse(text).definitions) {
    switch (d.kind) {
      case Kind.SCALAR_TYPE_DEFINITION:
        types.scalars.push({ name: d.name.value, ...withDescription(d.description?.value) });
        break;
      case Kind.ENUM_TYPE_DEFINITION:
        types.enums.push({
          name: d.name.value,
          ...withDescription(d.description?.value),
          values: (d.values ?? []).map((v) => ({
            value: v.name.value,
            ...withDescription(v.description?.value),
            ...(v.directives?.some((x) => x.name.value === "deprecated") && { is_deprecated: true }),
          })),
        });
        break;
      case Kind.INPUT_OBJECT_TYPE_DEFINITION:
        types.input_objects.push({
          name: d.name.value,
          ...withDescription(d.description?.value),
          fields: (d.fields ?? []).map((f) => field(f)),
        });
        break;
      case Kind.OBJECT_TYPE_DEFINITION:
        types.objects.push({
          name: d.name.value,
          ...withDescription(d.description?.value),
          fields: (d.fields ?? []).map((f) => field(f)),
        });
        break;
      default:
        throw new Error(`A custom type is a scalar, enum, input or type, but this is ${print(d).split("\n")[0]}.`);
    }
  }
  return types;
}

function field(f: FieldDefinitionNode | InputValueDefinitionNode) {
  if (f.kind === Kind.FIELD_DEFINITION && f.arguments?.length)
    throw new Error(`The field ${f.name.value} has arguments, which fields of custom types can't have.`);
  return { name: f.name.value, type: print(f.type), ...withDescription(f.description?.value) };
}

/** withDescription leaves the key out where there is none. */
function withDescription(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}
