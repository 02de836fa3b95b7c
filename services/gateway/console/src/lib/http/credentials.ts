/** storageKey is where the tab keeps the session; it ends with the tab. */
export const storageKey = "query-engine-session";

/** Credentials are what requests carry: the admin secret, a token, or nothing. */
export interface Credentials {
  kind: "secret" | "token" | "none";
  value: string;
}

export function headersOf(c: Credentials): Record<string, string> {
  switch (c.kind) {
    case "secret":
      return { "x-engine-admin-secret": c.value };
    case "token":
      return { authorization: `Bearer ${c.value}` };
    case "none":
      return {};
  }
}

export function storedCredentials(): Credentials | undefined {
  const text = sessionStorage.getItem(storageKey);
  if (!text) return undefined;
  try {
    const c = JSON.parse(text) as Credentials;
    return typeof c.value === "string" ? c : undefined;
  } catch {
    return undefined;
  }
}
