import { isExact } from "./exact";

/** literalOf is what PostgreSQL writes for an object that an answer has for an hstore or a composite type, or for a list of them. Undefined is for others, and for what can't be told from JSON: what is nested in them. */
export function literalOf(type: string, value: unknown): string | undefined {
  if (Array.isArray(value)) {
    if (!value.some((v) => v !== null && typeof v === "object" && !Array.isArray(v) && !isExact(v)) || /^jsonb?\[\]$/i.test(type)) return undefined;
    const parts = value.map((v: unknown) => (v === null ? "NULL" : literalOf(type.replace(/\[\]$/, ""), v)));
    return parts.includes(undefined) ? undefined : `{${parts.map((p) => (p === "NULL" ? p : quoted(p!))).join(",")}}`;
  }
  const fields = Object.entries(value as Record<string, unknown>);
  if (/^hstore$/i.test(type)) return fields.map(([k, v]) => `${quoted(k)}=>${v === null ? "NULL" : quoted(String(v))}`).join(", ");
  const parts = fields.map(([, v]) => part(v));
  return parts.includes(undefined) ? undefined : `(${parts.join(",")})`;
}

/** part is a field of a composite value. */
function part(value: unknown): string | undefined {
  if (value === null) return "";
  if (typeof value === "string") return quoted(value);
  if (typeof value === "boolean") return value ? "t" : "f";
  return typeof value === "number" || isExact(value) ? JSON.stringify(value) : undefined;
}

const quoted = (text: string) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
