import { createContext, use, useMemo, useState, type ReactNode } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { storageKey, type Credentials } from "./http/credentials";
import { ApiError, isAccessDenied, post, Server, type GraphQLAnswer } from "./http/client";
import { resetStores } from "./store";
import { forgetStored } from "./stored";

/** Session is who is signed in, and whether the metadata API is open to them. */
export interface Session {
  credentials: Credentials;
  admin: boolean;
}

/** authenticate finds out what credentials are good for. It throws when the server refuses them. */
export async function authenticate(credentials: Credentials): Promise<Session> {
  try {
    await post("/v1/metadata", { type: "list_source_kinds", args: {} }, credentials);
    return { credentials, admin: true };
  } catch (e) {
    if (!isAccessDenied(e) || credentials.kind === "secret") throw e;
  }
  const answer = await post<GraphQLAnswer>("/v1/graphql", { query: "{ __typename }" }, credentials);
  const error = answer.errors?.[0];
  if (error) throw new ApiError(error.message, error.extensions?.code ?? "unexpected", error.extensions?.path, 200);
  return { credentials, admin: false };
}

interface SessionControl {
  session: Session | undefined;
  server: Server;
  signIn: (s: Session) => void;
  signOut: () => void;
}

const Context = createContext<SessionControl | undefined>(undefined);

export function SessionProvider(props: { children: ReactNode }) {
  const [session, setSession] = useState<Session>();
  const client = useQueryClient();
  const control = useMemo<SessionControl>(() => {
    const server = new Server(session?.credentials ?? { kind: "none", value: "" });
    return {
      session,
      server,
      signIn(s) {
        if (s.credentials.kind !== "none") sessionStorage.setItem(storageKey, JSON.stringify(s.credentials));
        setSession(s);
      },
      signOut() {
        server.end();
        forgetStored();
        resetStores();
        client.clear();
        setSession(undefined);
      },
    };
  }, [session, client]);
  return <Context value={control}>{props.children}</Context>;
}

export function useSession(): SessionControl {
  const control = use(Context);
  if (!control) throw new Error("no SessionProvider");
  return control;
}

/** useServer has the calls of the API. */
export function useServer(): Server {
  return useSession().server;
}
