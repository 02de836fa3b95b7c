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
  return exact.parse(text, (_, value, context) => (typeof value === "number" && context?.source !== undefined ? number(context.source) : value));
}
