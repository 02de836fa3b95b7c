// Tests of the page for assistants.
import assert from "node:assert/strict";
import { area, axe, broken, has, html, metadata, signIn, url } from "./harness.mjs";

const role = (page) => page.getByRole("combobox", { name: "Run as role" });
const tool = (page, name) => page.getByRole("button", { name, exact: true });

/** collection has a tool that reads, one that writes, one for admin alone, and a prompt. */
const collection = {
  name: "assistant",
  definition: {
    queries: [
      { name: "authors", query: "query ($limit: Int = 1) { author(limit: $limit, order_by: {id: asc}) { name } }", tool: { title: "Authors", description: html } },
      { name: "add_author", query: "mutation ($name: String!) { insert_author_one(object: {name: $name}) { name } }", tool: {} },
      { name: "articles", query: "{ article { title } }", tool: {} },
    ],
    prompts: [{ name: "digest", title: "Digest", description: html, text: "Who writes about {{topic}}?", arguments: [{ name: "topic", required: true }] }],
  },
};

export const tests = {
  async "Assistants: what a role's assistant is offered, tried"({ page }) {
    await metadata("create_query_collection", collection);
    await metadata("pg_create_insert_permission", { table: "author", role: "writer", permission: { columns: ["name"], check: {} } });
    await metadata("pg_create_select_permission", { table: "author", role: "writer", permission: { columns: ["id", "name"], filter: { name: { _eq: "x-engine-name" } } } });
    await signIn(page);
    await area(page, "Assistants");
    await page.getByText("Choose a role. Assistants are never admin.").waitFor();
    await role(page).fill("reader");
    await page.keyboard.press("Escape");
    await tool(page, "authors").waitFor();
    await tool(page, "run_query").waitFor();
    assert.equal(await tool(page, "add_author").count(), 0, "the reader writes nothing");
    assert.equal(await tool(page, "articles").count(), 0, "the reader sees no articles");
    await page.getByText("Not offered to this role: add_author, articles").waitFor();
    await tool(page, "authors").click();
    assert.equal(await page.getByRole("textbox", { name: "Arguments" }).inputValue(), '{\n  "limit": 1\n}');
    assert.equal(await page.locator("main img").count(), 0);
    await page.getByRole("button", { name: "Call as reader" }).click();
    await has(page.getByLabel("Answer", { exact: true }), "Ann");
    await axe(page, "Assistants with an answer");
    await page.getByRole("textbox", { name: "Arguments" }).fill('{"limit": "x"}');
    await page.getByRole("button", { name: "Call as reader" }).click();
    await page.getByText("The tool failed.").waitFor();
    await page.getByRole("textbox", { name: "Arguments" }).fill("[1]");
    await page.getByText("Arguments are a JSON object.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Call as reader" }).isDisabled(), true);

    await page.getByRole("tab", { name: "Schema" }).click();
    await has(page.getByLabel("Schema of the role"), "type author {");
    await page.getByRole("tab", { name: "Prompts" }).click();
    await has(page.getByRole("list", { name: "Prompts" }), "Digest");
    await axe(page, "Assistants with prompts");

    await role(page).fill("writer");
    await page.keyboard.press("Escape");
    await page.getByLabel("Session variables").fill("x-engine-name: Zoe");
    await page.getByRole("tab", { name: "Tools" }).click();
    await tool(page, "add_author").click();
    await page.getByText("Calls are real: this tool may change rows.").waitFor();
    await page.getByRole("textbox", { name: "Arguments" }).fill('{"name": "Zoe"}');
    await page.getByRole("button", { name: "Call as writer" }).click();
    await has(page.getByLabel("Answer", { exact: true }), "Zoe");
    await tool(page, "authors").click();
    await page.getByRole("button", { name: "Call as writer" }).click();
    await has(page.getByLabel("Answer", { exact: true }), "Zoe");
    await page.getByLabel("Session variables").fill("no variable");
    await page.getByText("No session variable: no variable").waitFor();
  },

  async "Assistants: clients are connected, and how to allow them"({ page }) {
    await signIn(page);
    await area(page, "Assistants");
    await page.getByRole("tab", { name: "Connect" }).click();
    await has(page.getByLabel("Configuration", { exact: true }), "ENGINE_GRAPHQL_MCP_TOKEN");
    await page.getByRole("combobox", { name: "Client" }).selectOption("VS Code");
    await has(page.getByLabel("Configuration", { exact: true }), url + "/mcp");
    await page.getByText(".vscode/mcp.json").waitFor();
    await axe(page, "Assistants with a configuration");
    await role(page).fill("reader");
    await page.keyboard.press("Escape");
    const off = { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "resources are off" } };
    await page.route(url + "/mcp/try", (route) =>
      /resources|prompts/.test(route.request().postData()) ? route.fulfill({ json: off }) : route.continue(),
    );
    await page.getByRole("tab", { name: "Schema" }).click();
    await page.getByText("Assistants get no schema: --mcp-discovery doesn't list resources.").waitFor();
    await page.getByRole("tab", { name: "Prompts" }).click();
    await page.getByText("Assistants get no prompts: --mcp-discovery doesn't list prompts.").waitFor();
    await page.unroute(url + "/mcp/try");
    await page.route(url + "/mcp/try", (route) => route.fulfill({ status: 404, json: { error: "resource does not exist", code: "not-found", path: "$" } }));
    await page.reload();
    await page.getByText("Assistants are off. Restart the engine with this option.").waitFor();
    await page.getByRole("button", { name: "Copy the option" }).waitFor();
    await axe(page, "Assistants that are off");
  },

  async "Assistants: a server that fails, is gone, or is slow"({ page }) {
    await signIn(page);
    await broken(page, "Assistants", url + "/mcp/try", () => page.getByText("Choose a role.").waitFor());
  },
};
