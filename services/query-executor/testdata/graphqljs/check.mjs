// Reads a list of {name, introspection, sdl} and writes the faults that graphql-js finds.
import { readFileSync } from "node:fs";
import { buildClientSchema, buildSchema, lexicographicSortSchema, printSchema, validateSchema } from "graphql";

const federation = "directive @key(fields: String!) repeatable on OBJECT\n";
const faults = [];
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
  if (sdl) check("sdl", () => buildSchema(federation + sdl));
}
process.stdout.write(JSON.stringify(faults));
