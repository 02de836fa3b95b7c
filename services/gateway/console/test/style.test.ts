// The style sheets and components keep to the design system: docs/decisions/026-design-system.md.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const source = join(import.meta.dirname, "../src");
const files = readdirSync(source, { recursive: true, encoding: "utf8" });
const read = (file: string) => readFileSync(join(source, file), "utf8");
const sheets = files.filter((f) => f.endsWith(".css"));
const tokens = "ui/style/tokens.css";

test("style sheets are part of ui", () => {
  expect(sheets).toContain(tokens);
  expect(sheets.filter((f) => !f.startsWith("ui/style/"))).toEqual([]);
});

test.each(sheets.filter((f) => f !== tokens))("%s has colors and distances by tokens", (file) => {
  const rules = read(file).replace(/\/\*[^]*?\*\//g, "");
  const declared = [...rules.matchAll(/(?<=[{;]\s*)([a-z-]+):\s*([^;{}]+);/g)].map(([, name, value]) => ({
    name,
    value,
  }));
  const colors = declared.filter(({ value }) => /#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch|light-dark)\(/i.test(value!));
  const distances = declared.filter(
    ({ name, value }) => /^(margin|padding|gap|row-gap|column-gap)/.test(name!) && /\d(px|rem|em)/.test(value!),
  );
  expect({ colors, distances }).toEqual({ colors: [], distances: [] });
});

test("components outside of ui have no style of their own but sizes and places", () => {
  const wrong = files
    .filter((f) => f.endsWith(".tsx") && !f.startsWith("ui/"))
    .flatMap((f) =>
      [...read(f).matchAll(/style=\{\{([^}]*)\}\}/g)]
        .filter(([, text]) => !/^\s*((width|height|left|top)\b[^,]*,?\s*)+$/.test(text!.replace(/`[^`]*`/g, "``")))
        .map(([, text]) => `${f}: ${text}`),
    );
  expect(wrong).toEqual([]);
});

/** colorsOf are the tokens that are colors, in light and in dark. */
function colorsOf(): Map<string, [string, string]> {
  const found = [...read(tokens).matchAll(/--([\w-]+):\s*(?:light-dark\((#\w+), (#\w+)\)|(#\w+));/g)];
  return new Map(found.map(([, name, light, dark, both]) => [name!, [light ?? both!, dark ?? both!]]));
}

function luminance(color: string): number {
  const [r, g, b] = [1, 3, 5].map((i) => {
    const part = parseInt(color.slice(i, i + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light! + 0.05) / (dark! + 0.05);
}

const texts = ["text", "muted", "accent", "bad", "good", "warn"];
const backs = ["page", "panel", "field"];
const pairs: [string, string, number][] = [
  ...texts.flatMap((t) => backs.map((b): [string, string, number] => [t, b, 4.5])),
  ...backs.map((b): [string, string, number] => ["edge", b, 3]),
  ...["active", "selected", "accent-soft"].map((b): [string, string, number] => ["text", b, 4.5]),
  ["muted", "active", 4.5],
  ["accent", "accent-soft", 4.5],
  ["on-accent", "accent", 4.5],
  ["on-accent", "accent-strong", 4.5],
  ["on-danger", "danger", 4.5],
  ["bad", "bad-back", 4.5],
  ["good", "good-back", 4.5],
  ["warn", "warn-back", 4.5],
  ...["code-keyword", "code-string", "code-number", "code-property", "code-type"].map((t): [string, string, number] => [
    t,
    "field",
    4.5,
  ]),
];

test.each(pairs)("%s on %s has a contrast of at least %d", (front, back, least) => {
  const colors = colorsOf();
  for (const theme of [0, 1] as const)
    expect(
      contrast(colors.get(front)![theme], colors.get(back)![theme]),
      ["light", "dark"][theme],
    ).toBeGreaterThanOrEqual(least);
});
