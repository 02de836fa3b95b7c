// Writes how large the parts of the console are into a page of the documentation: node sizes.mjs DIST PAGE. DIST was
// built with --manifest.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const [dist, page] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8"));
const first = "index.html";
/** The editor is loaded with the first page that has one. */
const editor = "src/ui/editor.tsx";

/** closure are the chunks that are loaded with one. */
function closure(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const next of manifest[name].imports ?? []) closure(next, found);
  return found;
}

/** later are the chunks that those can load. */
function later(chunks) {
  const found = new Set();
  for (const name of chunks)
    for (const next of manifest[name].dynamicImports ?? []) for (const one of closure(next)) found.add(one);
  return found;
}

function kilobytes(chunks, without) {
  const files = new Set(
    [...chunks].filter((c) => !without.has(c)).flatMap((c) => [manifest[c].file, ...(manifest[c].css ?? [])]),
  );
  return Math.round(
    [...files].reduce((sum, f) => sum + gzipSync(readFileSync(join(dist, f)), { level: 9 }).length, 0) / 1000,
  );
}

const start = closure(first);
const base = new Set([
  ...start,
  ...closure(Object.keys(manifest).find((k) => k === editor || manifest[k].name === "editor") ?? first),
]);
const areas = (manifest[first].dynamicImports ?? [])
  .filter((name) => name.startsWith("src/features/"))
  .map((name) => {
    const chunks = closure(name);
    const parts = later([...chunks].filter((c) => !base.has(c)));
    return {
      title: /features\/([^/]+)\//.exec(name)[1],
      own: kilobytes(chunks, base),
      parts: kilobytes(parts, new Set([...chunks, ...base])),
    };
  });
const titles = { graphql: "API", sql: "SQL", remotes: "remote schemas" };
const rows = [
  ["page, shell and sign-in", kilobytes(start, new Set()), ""],
  ["editor, with the first page that has one", kilobytes(base, start), ""],
  ...areas.map((a) => [titles[a.title] ?? a.title, a.own, a.parts || ""]),
];
const table = [
  "| loaded | KB | its parts, when they are opened, KB |",
  "|---|---|---|",
  ...rows.map((r) => `| ${r.join(" | ")} |`),
].join("\n");
const text = readFileSync(page, "utf8");
const changed = text.replace(/^\| loaded \|.*\n(\|.*\n)+/m, table + "\n");
if (!changed.includes(table)) throw new Error(`${page} has no table that begins with | loaded |`);
writeFileSync(page, changed);
