import type { RunAs } from "../../../lib/http/runas";
import { ApiError, type Server } from "../../../lib/http/client";
import type { InputSchema } from "../model/sample";

/** Tool is what an assistant may call. */
export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: InputSchema;
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean; idempotentHint?: boolean };
}

export interface Prompt {
  name: string;
  title?: string;
  description?: string;
  arguments?: { name: string; description?: string; required?: boolean }[];
}

/** Answer is what a tool answers an assistant with. */
export interface Answer {
  isError?: boolean;
  content: { type: string; text?: string }[];
}

/** offQuery finds out whether assistants are off. */
export const offQuery = (server: Server) => ({
  queryKey: ["assistants", "off"],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<boolean> => {
    try {
      await server.assistant("ping", {}, { role: "nobody", headers: "" }, signal); // any role but admin
      return false;
    } catch (e) {
      if (e instanceof ApiError && e.status === 404) return true;
      throw e;
    }
  },
});

/** mostPages bounds how many pages of tools are read. */
const mostPages = 50;

/** toolsQuery lists the tools that a role is offered. */
export const toolsQuery = (server: Server, as: RunAs) => ({
  queryKey: ["assistants", "tools", as],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Tool[]> => {
    const tools: Tool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < mostPages && (page === 0 || cursor); page++) {
      const answer = await server.assistant<{ tools: Tool[]; nextCursor?: string }>(
        "tools/list",
        cursor ? { cursor } : {},
        as,
        signal,
      );
      tools.push(...answer.tools);
      cursor = answer.nextCursor;
    }
    return tools;
  },
});

/** schemaQuery is the schema that an assistant of a role reads. */
export const schemaQuery = (server: Server, as: RunAs) => ({
  queryKey: ["assistants", "schema", as],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<string> => {
    const answer = await server.assistant<{ contents: { text: string }[] }>(
      "resources/read",
      { uri: "engine://schema" },
      as,
      signal,
    );
    return answer.contents.map((c) => c.text).join("\n");
  },
});

/** promptsQuery lists the prompts, which all roles get. */
export const promptsQuery = (server: Server, as: RunAs) => ({
  queryKey: ["assistants", "prompts", as],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Prompt[]> =>
    (await server.assistant<{ prompts: Prompt[] }>("prompts/list", {}, as, signal)).prompts,
});

/** callTool calls a tool as an assistant of a role does. */
export function callTool(server: Server, name: string, args: unknown, as: RunAs): Promise<Answer> {
  return server.assistant<Answer>("tools/call", { name, arguments: args }, as);
}
