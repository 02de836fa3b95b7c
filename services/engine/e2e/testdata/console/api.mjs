// Tests of the API page.
import assert from "node:assert/strict";
import { axe, documentation, graphql, has, schemaThere, secret, signIn, sql, type, url } from "./harness.mjs";
import { streaming } from "./stream.mjs";

const result = (page) => page.getByLabel("Result of the operation");

export const tests = {
  async "API: a query"({ page }) {
    await signIn(page);
    await schemaThere(page);
    await type(page, "Operation", "query Authors($id: Int) {\n  author(where: {id: {_eq: $id}}) {\n    name\n  }\n}");
    await type(page, "Variables", '{"id": 1}');
    await page.getByRole("button", { name: "Run Ctrl Enter" }).click();
    await has(result(page), '"name": "Ann"');
    await has(page.getByRole("status"), /^HTTP 200, \d+ ms, \d+ B$/);
    await axe(page, "API with a result");
    await page.getByText("Response headers").click();
    await has(page.getByRole("region", { name: "Result" }), "application/json");
    await page.getByRole("button", { name: "Explain" }).click();
    await has(page.getByLabel("SQL of author"), '"public"."author"');
    await has(page.getByLabel("Steps of author"), "Scan");
    await axe(page, "API with a plan");

    // Completion knows the schema.
    await type(page, "Operation", "{ author { na");
    await page.keyboard.press("Control+Space");
    await has(page.getByRole("option"), "name");
    await page.keyboard.press("Escape");

    await type(page, "Operation", "{ author { none } }");
    await page.getByRole("button", { name: "Run Ctrl Enter" }).click();
    await has(result(page), "validation-failed");
    await type(page, "Variables", "no JSON");
    await page.getByRole("button", { name: "Run Ctrl Enter" }).click();
    await has(page.getByRole("alert"), "The variables are not JSON");

    await page.getByRole("tab", { name: "History" }).click();
    await page.getByRole("list", { name: "History" }).getByRole("button", { name: "Authors", exact: true }).first().click();
    await page.getByRole("tab", { name: "Code" }).click();
    const code = page.getByRole("tabpanel", { name: "Code" });
    for (const [language, part] of [["curl", "$ADMIN_SECRET"], ["fetch", "process.env.ADMIN_SECRET"], ["Go", 'os.Getenv("ADMIN_SECRET")']]) {
      await code.getByRole("button", { name: language }).click();
      await has(code, part);
      assert.ok(!(await code.innerText()).includes(secret));
    }
    await axe(page, "API with code");
  },

  async "API: as a role"({ page }) {
    await signIn(page);
    await page.getByRole("combobox", { name: "Run as role" }).click();
    await page.getByRole("option", { name: "reader" }).click();
    await documentation(page);
    await page.getByRole("button", { name: "query_root" }).click();
    await has(page.getByRole("region", { name: "Documentation of the schema" }), "author");
    await page.getByText("author_aggregate").waitFor({ state: "detached" });
    await type(page, "Operation", "{ author_aggregate { aggregate { count } } }");
    await page.getByRole("button", { name: "Run Ctrl Enter" }).click();
    await has(result(page), "field 'author_aggregate' not found");
    await type(page, "Operation", "{ author { name } }");
    await page.keyboard.press("Control+Enter");
    await has(result(page), "Ann");
  },

  async "API: a subscription"({ page }) {
    await signIn(page);
    await type(page, "Operation", 'subscription { article(where: {title: {_eq: "news"}}) { title } }');
    await page.getByRole("button", { name: "Run Ctrl Enter" }).click();
    await has(result(page), '"article": []');
    await graphql('mutation { insert_article_one(object: {author_id: 1, title: "news"}) { id } }');
    await has(result(page), '"title": "news"');
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Stop", disabled: true }).waitFor();
    await type(page, "Operation", "subscription { none }");
    await page.getByRole("button", { name: "Run Ctrl Enter" }).click();
    await has(page.locator("main"), "validation-failed");
  },

  async "API: a stream keeps the last results alone"({ page }) {
    await signIn(page);
    await schemaThere(page);
    const status = page.getByRole("status").filter({ hasText: "results" });
    const elements = () => page.locator("main *").count();
    const list = page.getByRole("list", { name: "Earlier results" });
    await streaming(page, 1, async () => {
      const receive = async (from, to) => {
        await sql(`INSERT INTO tick (text) SELECT '<b>row</b> ' || i FROM generate_series(${from}, ${to}) i`);
        await has(result(page), `<b>row</b> ${to}`);
        await has(status, `${to} results`);
      };
      await receive(1, 60);
      await page.getByRole("button", { name: "Earlier results" }).click();
      assert.equal(await list.getByRole("button").count(), 49);
      const before = await elements();
      await receive(61, 130);
      assert.ok(Math.abs((await elements()) - before) < 10, "elements of the page after twice as many results"); // the editor draws some more or less
      assert.equal(await list.getByRole("button").count(), 49);
      await list.getByRole("button").last().click();
      const opened = page.getByLabel("Result 81", { exact: true });
      await has(opened, "<b>row</b> 81");
      await receive(131, 200);
      await has(opened, "<b>row</b> 81");
      await axe(page, "API with a stream");
    });

    // Large results are kept as long as they are not too long together.
    await streaming(page, 1, async () => {
      await sql("INSERT INTO tick (text) SELECT repeat('x', 300000) FROM generate_series(1, 9)");
      await has(status, "9 results");
      await page.getByRole("button", { name: "Earlier results" }).click();
      assert.equal(await list.getByRole("button").count(), 6);
    });
  },

  async "API: text of others"({ page }) {
    await signIn(page);
    await documentation(page);
    await page.getByRole("button", { name: "query_root" }).click();
    await page.getByRole("button", { name: "[author!]!" }).first().click();
    await has(page.getByRole("region", { name: "Documentation of the schema" }), "<img src=x onerror=alert(1)>");
    await type(page, "Operation", '{ article(where: {id: {_eq: 1}}) { title } }');
    await page.getByRole("button", { name: "Run Ctrl Enter" }).click();
    await has(result(page), "<script>alert(1)</script>");
    assert.equal(await page.locator("main img, main script").count(), 0);
    await type(page, "Operation", "{ author { na");
    await page.keyboard.press("Control+Space");
    await has(page.getByRole("option"), "name");
    assert.equal(await page.locator("main img").count(), 0);
  },

  async "API: a server that fails, is slow, or is gone"({ page }) {
    await signIn(page);
    await schemaThere(page);
    const answers = {
      fails: (route) => route.fulfill({ status: 500, json: { errors: [{ message: "it broke", extensions: { code: "unexpected", path: "$.x" } }] } }),
      gone: (route) => route.abort("connectionrefused"),
    };
    let release;
    const asked = new Promise((ask) => {
      answers.slow = async (route) => {
        ask();
        await new Promise((r) => (release = r));
        await route.continue();
      };
    });
    let now = "fails";
    await type(page, "Operation", "{ __typename }");
    await page.route(url + "/v1/graphql", (route) => answers[now](route));
    const run = page.getByRole("button", { name: "Run Ctrl Enter" });
    await run.click();
    await has(page.getByRole("alert"), "it broke");
    await has(page.getByRole("alert"), "$.x");
    now = "gone";
    await run.click();
    await has(page.getByRole("alert"), "The server can't be reached.");
    await axe(page, "API without a server");
    now = "slow";
    await run.click();
    await asked;
    await has(page.getByRole("status"), "Running…");
    await axe(page, "API while it waits");
    release();
    await has(result(page), "__typename");
    assert.equal(await page.getByRole("alert").count(), 0);

    // The schema of a reloaded page.
    now = "gone";
    await page.reload();
    await has(page.getByRole("alert"), "The server can't be reached.");
    await page.unroute(url + "/v1/graphql");
    await page.getByRole("button", { name: "Try again" }).click();
    await schemaThere(page);
  },
};
