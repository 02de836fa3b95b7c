/** Value is what a form edits: the arguments of an operation. */
export type Value = Record<string, unknown>;

/** at is what lies at a path, undefined where nothing does. */
export function at(value: unknown, path: string): unknown {
  let found = value;
  for (const key of path.split("."))
    found = typeof found === "object" && found !== null ? (found as Value)[key] : undefined;
  return found;
}

/** put is the value with another part. A part that is undefined goes, and with it objects that are empty then. */
export function put(value: Value, path: string, part: unknown): Value {
  const [key, ...rest] = path.split(".") as [string, ...string[]];
  const below = value[key];
  let changed = part;
  if (rest.length > 0) {
    const object = put(
      typeof below === "object" && below !== null && !Array.isArray(below) ? (below as Value) : {},
      rest.join("."),
      part,
    );
    changed = Object.keys(object).length > 0 ? object : undefined;
  }
  const { [key]: _, ...others } = value;
  return changed === undefined ? others : { ...others, [key]: changed };
}
