import { isExact } from "../../../lib/json/exact";

/** Rule is an object of conditions, all of which have to hold. */
export type Rule = Record<string, unknown>;

/** isRule reports whether a part is an object; a number that is kept as it was written is none. */
export function isRule(value: unknown): value is Rule {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExact(value);
}

/** plain is a key as it is known here: each may be spelled with $ in the place of _. */
export function plain(key: string): string {
  return key.replace(/^\$/, "_");
}

export const combinators = ["_and", "_or", "_not", "_exists"];

/** ofColumns compare with another column. */
export const ofColumns = ["_ceq", "_cneq", "_cgt", "_clt", "_cgte", "_clte"];

/** comparesColumns reports whether an operator compares with a column. */
export function comparesColumns(operator: string): boolean {
  return ofColumns.includes(operator) || operator === "_cne";
}

/** isVariable reports whether a value is that of a session variable. */
export function isVariable(value: unknown): boolean {
  return typeof value === "string" && /^x-engine-/i.test(value);
}

/** withPart is a rule with another part at a key, at the place that it had. */
export function withPart(rule: Rule, key: string, part: unknown): Rule {
  return Object.fromEntries(Object.entries(rule).map(([k, v]) => [k, k === key ? part : v]));
}

/** without is a rule without a key. */
export function without(rule: Rule, key: string): Rule {
  return Object.fromEntries(Object.entries(rule).filter(([k]) => k !== key));
}

/** added is a rule with one more condition. A key that is there already gets another condition next to it, by _and. */
export function added(rule: Rule, key: string, part: unknown): Rule {
  if (!(key in rule)) return { ...rule, [key]: part };
  const and = "$and" in rule ? "$and" : "_and";
  const before = rule[and];
  if (before !== undefined && !Array.isArray(before)) return { [and]: [rule, { [key]: part }] }; // which is wrong anyhow, and stays as it is
  return { ...rule, [and]: [...(before ?? []), { [key]: part }] };
}

/** Wrong is what is wrong with a part of a rule: the keys that lead to it, and why. */
export interface Wrong {
  steps: string[];
  message: string;
}

/** wrongOf reads the place in a rule that an error begins with, as in _or[1].id._foo: … */
export function wrongOf(fault: string | undefined): Wrong | undefined {
  const [, place, message] = /^([^\s:]+): ([^]*)$/.exec(fault ?? "") ?? [];
  if (!place || !message) return undefined;
  return {
    steps: [...place.matchAll(/\["([^"]*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map((m) => m[1] ?? m[2] ?? m[3]!),
    message,
  };
}

/** below is what is wrong below a key. */
export function below(wrong: Wrong | undefined, ...keys: (string | number)[]): Wrong | undefined {
  return wrong && keys.every((k, i) => wrong.steps[i] === String(k))
    ? { ...wrong, steps: wrong.steps.slice(keys.length) }
    : undefined;
}

/** scalarIn is the type of a field of a logical model when it is a scalar. */
export function scalarIn(type: unknown): string | undefined {
  const scalar = typeof type === "object" && type !== null && "scalar" in type ? type.scalar : undefined;
  return typeof scalar === "string" ? scalar : undefined;
}
