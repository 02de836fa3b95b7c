// Reads a list of {name, introspection, sdl} and writes the faults that graphql-js finds, and those of Apollo's composition of the text with
// another subgraph that extends each of its entities.
import { readFileSync } from "node:fs";
import { composeServices } from "@apollo/composition";
import { buildClientSchema, buildSchema, lexicographicSortSchema, parse, printSchema, validateSchema } from "graphql";

const federation = "directive @key(fields: String!) repeatable on OBJECT\n";
const faults = [];

/** extending is a subgraph that adds a field to each entity of another one. */
function extending(text) {
  const schema = buildSchema(federation + text);
  const types = parse(text).definitions.flatMap((d) => {
    const key = d.directives?.find((at) => at.name.value === "key")?.arguments[0].value.value;
    if (!key) return [];
    const fields = schema.getType(d.name.value).getFields();
    const keys = key.split(" ").map((name) => `${name}: ${fields[name]?.type ?? "Missing"} @external`);
    return [`extend type ${d.name.value} @key(fields: "${key}") { ${keys.join(" ")} another: Int }`];
  });
  const scalars = new Set(types.join().match(/: (\w+)/g)?.map((m) => m.slice(2)).filter((n) => !["Int", "Float", "String", "Boolean", "ID"].includes(n)));
  return `type Query { others: Int }\n${types.join("\n")}\n${[...scalars].map((n) => `scalar ${n}`).join("\n")}`;
}

for (const { name, introspection, sdl } of JSON.parse(readFileSync(0, "utf8"))) {
  const check = (what, build) => {
    try {
      const schema = build();
      for (const e of validateSchema(schema)) faults.push(`${name}: ${what}: ${e.message}`);
      printSchema(lexicographicSortSchema(schema));
    } catch (e) {
      faults.push(`${name}: ${what}: ${e.message}`);
    }
  };
  if (introspection) check("introspection", () => buildClientSchema(introspection));
  if (!sdl) continue;
  const before = faults.length;
  check("sdl", () => buildSchema(federation + sdl));
  if (faults.length > before) continue;
  const subgraphs = [["engine", sdl], ["other", extending(sdl)]].map(([service, text]) => ({ name: service, url: `http://${service}`, typeDefs: parse(text) }));
  for (const e of composeServices(subgraphs).errors ?? []) faults.push(`${name}: composition: ${e.message}`);
}
process.stdout.write(JSON.stringify(faults));
