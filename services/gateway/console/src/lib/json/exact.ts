/** Exact is JSON with numbers as they are written. What isn't in all browsers yet isn't in the compiler's library. */
interface Exact {
  rawJSON?: (text: string) => unknown;
  isRawJSON?: (value: unknown) => boolean;
  parse: (text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown) => unknown;
}

const exact = JSON as Exact;

/** number is a number that is sent, and shown, as it is written. */
export function number(text: string): unknown {
  return String(Number(text)) === text || !exact.rawJSON ? Number(text) : exact.rawJSON(text);
}

/** isExact reports whether a value is a number that is kept as it was written. */
export function isExact(value: unknown): boolean {
  return exact.isRawJSON?.(value) === true;
}

/** parseExact reads JSON without rounding its numbers: a key of 64 bits comes back as the same key. */
export function parseExact(text: string): unknown {
  return exact.parse(text, (_, value, context) =>
    typeof value === "number" && context?.source !== undefined ? number(context.source) : value,
  );
}

/**
 * Raw is an object or a list in JSON with its text: the blanks and the keys that are there twice, which a column of
 * type json keeps.
 */
export class Raw {
  constructor(readonly text: string) {}

  toJSON(): unknown {
    return parseExact(this.text);
  }
}

/**
 * Written is a value whose JSON doesn't tell all of it, with the text by which the database writes it: a composite
 * value, or a list.
 */
export class Written {
  constructor(
    readonly text: string,
    /** Its JSON, which copies as JSON have. */
    readonly json: unknown,
    /** How it is shown and typed. */
    readonly shown: string,
  ) {}

  toJSON(): unknown {
    return this.json instanceof Raw ? this.json.toJSON() : this.json;
  }
}

/** stringifyExact is JSON in which values that have a text have that text. */
export function stringifyExact(value: unknown): string {
  const texts: string[] = [];
  // No one can guess it, so that no value contains it.
  const mark = crypto.getRandomValues(new Uint32Array(4)).join("-");
  const json = JSON.stringify(value, function (this: Record<string, unknown>, key: string, plain: unknown) {
    const held = this[key];
    return held instanceof Raw ? `${mark}:${texts.push(held.text) - 1}` : plain;
  });
  return texts.length === 0 ? json : json.replaceAll(new RegExp(`"${mark}:(\\d+)"`, "g"), (_, i) => texts[Number(i)]!);
}

/** textOf is a value as it is shown and typed. */
export function textOf(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (value instanceof Written) return value.shown;
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}
