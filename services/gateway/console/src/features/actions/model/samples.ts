import { Kind, parseType, type TypeNode } from "graphql";
import type { ActionArgument, MetadataDocument, SetCustomTypesArgs } from "../../../lib/http/types";
import { at } from "../../../lib/json/path";
import type { Subject } from "../../transforms/model/subject";

/** deepest bounds inputs that contain themselves. */
const deepest = 4;

/** ofAction is a call that is made up of the types of its arguments, as calls of actions aren't logged. */
export function ofAction(document: MetadataDocument): Subject {
  const types = (document.custom_types ?? {}) as SetCustomTypesArgs;
  return {
    base: "definition.",
    address: "definition.handler",
    of: (value) => ["action", value.name, at(value, "definition.arguments"), at(value, "definition.output_type")],
    samples: async (_, value) => {
      const list = at(value, "definition.arguments");
      const session = { "x-engine-role": "admin" };
      const input = Object.fromEntries(
        (Array.isArray(list) ? (list as ActionArgument[]) : []).map((a) => [a.name, inputOf(types, a.type, 0)]),
      );
      const body = {
        action: { name: value.name ?? "" },
        input,
        session_variables: session,
        request_query: "mutation { ... }",
      };
      return {
        requests: [{ label: "a call that is made up of the arguments", body, session }],
        answer: { status: 200, body: outputOf(types, at(value, "definition.output_type")) },
      };
    },
  };
}

/** inputOf is a value of a type as GraphQL spells it. */
function inputOf(types: SetCustomTypesArgs, type: string, depth: number): unknown {
  return valueOf(type, (name) => {
    const input = types.input_objects?.find((o) => o.name === name);
    if (!input) return scalarOf(types, name);
    return depth < deepest
      ? Object.fromEntries(input.fields.map((f) => [f.name, inputOf(types, f.type, depth + 1)]))
      : null;
  });
}

function outputOf(types: SetCustomTypesArgs, type: unknown, depth = 0): unknown {
  if (typeof type !== "string") return { ok: true };
  return valueOf(type, (name) => {
    const object = types.objects?.find((o) => o.name === name);
    if (!object) return scalarOf(types, name);
    return depth < deepest
      ? Object.fromEntries(object.fields.map((f) => [f.name, outputOf(types, f.type, depth + 1)]))
      : null;
  });
}

function valueOf(type: string, named: (name: string) => unknown): unknown {
  const walk = (node: TypeNode): unknown =>
    node.kind === Kind.NAMED_TYPE
      ? named(node.name.value)
      : node.kind === Kind.LIST_TYPE
        ? [walk(node.type)]
        : walk(node.type);
  try {
    return walk(parseType(type));
  } catch {
    return null; // as it is typed
  }
}

function scalarOf(types: SetCustomTypesArgs, name: string): unknown {
  const found = types.enums?.find((e) => e.name === name);
  if (found) return found.values[0]?.value ?? null;
  if (/^(Int|Float|bigint|numeric|smallint)$/.test(name)) return 1;
  if (name === "Boolean") return true;
  if (/^jsonb?$/.test(name)) return {};
  if (name === "uuid") return "00000000-0000-0000-0000-000000000000";
  return "text";
}
