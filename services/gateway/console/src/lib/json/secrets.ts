/** Hidden is JSON in which tokens stand for secrets, with the secrets in the order of their tokens. */
export interface Hidden {
  value: unknown;
  secrets: string[];
}

/** ofKeys are the keys whose texts are secrets as a whole. */
const ofKeys = /^(password|sslpassword|private_key|private_key_id|service_account)$/;

/** inTexts find secrets in addresses and connection strings: what comes before one, and the secret itself. */
const inTexts = [
  /^(\s*[a-z][a-z0-9+.-]*:\/\/[^:/@?#]*:)(.+)(?=@)/i, // scheme://user:secret@host, whatever the secret contains
  /([?&](?:ssl)?password=)([^&]+)/gi,
  /((?:^|;)\s*(?:pwd|password)\s*=\s*)(\{(?:[^}]|\}\})*\}|"[^"]*"|'[^']*'|[^;]+)/gi, // ODBC and ADO
  /((?:^|\s)password\s*=\s*)('(?:\\.|[^'\\])*'|[^\s;&]+)/gi, // libpq
];

const token = /‹hidden (\d+)›/g;

/**
 * hideSecrets puts tokens in the place of secrets: of passwords in addresses, and of keys. References to variables are
 * none.
 */
export function hideSecrets(value: unknown, secrets: string[] = []): Hidden {
  const hide = (secret: string) => {
    if (/^\{\{[^{}]*\}\}$/.test(secret)) return secret;
    const known = secrets.indexOf(secret);
    return `‹hidden ${known < 0 ? secrets.push(secret) : known + 1}›`;
  };
  const walk = (part: unknown, key: string): unknown => {
    if (typeof part === "string") {
      if (ofKeys.test(key)) return part && hide(part);
      return inTexts.reduce(
        (text, pattern) => text.replace(pattern, (_, before: string, secret: string) => before + hide(secret)),
        part,
      );
    }
    if (Array.isArray(part)) return part.map((p) => walk(p, ""));
    if (typeof part === "object" && part !== null)
      return Object.fromEntries(Object.entries(part).map(([k, p]) => [k, walk(p, k)]));
    return part;
  };
  return { value: walk(value, ""), secrets };
}

/** restoreSecrets puts secrets back in the place of their tokens. */
export function restoreSecrets(value: unknown, secrets: string[]): unknown {
  if (typeof value === "string")
    return value.replace(token, (text, number: string) => secrets[Number(number) - 1] ?? text);
  if (Array.isArray(value)) return value.map((v) => restoreSecrets(v, secrets));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, restoreSecrets(v, secrets)]));
  return value;
}

/** shownText is a text as it is shown while its secrets are hidden. */
export function shownText(text: string): string {
  return (hideSecrets(text).value as string).replace(token, "•••");
}
