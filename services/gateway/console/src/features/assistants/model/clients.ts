import { headersFor, type RunAs } from "../../../lib/http/runas";

/** Client is an assistant with the text that connects it to the engine. */
export interface Client {
  name: string;
  /** Where the text goes. */
  place: string;
  text: string;
}

/**
 * clientsFor are the configurations of common assistants. Where the engine has no secret, a client names its role itself;
 * else it has a token, which is never the console's own secret.
 */
export function clientsFor(origin: string, as: RunAs, open: boolean): Client[] {
  const url = `${origin}/mcp`;
  const headers: Record<string, string> = open ? headersFor(as) : { Authorization: "Bearer TOKEN" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const args = ["mcp", "--endpoint", origin, ...(open ? lines.flatMap((line) => ["--header", line]) : [])];
  const env = open ? {} : { env: { ENGINE_GRAPHQL_MCP_TOKEN: "TOKEN" } };
  return [
    {
      name: "Claude Desktop",
      place: "claude_desktop_config.json",
      text: json({ mcpServers: { engine: { command: "engine", args, ...env } } }),
    },
    {
      name: "Claude Code",
      place: "a terminal",
      text: ["claude mcp add --transport http engine", quoted(url), ...lines.map((l) => `--header ${quoted(l)}`)].join(
        " ",
      ),
    },
    { name: "Cursor", place: ".cursor/mcp.json", text: json({ mcpServers: { engine: { url, headers } } }) },
    {
      name: "VS Code",
      place: ".vscode/mcp.json",
      text: json({ servers: { engine: { type: "http", url, headers } } }),
    },
  ];
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** quoted is a word of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
