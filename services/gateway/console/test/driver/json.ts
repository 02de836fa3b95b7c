// JSON with numbers as they are written, which browsers have, and Node before version 22 hasn't.
/** native is the JSON of Node, also where this one takes its place. */
const native = JSON;
const texts = new WeakMap<object, string>();
const mark = "\u0000raw:";

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

function rawJSON(text: string): object {
  const raw = Object.freeze(Object.assign(Object.create(null) as object, { rawJSON: text }));
  texts.set(raw, text);
  return raw;
}

const isRawJSON = (value: unknown) => typeof value === "object" && value !== null && texts.has(value);

function parse(text: string, reviver?: Reviver): unknown {
  const plain = native.parse(text) as unknown;
  if (!reviver) return plain;
  const numbers: string[] = [];
  const marked = String(text).replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    token[0] === '"' ? token : `"\\u0000raw:${numbers.push(token) - 1}"`,
  );
  return native.parse(marked, function (this: unknown, key: string, value: unknown) {
    if (typeof value !== "string" || !value.startsWith(mark)) return reviver.call(this, key, value, {});
    const source = numbers[Number(value.slice(mark.length))]!;
    return reviver.call(this, key, Number(source), { source });
  });
}

function stringify(value: unknown, replacer?: unknown, space?: string | number): string | undefined {
  if (Array.isArray(replacer)) return native.stringify(value, replacer as string[], space);
  const text = native.stringify(
    value,
    function (this: unknown, key: string, one: unknown) {
      const now =
        typeof replacer === "function" ? (replacer as (k: string, v: unknown) => unknown).call(this, key, one) : one;
      return isRawJSON(now) ? mark + texts.get(now as object)! : now;
    },
    space,
  ) as string | undefined;
  return text?.replace(/"\\u0000raw:([^"]*)"/g, "$1");
}

export const exactJSON =
  "rawJSON" in JSON ? JSON : Object.assign(Object.create(JSON) as JSON, { rawJSON, isRawJSON, parse, stringify });
