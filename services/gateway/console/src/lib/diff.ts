import { diffJson } from "diff";

/**
 * around is how many equal lines are shown next to those that differ; longest bounds how many differing lines are
 * looked for.
 */
const around = 3;
const longest = 2000;

/** Line is a line of a text, with whether it was added, removed, or stands for several that are the same. */
export interface Line {
  sign: " " | "+" | "-" | "…";
  text: string;
}

/** linesOf are the lines of two texts of JSON that differ, each with some around it. */
export function linesOf(before: string, after: string): Line[] {
  // Undefined where there is too much that differs.
  const parts = diffJson(before, after, { maxEditLength: longest }) ?? [
    { removed: true, value: before },
    { added: true, value: after },
  ];
  const seen: string[] = []; // the lines above, as they were where they differ
  return parts.flatMap((p, i): Line[] => {
    const lines = p.value.replace(/\n$/, "").split("\n");
    if (p.added) return lines.map((text) => ({ sign: "+", text }));
    const [first, last] = [i === 0 ? 0 : around, i === parts.length - 1 ? 0 : around];
    const left = lines.length - first - last;
    seen.push(...lines.slice(0, lines.length - last));
    const inside = last > 0 && left > 1 ? keysAround(seen, lines[lines.length - last]!) : [];
    seen.push(...lines.slice(lines.length - last));
    if (p.removed) return lines.map((text) => ({ sign: "-", text }));
    const same = lines.map((text): Line => ({ sign: " ", text }));
    if (left <= 1) return same;
    return [
      ...same.slice(0, first),
      { sign: "…", text: `${left} lines that are the same${inside.length > 0 ? `, in ${inside.join(", ")}` : ""}` },
      ...same.slice(lines.length - last),
    ];
  });
}

const indentation = (line: string) => line.search(/\S/);

/** keysAround are the keys of the objects and lists that a line is in, the outermost first, by the lines above it. */
function keysAround(above: string[], line: string): string[] {
  const keys: string[] = [];
  let depth = indentation(line);
  for (let i = above.length - 1; i >= 0 && depth > 0; i--) {
    const at = indentation(above[i]!);
    if (at >= depth || !/[{[]$/.test(above[i]!)) continue;
    depth = at;
    const key = /^\s*"(.*)": [{[]$/.exec(above[i]!);
    if (key) keys.unshift(key[1]!);
  }
  return keys;
}
