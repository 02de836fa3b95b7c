// The modules of the console import each other without cycles.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const source = join(import.meta.dirname, "../src");
const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((f) => /(?<!\.test)\.tsx?$/.test(f));

/** importsOf lists the modules that a module imports at once or by import(), types included. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), "utf8");
  return [...text.matchAll(/(?:from\s+|import\s+|import\()"(\.[^"]+)"/g)].flatMap(([, path]) => {
    const whole = join(file, "..", path!);
    return [`${whole}.ts`, `${whole}.tsx`, join(whole, "index.tsx")].find((f) => files.includes(f)) ?? [];
  });
}

test("no module imports itself, by whichever way", () => {
  const imports = new Map(files.map((f) => [f, importsOf(f)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, way: string[]) => {
    if (way.includes(file)) cycles.push([...way.slice(way.indexOf(file)), file].join(" > "));
    if (way.includes(file) || done.has(file)) return;
    for (const next of imports.get(file)!) visit(next, [...way, file]);
    done.add(file);
  };
  files.forEach((f) => visit(f, []));
  expect(imports.get("main.tsx")).toContain("app/routes.tsx");
  expect(cycles).toEqual([]);
});
