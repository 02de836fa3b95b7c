import { variableIn } from "../../../lib/http/runas";
import { isRule, isVariable, type Rule } from "./rule";

/** lists are operators that take several values, which a session variable gives as {1,2}. */
const lists = /^[_$]n?in$/;

/** substituted is a rule with values in the places of session variables, which headers have, one in each line. */
export function substituted(rule: Rule, headers: string): Rule {
  const valueOf = (key: string, part: unknown): unknown => {
    if (typeof part === "string" && isVariable(part)) {
      const value = variableIn(headers, part.toLowerCase()) ?? "";
      return lists.test(key)
        ? value
            .replace(/^\{|\}$/g, "")
            .split(",")
            .map((v) => v.trim())
        : value;
    }
    if (Array.isArray(part)) return part.map((p) => valueOf("", p));
    return isRule(part) ? substituted(part, headers) : part;
  };
  return Object.fromEntries(Object.entries(rule).map(([key, part]) => [key, valueOf(key, part)]));
}
