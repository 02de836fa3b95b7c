// The official client: lists pages of tools, calls, is refused and cancels, over HTTP and over standard input.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, token, program] = process.argv.slice(2);
const authorization = `Bearer ${token}`;
const transports = {
  http: () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: { authorization } } }),
  stdio: () => new StdioClientTransport({ command: program, args: ["mcp", "--endpoint", url, "--header", `Authorization: ${authorization}`] }),
};
const seen = {};
for (const [name, transport] of Object.entries(transports)) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport());
  const tools = [];
  let pages = 0;
  for (let cursor; pages === 0 || cursor; pages++) {
    const page = await client.listTools({ cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  }
  const titles = await client.callTool({ name: "titles", arguments: {} });
  // The client checks answers by the schemas of the page that it listed last.
  const copies = await client.callTool({ name: "volumes", arguments: {} });
  const wrong = await client.callTool({ name: "titles", arguments: { limit: "x" } });
  const write = await client.callTool({ name: "run_query", arguments: { query: "mutation { delete_book(where: {}) { affected_rows } }" } });
  const unknown = await client.callTool({ name: "nothing", arguments: {} }).then(() => "", (e) => e.message);
  const stop = new AbortController();
  const slow = client.callTool({ name: "run_query", arguments: { query: "{ slow { id } }" } }, undefined, { signal: stop.signal });
  setTimeout(() => stop.abort("changed my mind"), 300);
  const cancelled = await slow.then(() => "", (e) => e.message);
  const { contents } = await client.readResource({ uri: "engine://types/book" });
  seen[name] = {
    pages, tools: tools.length, titles: titles.structuredContent, copies: copies.structuredContent, wrong: wrong.isError, write: write.isError, unknown, cancelled,
    type: contents[0].text,
  };
  await client.close();
}
const stranger = new Client({ name: "test", version: "1" });
seen.stranger = await stranger
  .connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: { authorization: "Bearer nonsense" } } }))
  .then(() => "let in", (e) => `refused ${e.code ?? e.name}`);
console.log(JSON.stringify(seen));
