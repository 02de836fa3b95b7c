import { expect, test } from "vitest";
import { clientsFor } from "./clients";

const as = { role: "it's", headers: "x-engine-user-id: 7\n# x-left: out" };

test("clients have a token, and name no role", () => {
  for (const client of clientsFor("https://shop.example", as, false)) {
    expect(client.text).toContain("https://shop.example");
    expect(client.text).toContain("TOKEN");
    expect(client.text).not.toContain("it's");
  }
});

test("clients of an engine without a secret name their role", () => {
  const texts = Object.fromEntries(clientsFor("http://127.0.0.1:8080", as, true).map((c) => [c.name, c.text]));
  expect(texts["Claude Code"]).toBe(
    `claude mcp add --transport http engine 'http://127.0.0.1:8080/mcp' --header 'x-engine-user-id: 7' --header 'x-engine-role: it'\\''s'`,
  );
  expect(JSON.parse(texts["Claude Desktop"]!)).toEqual({
    mcpServers: {
      engine: {
        command: "engine",
        args: [
          "mcp",
          "--endpoint",
          "http://127.0.0.1:8080",
          "--header",
          "x-engine-user-id: 7",
          "--header",
          "x-engine-role: it's",
        ],
      },
    },
  });
  expect(JSON.parse(texts["VS Code"]!).servers.engine.headers).toEqual({
    "x-engine-user-id": "7",
    "x-engine-role": "it's",
  });
});
