// Tests of the editor of the API page: the explorer, several operations, variables, mistakes at their places, links, and the history.
import assert from "node:assert/strict";
import { axe, documentation, has, metadata, schemaThere, secret, signIn, sql, type, until } from "./harness.mjs";

const result = (page) => page.getByLabel("Result of the operation");
const run = (page) => page.getByRole("button", { name: "Run Ctrl Enter" }).click();
const explorer = (page) => page.getByRole("region", { name: "Explorer" });
const box = (page, name) => explorer(page).getByRole("checkbox", { name, exact: true });

/** text is what an editor has, whose lines are those that are visible. */
const text = async (page, label) => (await page.getByRole("textbox", { name: label, exact: true }).locator(".cm-line").allTextContents()).join("\n").trim();

/** reads waits until an editor has a text. */
async function reads(page, label, wanted) {
  let found;
  await until(async () => (found = await text(page, label)) === wanted, `${label} isn't\n${wanted}`).catch((e) => assert.fail(`${e.message}\nbut\n${found}`));
}

export const tests = {
  async "API: an operation by its fields"({ page }) {
    await metadata("pg_create_array_relationship", { source: "default", table: "author", name: "articles", using: { foreign_key_constraint_on: { table: "article", column: "author_id" } } });
    try {
      await signIn(page);
      await schemaThere(page);
      await type(page, "Operation", "");
      await page.getByRole("searchbox", { name: "Find a field" }).fill("auth");
      await box(page, "author").check();
      await reads(page, "Operation", "query MyQuery {\n  author {\n    id\n  }\n}");
      // What is typed stays where it is, comments, too.
      await type(page, "Operation", "# ours\nquery MyQuery {\n  author { # all\n    id\n  }\n}\n");
      await box(page, "name").first().check();
      await box(page, "id").first().uncheck();
      await box(page, "where:").first().check();
      await box(page, "name:").check();
      await box(page, "_eq:").check();
      await explorer(page).getByRole("textbox", { name: "Value of _eq" }).fill('A"nn');
      await page.keyboard.press("Enter");
      await reads(page, "Operation", '# ours\nquery MyQuery {\n  author(where: {name: {_eq: "A\\"nn"}}) { # all\n    name\n  }\n}');
      await explorer(page).getByRole("button", { name: "Value of _eq is a variable" }).click();
      await reads(page, "Operation", "# ours\nquery MyQuery($_eq: String) {\n  author(where: {name: {_eq: $_eq}}) { # all\n    name\n  }\n}");
      await type(page, "Variables", '{"_eq": "Ann"}');
      // By keys alone: below a field that isn't chosen yet, which is chosen with it.
      await explorer(page).getByRole("button", { name: "Open articles", exact: true }).focus();
      await page.keyboard.press("Enter");
      await explorer(page).getByRole("listitem").filter({ has: page.getByRole("checkbox", { name: "articles", exact: true }) }).last().getByRole("checkbox", { name: "title", exact: true }).focus();
      await page.keyboard.press("Space");
      await run(page);
      await has(result(page), '"title": "<script>alert(1)</script>"');
      await axe(page, "API with the explorer");
      await box(page, "where:").first().uncheck();
      await box(page, "author").first().uncheck();
      await reads(page, "Operation", "# ours");

      // Another kind of operation next to one without a name, both of which have names then.
      await type(page, "Operation", "{ author { name } }");
      await explorer(page).getByRole("button", { name: "mutation" }).click();
      await page.getByRole("searchbox", { name: "Find a field" }).fill("insert_author_one");
      await box(page, "insert_author_one").check();
      await reads(page, "Operation", "query MyQuery { author { name } }\n\nmutation MyMutation {\n  insert_author_one(object: {}) {\n    id\n  }\n}");
      assert.equal(await page.getByRole("combobox", { name: "Operation" }).inputValue(), "MyMutation");
      assert.ok(await page.getByRole("button", { name: "Explain" }).isDisabled());
      await type(page, "Operation", "{ author {");
      await explorer(page).getByText("The fields are shown when the text of the operation can be read.").waitFor();
    } finally {
      await metadata("pg_drop_relationship", { source: "default", table: "author", relationship: "articles" });
    }
  },

  async "API: the operation at the cursor, laid out, with its fragments merged"({ page }) {
    await signIn(page);
    await schemaThere(page);
    await type(page, "Operation", "query One { author(where: {id: {_eq: 1}}) {\n...N } }\nquery Two {\nauthor(where: {id: {_eq: 2}}) { ...N id } } fragment N on author { id # its name\n name }");
    await page.getByRole("textbox", { name: "Operation", exact: true }).press("Control+End");
    await page.getByRole("textbox", { name: "Operation", exact: true }).press("Control+Home");
    await page.keyboard.press("Control+Enter");
    await has(result(page), '"Ann"');
    for (let i = 0; i < 2; i++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Control+Enter");
    await has(result(page), '"Ben"');
    await page.getByRole("combobox", { name: "Operation" }).selectOption("One");
    await run(page);
    await has(result(page), '"Ann"');
    await page.getByRole("textbox", { name: "Operation", exact: true }).focus();
    await page.keyboard.press("Control+Shift+P");
    await until(async () => (await text(page, "Operation")).includes("fragment N on author {\n  id # its name\n  name\n}"), "it isn't laid out");
    await page.getByRole("textbox", { name: "Operation", exact: true }).focus();
    await page.keyboard.press("Control+Shift+M");
    await reads(page, "Operation", "query One {\n  author(where: { id: { _eq: 1 } }) {\n    id\n    name\n  }\n}\n\nquery Two {\n  author(where: { id: { _eq: 2 } }) {\n    id\n    name\n  }\n}");
    await page.getByRole("textbox", { name: "Operation", exact: true }).press("Control+z");
    await until(async () => (await text(page, "Operation")).includes("fragment N"), "it isn't undone");
    await type(page, "Operation", "query {");
    await page.getByRole("button", { name: "Prettify" }).click();
    await has(page.getByRole("alert"), "Syntax Error");
    await page.getByRole("button", { name: "Shortcuts", exact: true }).click();
    await has(page.getByRole("dialog", { name: "Keys" }), "Ctrl Shift P");
    await axe(page, "API with the keys");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "detached" });
  },

  async "API: variables with completion, comments, and what is wrong with them"({ page }) {
    await sql("CREATE TABLE counter (id bigint PRIMARY KEY, at timestamptz)");
    await metadata("pg_track_table", { source: "default", table: "counter" });
    try {
      await signIn(page);
      await schemaThere(page);
      await type(page, "Operation", "mutation Add($row: counter_insert_input!, $one: Int) { insert_counter_one(object: $row) { id } }");
      await type(page, "Variables", '{ "ro');
      await page.keyboard.press("Control+Space");
      await has(page.getByRole("option"), "counter_insert_input!");
      await page.keyboard.press("Escape");
      await type(page, "Variables", '{ "row": { "');
      await page.keyboard.press("Control+Space");
      await has(page.getByRole("option"), "timestamptz");
      await page.keyboard.press("Escape");
      await type(page, "Variables", '{ "row": {"foo": 1}, "one": "x", "more": 1 }');
      const marks = page.locator('[aria-label="Variables"] .cm-lintRange');
      await until(async () => (await marks.count()) === 3, "there are not three mistakes");
      assert.deepEqual(await marks.allInnerTexts(), ['{"foo": 1}', '"x"', '"more"']);
      await page.getByRole("textbox", { name: "Variables", exact: true }).press("F8");
      await page.locator(".cm-tooltip").getByText(/Field "foo" is not defined|Expected type|not defined by type/).first().waitFor();
      await axe(page, "API with mistakes in the variables");
      await page.keyboard.press("Escape");
      // Numbers that JavaScript rounds are sent and shown as they are.
      await type(page, "Operation", "mutation Add($row: counter_insert_input!) { insert_counter_one(object: $row) { id } }");
      await type(page, "Variables", '{\n  // ours\n  "row": {"id": 9007199254740993} /* large */\n}');
      await run(page);
      await has(result(page), '"id": 9007199254740993');
      assert.deepEqual(await sql("SELECT id FROM counter"), [["9007199254740993"]]);
    } finally {
      await sql("DROP TABLE counter", true);
    }
  },

  async "API: what the server finds wrong, at its place"({ page }) {
    await signIn(page);
    await schemaThere(page);
    await type(page, "Operation", "query Q { author(where: {id: {_eq: 1}}) { ...F } }\nfragment F on author { name(no: 1) }");
    await run(page);
    const errors = page.getByRole("list", { name: "Errors" });
    await has(errors, "validation-failed");
    await errors.getByRole("button", { name: "Show in the operation" }).click();
    await page.keyboard.press("F1"); // what the cursor is at, in the documentation
    await page.getByRole("heading", { name: "author", exact: true }).waitFor();
    assert.equal(await page.getByRole("searchbox", { name: "Find" }).inputValue(), "name");
    await page.locator('[aria-label="Operation"] .cm-lintRange-error').first().waitFor();
    await axe(page, "API with an error at its place");
    await type(page, "Operation", "{ author(where: {id: {_equal: 1}}) { name } }");
    await run(page);
    await has(errors, "$.selectionSet.author.args.where.id._equal");
    await has(page.locator('[aria-label="Operation"] .cm-lintRange-error'), "_equal");
    await type(page, "Operation", "{ author { name } }");
    await run(page);
    await has(result(page), "Ann");
    assert.equal(await errors.count(), 0);
    // A header that can't be sent is found before anything is.
    await page.getByRole("tab", { name: "Headers" }).click();
    await page.getByLabel("One in each line").fill("# x-engine-role: nobody\nno header");
    await page.getByText("This isn't a header: no header").waitFor();
    await run(page);
    await has(page.getByRole("alert"), "isn't a header");
    await page.getByLabel("One in each line").fill("# x-engine-role: nobody");
    await run(page);
    await has(result(page), "Ann");
  },

  async "API: the documentation finds fields"({ page }) {
    await signIn(page);
    await documentation(page);
    await page.getByRole("searchbox", { name: "Find" }).fill("title");
    await page.getByRole("button", { name: "article.title" }).click();
    await page.getByRole("heading", { name: "article", exact: true }).waitFor();
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("heading", { name: "Schema", exact: true }).waitFor();
    await page.reload(); // the browser keeps which one was open
    await page.getByRole("button", { name: "query_root" }).waitFor();
  },

  async "API: a link to an operation, without what is secret"({ page, context }) {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await signIn(page);
    await schemaThere(page);
    await page.getByRole("tab", { name: "Headers" }).click();
    await page.getByLabel("One in each line").fill("x-engine-user-id: 4711");
    await page.getByRole("tab", { name: "Variables" }).click();
    await type(page, "Operation", 'query Linked { author(where: {name: {_eq: "Änn <b>"}}) { name } }');
    await type(page, "Variables", '{"a": 1}');
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("Copied").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const said = Buffer.from(new URL(link).hash.replace("#operation=", ""), "base64url").toString();
    assert.deepEqual(JSON.parse(said), { query: 'query Linked { author(where: {name: {_eq: "Änn <b>"}}) { name } }', variables: '{"a": 1}' });
    assert.ok(!said.includes("4711") && !said.includes(secret));
    let sent = 0;
    page.on("request", (r) => { if (r.url().endsWith("/v1/graphql") && r.postData()?.includes("Linked")) sent++; });
    await type(page, "Operation", "{ __typename }");
    await page.goto(link);
    await reads(page, "Operation", 'query Linked { author(where: {name: {_eq: "Änn <b>"}}) { name } }');
    assert.equal(await page.getByRole("tablist", { name: "Operations" }).getByRole("tab").count(), 2);
    assert.equal(new URL(page.url()).hash, "");
    await schemaThere(page);
    assert.equal(sent, 0, "an operation of a link was run by itself");
    await page.reload();
    await schemaThere(page);
    assert.equal(await page.getByRole("tablist", { name: "Operations" }).getByRole("tab").count(), 2);
  },

  async "API: the history, and panes as wide as they were made"({ page }) {
    await signIn(page);
    await schemaThere(page);
    for (const name of ["First", "Second", "Third"]) {
      await type(page, "Operation", `query ${name} { author { name } }`);
      await run(page);
      await has(result(page), "Ann");
      await page.getByRole("status").filter({ hasText: "HTTP 200" }).waitFor();
    }
    await page.getByRole("tab", { name: "History" }).click();
    const list = page.getByRole("list", { name: "History" });
    const titles = async () => (await list.getByRole("listitem").allInnerTexts()).map((t) => /\w+/.exec(t)[0]);
    assert.deepEqual(await titles(), ["Third", "Second", "First"]);
    await list.getByRole("button", { name: "Keep First" }).click();
    assert.deepEqual(await titles(), ["First", "Third", "Second"]);
    await axe(page, "API with the history");
    await page.getByRole("searchbox", { name: "Find in the history" }).fill("query s");
    assert.deepEqual(await titles(), ["Second"]);
    await page.getByRole("searchbox", { name: "Find in the history" }).fill("");
    await list.getByRole("button", { name: "Remove Third" }).click();
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    assert.deepEqual(await titles(), ["First"]);
    await list.getByRole("button", { name: "First", exact: true }).click();
    await reads(page, "Operation", "query First { author { name } }");

    const width = () => page.locator("#request").evaluate((e) => Math.round(e.getBoundingClientRect().width));
    const before = await width();
    await page.getByRole("separator", { name: "Width of the operation" }).focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowLeft");
    await until(async () => (await width()) < before, "the pane isn't narrower");
    const after = await width();
    await page.reload();
    await schemaThere(page);
    await until(async () => Math.abs((await width()) - after) < 3, "the pane isn't as wide as it was");
  },
};
