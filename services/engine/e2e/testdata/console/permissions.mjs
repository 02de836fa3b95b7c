// Tests of the page for permissions.
import assert from "node:assert/strict";
import { addCondition, answered, area, axe, broken, confirm, drawn, has, metadata, remoteURL, signIn, sql, type, url } from "./harness.mjs";

const matrix = (page) => page.getByRole("grid", { name: "Tables and roles" });
const permissions = async (table, operation) =>
  (await metadata("export_metadata", {})).sources[0].tables.find((t) => t.table.name === table)[`${operation}_permissions`] ?? [];
const html = "<b>guest</b>";

/** owned are two authors with an article each. */
const owned = `INSERT INTO author (id, name) VALUES (501, 'Own'), (502, 'Their');
  INSERT INTO article (id, author_id, title) VALUES (501, 501, '<script>alert(1)</script>'), (502, 502, 'theirs')`;

/** opened opens the permissions of a role on a table. */
async function opened(page, table, role, operation) {
  await page.goto(`${url}/console/permissions?source=default&schema=public&table=${table}&role=${encodeURIComponent(role)}`);
  await page.getByRole("tab", { name: operation }).click();
}

export const tests = {
  async "Permissions: a new role, by keys alone"({ page }) {
    await signIn(page);
    await area(page, "Permissions");
    await matrix(page).getByRole("gridcell", { name: "public.author, reader: select" }).waitFor();
    await page.getByRole("searchbox", { name: "Find a table" }).fill("arti");
    await page.getByRole("status").filter({ hasText: /^1 tables/ }).waitFor();
    await page.getByLabel("New role").fill(html);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const cell = matrix(page).getByRole("gridcell", { name: `public.article, ${html}: nothing` });
    await cell.waitFor();
    await axe(page, "Permissions with the matrix");
    await matrix(page).focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: `public.article · ${html}` }).waitFor();

    await page.getByRole("button", { name: "Allow select" }).click();
    await page.getByRole("button", { name: "Columns: each" }).click();
    await page.getByRole("checkbox", { name: "author_id integer" }).uncheck();
    await page.getByLabel("Row limit").fill("7");
    await axe(page, "Permissions with a form");
    await page.getByRole("button", { name: "Save…" }).click();
    await confirm(page, "Save", "select_permission");
    assert.deepEqual(await permissions("article", "select"), [{ role: html, permission: { columns: ["id", "title"], filter: {}, limit: 7 } }]);
    await matrix(page).getByRole("gridcell", { name: `public.article, ${html}: select in part` }).waitFor();
    assert.equal(await page.locator("main b, main img").count(), 0);

    await page.getByText("Copy or revoke in bulk").click();
    await page.getByRole("button", { name: "Roles: none" }).click();
    await page.getByLabel("New role to copy to").fill("copier");
    await page.getByRole("button", { name: "Choose it" }).click();
    await axe(page, "Permissions that are copied");
    await page.getByRole("button", { name: "Copy to 1…" }).click();
    await confirm(page, "Copy", "select_permission");
    await page.getByRole("button", { name: "Revoke select…" }).click();
    await confirm(page, "Revoke", "select_permission");
    await page.getByRole("button", { name: "Allow select" }).waitFor();
    assert.deepEqual((await permissions("article", "select")).map((p) => p.role), ["copier"]);
    await metadata("pg_drop_select_permission", { source: "default", table: "article", role: "copier" });
  },

  async "Permissions: what the form doesn't know is kept, and errors are at their fields"({ page }) {
    const place = { source: "default", table: "article", role: "writer" };
    await metadata("pg_create_update_permission", { ...place, permission: { columns: ["title"], filter: { id: { _gt: 1 } }, check: null, set: { author_id: "X-Engine-User-Id" } }, comment: html });
    try {
      await signIn(page);
      await opened(page, "article", "writer", "update");
      await page.getByLabel("All columns (including future ones)").check();
      await page.getByLabel("Only for trusted backends").check();
      await page.getByRole("button", { name: "Save…" }).click();
      await confirm(page, "Save", "update_permission");
      const [kept] = await permissions("article", "update");
      assert.equal(kept.comment, html);
      assert.deepEqual({ ...kept.permission }, { backend_only: true, check: null, columns: "*", filter: { id: { _gt: 1 } }, set: { author_id: "X-Engine-User-Id" } });

      await page.getByRole("tab", { name: "JSON" }).last().waitFor();
      await page.getByRole("tab", { name: "delete" }).click();
      await page.getByRole("button", { name: "Allow delete" }).click();
      await page.getByLabel("Ask a webhook before anything is written").check();
      assert.ok(await page.getByRole("button", { name: "Save…" }).isDisabled(), "a webhook without an address");
      await page.getByLabel("Address of the webhook").fill("{{NO_SUCH_VARIABLE}}");
      await page.getByLabel("Seconds until it has failed").fill("-3");
      await page.getByRole("button", { name: "Save…" }).click();
      await page.getByRole("alert").filter({ hasText: "$.args[0].args.permission.validate_input.definition.timeout" }).waitFor();
      await page.getByText("timeout value cannot be negative (parse-failed, $.args[0].args.permission.validate_input.definition.timeout)", { exact: true }).waitFor();
      await axe(page, "Permissions with an error");
      assert.deepEqual(await permissions("article", "delete"), []);
    } finally {
      await metadata("pg_drop_update_permission", place);
    }
  },

  async "Permissions: a list of rules"({ page }) {
    const place = { source: "default", table: "article", role: "editor" };
    const own = { columns: ["id", "title"], filter: { author_id: "X-Engine-User-Id" } };
    await metadata("pg_create_select_permission", { ...place, permission: own });
    try {
      await signIn(page);
      await opened(page, "article", "editor", "select");
      await page.getByRole("button", { name: "Add a rule" }).click();
      await axe(page, "Permissions with a list of rules");
      const rules = [own, { name: "others", columns: ["id"], mask: { title: "redact" }, filter: {} }];
      await page.getByRole("textbox", { name: "Rules, as JSON" }).fill(JSON.stringify([own, { ...rules[1], mask: { title: "nope" } }]));
      await page.getByRole("button", { name: "Save…" }).click();
      await page.getByText(/column "nope" does not exist/).first().waitFor();
      await page.getByRole("textbox", { name: "Rules, as JSON" }).fill(JSON.stringify(rules));
      await page.getByRole("button", { name: "Save…" }).click();
      await confirm(page, "Save", "select_permission");
      assert.deepEqual((await permissions("article", "select")).map((p) => p.permission), [rules]);
      await page.getByRole("textbox", { name: "Rules, as JSON" }).waitFor();
      assert.equal(await page.getByRole("button", { name: "Add a rule" }).count(), 0);
      await matrix(page).getByRole("gridcell", { name: "public.article, editor: select in part" }).waitFor();
    } finally {
      await metadata("pg_drop_select_permission", place);
    }
  },

  async "Permissions: presets by columns and as JSON, and what is wrong at its field"({ page }) {
    const part = (name) => page.getByRole("group", { name, exact: true }).and(page.locator("fieldset"));
    const save = () => page.getByRole("button", { name: "Save…" }).click();
    await signIn(page);
    await opened(page, "article", "poster", "insert");
    await page.getByRole("button", { name: "Allow insert" }).click();
    const add = page.getByRole("combobox", { name: "Presets: add a column" });
    const text = page.getByRole("textbox", { name: "Presets as JSON" });
    await add.selectOption("author_id");
    await page.getByRole("combobox", { name: "Presets: value of author_id" }).fill("X-Engine-Poster");
    await add.selectOption("title");
    await page.getByRole("combobox", { name: "Presets: what title gets" }).selectOption("value");
    await page.getByRole("combobox", { name: "Presets: value of title" }).fill(html);
    assert.deepEqual(JSON.parse(await text.inputValue()), { author_id: "X-Engine-Poster", title: html });
    await text.fill('{"author_id": "X-Engine-Poster", "id": null, "nope": 7}');
    assert.equal(await page.getByRole("combobox", { name: "Presets: what id gets" }).inputValue(), "NULL");
    await axe(page, "Permissions with presets");
    await save();
    await has(part("Presets"), 'nope: Inconsistent object: in table "article": in permission for role "poster"');
    await page.getByRole("button", { name: "Presets: remove nope" }).click();
    await page.getByRole("combobox", { name: "Presets: what id gets" }).selectOption("value");
    await page.getByRole("combobox", { name: "Presets: value of id" }).fill("7");
    await save();
    await confirm(page, "Save", "insert_permission");
    assert.deepEqual((await permissions("article", "insert")).map((p) => p.permission.set), [{ author_id: "X-Engine-Poster", id: 7 }]);

    await page.getByRole("tab", { name: "select" }).click();
    await page.getByRole("button", { name: "Allow select" }).click();
    await page.getByRole("checkbox", { name: "title text" }).check();
    const rule = page.getByRole("textbox", { name: "Rows as JSON" });
    await rule.fill('{"_or": [{"id": 1}, {"id": {"_foo": 1}}]}');
    await save();
    await has(part("Rows"), "_or[1].id._foo: Inconsistent object");
    await has(page.getByRole("group", { name: "Rows _or 2", exact: true }), "Unknown operator: _foo"); // at the operator, too
    assert.equal(await page.getByRole("group", { name: "Rows _or 1", exact: true }).getByText("Unknown operator").count(), 0);
    await axe(page, "Permissions with a rule that is wrong");
    await rule.fill('{"author_id": "X-Engine-Poster"}');
    await part("Root fields of queries").getByRole("checkbox", { name: "All" }).uncheck();
    await save();
    await has(part("Root fields of queries"), 'The "select_by_pk" field cannot be included');
    await part("Root fields of queries").getByRole("checkbox", { name: "select_by_pk needs the primary key" }).uncheck();
    await page.getByRole("checkbox", { name: "Aggregations", exact: true }).check();
    await save();
    await confirm(page, "Save", "select_permission");
    const [saved] = await permissions("article", "select");
    assert.deepEqual(saved.permission, { columns: ["title"], filter: { author_id: "X-Engine-Poster" }, allow_aggregations: true, query_root_fields: ["select", "select_aggregate"] });
    for (const operation of ["insert", "select"]) await metadata(`pg_drop_${operation}_permission`, { source: "default", table: "article", role: "poster" });
  },

  async "Permissions: a rule by its conditions and as JSON"({ page }) {
    const place = { source: "default", table: "article" };
    await metadata("pg_create_object_relationship", { ...place, name: "writer", using: { foreign_key_constraint_on: "author_id" } });
    try {
      await signIn(page);
      await opened(page, "article", "reviewer", "select");
      await page.getByRole("button", { name: "Allow select" }).click();
      await page.getByLabel("All columns (including future ones)").check();
      const text = page.getByRole("textbox", { name: "Rows as JSON" });
      const is = async (rule) => page.waitForFunction(([e, want]) => JSON.stringify(JSON.parse(e.value)) === want, [await text.elementHandle(), JSON.stringify(rule)]);
      await addCondition(page, "Rows", "id");
      await page.getByRole("combobox", { name: "Rows: operator of id" }).selectOption("_gt");
      await page.getByRole("combobox", { name: "Rows: value of id _gt" }).fill("7");
      await addCondition(page, "Rows", "writer");
      await addCondition(page, "Rows writer", "name");
      await page.getByRole("combobox", { name: "Rows writer: operator of name" }).selectOption("_ilike");
      await page.getByRole("combobox", { name: "Rows writer: value of name _ilike" }).fill("X-Engine-User-Id");
      await is({ id: { _gt: 7 }, writer: { name: { _ilike: "X-Engine-User-Id" } } });
      await axe(page, "Permissions with a rule");
      await text.fill('{"_or": [{"title": {"_is_null": true}}, {"_exists": {"_table": {"schema": "public", "name": "author"}, "_where": {}}}]}');
      await addCondition(page, "Rows _or 2 _exists", "name");
      await page.getByRole("combobox", { name: "Rows _or 2 _exists: value of name _eq" }).fill(html);
      await page.getByRole("button", { name: "Save…" }).click();
      await confirm(page, "Save", "select_permission");
      const [saved] = await permissions("article", "select");
      assert.deepEqual(saved.permission.filter, { _or: [{ title: { _is_null: true } }, { _exists: { _table: { schema: "public", name: "author" }, _where: { name: { _eq: html } } } }] });
      assert.equal(await page.locator("main b, main img").count(), 0);
      await metadata("pg_drop_select_permission", { ...place, role: "reviewer" });
    } finally {
      await metadata("pg_drop_relationship", { ...place, relationship: "writer" });
    }
  },

  async "Permissions: what a role sees, with session variables"({ page }) {
    const place = { source: "default", table: "article", role: "owner" };
    const row = (grid, first) => page.getByRole("grid", { name: grid }).getByRole("row").filter({ has: page.getByRole("rowheader", { name: first, exact: true }) });
    const cells = async (grid, first) => (await row(grid, first).getByRole("gridcell").allTextContents()).map((t) => t.trim());
    await metadata("pg_create_select_permission", { ...place, permission: { columns: ["id", "title"], filter: { author_id: { _eq: "X-Engine-User-Id" } }, limit: 9, allow_aggregations: true, query_root_fields: ["select", "select_aggregate"] } });
    await metadata("pg_create_insert_permission", { ...place, permission: { columns: ["title"], check: {}, set: { author_id: "x-engine-user-id" } } });
    await sql(owned);
    try {
      await signIn(page);
      await opened(page, "article", "owner", "What it sees");
      await has(page.getByRole("region", { name: "Rows that the role sees" }), "The rule needs x-engine-user-id, which has no value here.");
      await axe(page, "What a role sees, without a variable");
      await page.getByLabel("x-engine-user-id", { exact: true }).fill("502");
      await page.getByText(/^owner sees 1 of \d+ rows\.$/).waitFor();
      await page.getByText("One query returns at most 9.").waitFor();
      assert.deepEqual(await cells("Rows that the role sees", "502"), ["theirs"]);
      assert.deepEqual(await cells("Fields that the role sees", "title"), ["String!", "yes", "yes", "no"]);
      assert.deepEqual(await cells("Fields that the role sees", "author_id"), ["Int!", "no", "always x-engine-user-id", "no"]);
      const roots = (await page.getByRole("grid", { name: "Root fields that the role sees" }).getByRole("row").allTextContents()).slice(1);
      const seen = roots.filter((r) => r.endsWith("yes")).map((r) => r.replace(/^(query|mutation|subscription)(.*)yes$/, "$1 $2").trim());
      assert.deepEqual(seen.sort(), ["mutation insert_article", "mutation insert_article_one", "query article", "query article_aggregate", "subscription article", "subscription article_aggregate", "subscription article_by_pk", "subscription article_stream"].sort());
      assert.ok(roots.includes("querynoarticle_by_pk") || roots.some((r) => /^query.*article_by_pk.*no$/.test(r)), roots.join());
      await axe(page, "What a role sees");
      const row502 = page.getByRole("region", { name: "Explain a row" });
      await row502.getByText("Give the key of a row").waitFor();
      await row502.getByRole("textbox", { name: "id", exact: true }).fill("502");
      await row502.getByText(/^select: allowed by owner/).waitFor();
      await row502.getByText('update: no, role "owner" has no permission').waitFor();
      assert.deepEqual((await cells("Cells that the role sees", "title")).slice(0, 1), ["value"]);
      await axe(page, "A row explained");
      await row502.getByRole("textbox", { name: "id", exact: true }).fill("501");
      await row502.getByText("select: no, no rule matches the row").waitFor();
      await row502.getByRole("textbox", { name: "id", exact: true }).fill("999999");
      await row502.getByText("There is no row with this key").waitFor();
      await page.getByLabel("x-engine-user-id", { exact: true }).fill("77");
      await page.getByText(/^owner sees 0 of \d+ rows\.$/).waitFor();
      await page.getByText('No row meets {"author_id":{"_eq":"X-Engine-User-Id"}}.').waitFor();

      await page.goto(url + "/console/data?source=default&schema=public&table=article");
      await page.getByRole("tab", { name: "Permissions" }).click();
      await page.getByRole("button", { name: "Preview as role" }).click();
      await page.getByText("Choose a role").waitFor();
      await page.getByLabel("Run as role").fill("stranger");
      await page.getByText("stranger sees no row of public.article").waitFor();
      await page.getByText("stranger can't reach the table.").waitFor();
      await page.keyboard.press("Tab"); // closes the list of roles, which hides everything else
      await axe(page, "A table as a role");
      await page.getByLabel("Run as role").fill("owner");
      await page.getByText(/^owner sees 0 of \d+ rows\.$/).waitFor();
      await page.keyboard.press("Tab");
      await page.getByLabel("Session variables").fill("x-engine-user-id: 501");
      await has(page.getByRole("grid", { name: "Rows that the role sees" }), "<script>alert(1)</script>");
      assert.equal(await page.getByLabel("x-engine-user-id", { exact: true }).inputValue(), "501");
    } finally {
      await sql("DELETE FROM article WHERE author_id > 500; DELETE FROM author WHERE id > 500");
      await metadata("pg_drop_select_permission", place);
      await metadata("pg_drop_insert_permission", place);
    }
  },

  async "Run as before, by one click"({ page }) {
    const place = { source: "default", table: "article", role: "owner" };
    await metadata("pg_create_select_permission", { ...place, permission: { columns: "*", filter: { author_id: { _eq: "X-Engine-User-Id" } } } });
    const before = page.getByRole("group", { name: "Run as before" });
    await sql(owned);
    try {
      await signIn(page);
      await page.getByLabel("Run as role").fill("owner");
      await page.keyboard.press("Tab");
      await page.getByRole("tab", { name: "Headers" }).click();
      await page.getByLabel("One in each line").fill("X-Engine-User-Id: 501\n");
      await type(page, "Operation", "{ article { title } }");
      await page.keyboard.press("Control+Enter");
      await has(page.getByLabel("Result of the operation"), "<script>alert(1)</script>");
      await page.getByLabel("One in each line").fill("x-engine-user-id: 502");
      await before.getByRole("button", { name: "X-Engine-User-Id: 501" }).click();
      assert.equal(await page.getByLabel("One in each line").inputValue(), "X-Engine-User-Id: 501");
      await page.getByLabel("Run as role").fill("");
      await page.keyboard.press("Tab");
      await before.getByRole("button", { name: "owner, X-Engine-User-Id: 501" }).waitFor();
      await axe(page, "API with what ran before");

      await page.goto(url + "/console/data?source=default&schema=public&table=article");
      await before.getByRole("button", { name: "owner, X-Engine-User-Id: 501" }).focus();
      await page.keyboard.press("Enter");
      const rows = page.getByRole("grid", { name: "Rows", exact: true });
      await page.getByText("1 to 1 of 1").waitFor();
      await has(rows, "<script>alert(1)</script>");
      assert.equal(await page.getByLabel("Run as role").inputValue(), "owner");
      await page.getByLabel("Session variables").fill("x-engine-user-id: 502");
      await page.keyboard.press("Tab");
      await has(rows, "theirs");

      await opened(page, "article", "owner", "What it sees");
      await page.getByText(/^owner sees 1 of \d+ rows\.$/).waitFor();
      await has(page.getByRole("grid", { name: "Rows that the role sees" }), "theirs");
      await before.getByRole("button", { name: "X-Engine-User-Id: 501" }).click();
      await has(page.getByRole("grid", { name: "Rows that the role sees" }), "<script>alert(1)</script>");
      await axe(page, "What a role sees, with what ran before");
      assert.equal(await page.evaluate(() => JSON.stringify(localStorage).includes("User-Id")), false);
      await page.getByRole("button", { name: "Sign out" }).click();
      await signIn(page);
      await page.getByLabel("Run as role").waitFor();
      assert.equal(await before.count(), 0);
    } finally {
      await sql("DELETE FROM article WHERE author_id > 500; DELETE FROM author WHERE id > 500");
      await metadata("pg_drop_select_permission", place);
    }
  },

  async "Permissions: functions, actions, remote schemas and logical models"({ page }) {
    const objects = page.getByRole("grid", { name: "Objects and roles" });
    const cell = (name, grant) => objects.getByRole("gridcell", { name: `${name}, reader: ${grant}`, exact: true });
    const panel = page.getByRole("region", { name: "Permissions of a role" });
    const remote = "<i>charts</i>";
    const source = async () => (await metadata("export_metadata", {})).sources[0];
    await sql("CREATE FUNCTION rows_of_author() RETURNS SETOF author LANGUAGE sql STABLE AS $$ SELECT * FROM author $$");
    await metadata("pg_track_function", { function: "rows_of_author" });
    await metadata("create_action", { name: "greet", definition: { handler: "http://127.0.0.1:1/", output_type: "String" } });
    await metadata("add_remote_schema", { name: remote, definition: { url: remoteURL } });
    await metadata("pg_track_logical_model", { source: "default", name: "writer", fields: [{ name: "id", type: { scalar: "integer" } }, { name: "name", type: { scalar: "text" } }] });
    await metadata("add_inherited_role", { role_name: "heiress", role_set: ["reader"] });
    try {
      await signIn(page);
      await area(page, "Permissions");
      await page.getByRole("tab", { name: "Functions, actions and more" }).click();
      await cell("function public.rows_of_author", "nothing").waitFor();
      await axe(page, "Permissions of objects");
      const columns = await objects.getByRole("columnheader").allTextContents();
      await cell("action greet", "nothing").click();
      await panel.getByRole("heading", { name: "reader and action greet" }).waitFor();
      assert.deepEqual(await objects.getByRole("columnheader").allTextContents(), columns);
      assert.notEqual(columns.indexOf("reader"), 1, "a role that would be the first anyway");
      // By keys alone: to the action, whose row is the first.
      await page.getByRole("searchbox", { name: "Find a role" }).fill("reader");
      await objects.focus();
      await page.keyboard.press("Control+Home");
      await page.keyboard.press("Enter");
      await panel.getByRole("heading", { name: "reader and action greet" }).waitFor();
      await panel.getByRole("button", { name: "Allow call…" }).focus();
      await page.keyboard.press("Enter");
      await confirm(page, "Allow it", "greet");
      await cell("action greet", "call").waitFor();
      await page.getByRole("searchbox", { name: "Find a role" }).fill("heiress");
      await objects.getByRole("gridcell", { name: "action greet, heiress: inherited call" }).waitFor();
      await page.getByRole("searchbox", { name: "Find a role" }).fill("reader");
      await panel.getByRole("button", { name: "Revoke call…" }).click();
      await confirm(page, "Revoke", "greet");
      await cell("action greet", "nothing").waitFor();

      await cell("function public.rows_of_author", "nothing").click();
      await panel.getByRole("button", { name: "Allow call…" }).click();
      await confirm(page, "Allow it", "rows_of_author");
      await cell("function public.rows_of_author", "call").waitFor();
      assert.deepEqual((await source()).functions[0].permissions, [{ role: "reader" }]);

      await cell("logical model writer", "nothing").click();
      await panel.getByRole("button", { name: "Allow select" }).click();
      await panel.getByRole("checkbox", { name: "id integer" }).check();
      await panel.getByRole("textbox", { name: "Rows as JSON" }).fill('{"nane": 1}');
      await panel.getByRole("button", { name: "Save…" }).click();
      await has(panel.locator(".condition"), 'Inconsistent object: in logical model "writer"');
      await axe(page, "Permissions of a logical model with an error");
      await panel.getByRole("button", { name: "Rows: remove nane" }).click();
      await addCondition(page, "Rows", "id");
      await panel.getByRole("combobox", { name: "Rows: operator of id" }).selectOption("_gt");
      await panel.getByRole("combobox", { name: "Rows: value of id _gt" }).fill("1");
      await panel.getByRole("button", { name: "Save…" }).click();
      await panel.getByRole("alert").waitFor({ state: "detached" });
      await confirm(page, "Save", "select_permissions");
      await cell("logical model writer", "select").waitFor();
      assert.deepEqual((await source()).logical_models[0].select_permissions, [{ role: "reader", permission: { columns: ["id"], filter: { id: { _gt: 1 } } } }]);

      await cell(`remote schema ${remote}`, "nothing").click();
      await panel.getByRole("button", { name: "Allow query" }).click();
      const tree = panel.getByRole("list", { name: "Types and fields" });
      const text = panel.getByRole("textbox", { name: "Schema of the role" });
      await tree.getByRole("checkbox", { name: "Query.charts" }).uncheck();
      await tree.getByRole("button", { name: /of Position$/ }).focus();
      await page.keyboard.press("Enter");
      await tree.getByRole("checkbox", { name: "Position.place" }).focus();
      await page.keyboard.press("Space");
      await has(text, "chart: String!");
      assert.doesNotMatch(await text.innerText(), /charts|place/);
      await axe(page, "Permissions of a remote schema");
      // Without its last fields, a type goes, and with it what leads there; what leads there brings it again.
      await tree.getByRole("checkbox", { name: "Position", exact: true }).click();
      await tree.getByRole("checkbox", { name: "Position", exact: true }).uncheck();
      assert.equal(await tree.getByRole("checkbox", { name: "Query.position" }).isChecked(), false);
      await tree.getByRole("checkbox", { name: "Query.position" }).check();
      assert.equal(await tree.getByRole("checkbox", { name: "Position.place" }).isChecked(), true);
      await tree.getByRole("checkbox", { name: "Position.place" }).uncheck();
      await panel.getByRole("button", { name: "Set the permission…" }).click();
      await confirm(page, "Set the permission", "charts");
      await cell(`remote schema ${remote}`, "query").waitFor();
      const { remote_schemas: [{ permissions: [saved] }] } = await metadata("export_metadata", {});
      assert.match(saved.definition.schema, /position\(/);
      assert.doesNotMatch(saved.definition.schema, /place|charts:/);
      await panel.getByRole("link", { name: "The remote schema" }).click();
      await page.getByRole("heading", { name: remote, exact: true }).waitFor();
      assert.equal(await page.locator("main i").count(), 0);
    } finally {
      await metadata("drop_inherited_role", { role_name: "heiress" });
      await metadata("pg_untrack_logical_model", { source: "default", name: "writer" });
      await metadata("remove_remote_schema", { name: remote });
      await metadata("drop_action", { name: "greet" });
      await metadata("pg_untrack_function", { function: "rows_of_author" });
      await sql("DROP FUNCTION rows_of_author()");
    }
  },

  async "Permissions: what a role sees of a server that fails, is gone, or is slow"({ page }) {
    const place = { source: "default", table: "article", role: "owner" };
    await metadata("pg_create_select_permission", { ...place, permission: { columns: "*", filter: { author_id: { _eq: "X-Engine-User-Id" } } } });
    await metadata("add_inherited_role", { role_name: "deputy", role_set: ["owner"] });
    await metadata("add_inherited_role", { role_name: "substitute", role_set: ["deputy"] });
    await sql(owned);
    let now = "fails";
    let release;
    const released = new Promise((r) => (release = r));
    try {
      await signIn(page);
      await page.route(url + "/v1/query", async (route) => {
        if (now === "fails") return route.fulfill({ status: 500, json: { error: "it broke", code: "unexpected", path: "$.args" } });
        if (now === "gone") return route.abort("connectionrefused");
        if (now === "slow") await released;
        return route.continue();
      });
      await opened(page, "article", "substitute", "What it sees"); // by its parents' parents
      const rows = page.getByRole("region", { name: "Rows that the role sees" });
      await page.getByLabel("x-engine-user-id", { exact: true }).fill("502");
      await has(rows.getByRole("alert"), "it broke");
      await page.getByRole("region", { name: "Schema that the role sees" }).waitFor();
      await axe(page, "What a role sees with an error");
      now = "gone";
      await rows.getByRole("button", { name: "Try again" }).click();
      await has(rows.getByRole("alert"), "The server can't be reached.");
      now = "slow";
      await rows.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("progressbar").waitFor();
      now = "well";
      release();
      await has(page.getByRole("grid", { name: "Rows that the role sees" }), "theirs");
      // Without the variable, it is the server that says why.
      await page.getByLabel("x-engine-user-id", { exact: true }).fill("");
      await has(rows.getByRole("alert"), '"x-engine-user-id" header is expected but not found');

      await page.goto(url + "/console/data?source=default&schema=public&table=article");
      await page.getByLabel("Run as role").fill("substitute");
      await page.keyboard.press("Tab");
      await page.getByLabel("Session variables").fill("x-engine-user-id: 502");
      await has(page.getByRole("grid", { name: "Rows", exact: true }), "theirs");
    } finally {
      await sql("DELETE FROM article WHERE author_id > 500; DELETE FROM author WHERE id > 500");
      for (const role_name of ["substitute", "deputy"]) await metadata("drop_inherited_role", { role_name });
      await metadata("pg_drop_select_permission", place);
    }
  },

  async "Permissions: inherited roles"({ page }) {
    await signIn(page);
    await area(page, "Permissions");
    await page.getByRole("tab", { name: "Inherited roles" }).click();
    await page.getByRole("button", { name: "Add an inherited role" }).click();
    await page.getByLabel("Name", { exact: true }).fill("heir");
    await page.getByLabel("Made of the roles").fill("heir");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await has(page.getByRole("alert"), "cannot be in the role combination");
    await axe(page, "Permissions with an inherited role");
    await page.getByLabel("Made of the roles").fill("reader");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const list = page.getByRole("list", { name: "Inherited roles" });
    await has(list, "heir");
    await page.getByRole("tab", { name: "Tables and roles" }).click();
    await matrix(page).getByRole("gridcell", { name: "public.author, heir: inherited select" }).click();
    await page.getByText("The role inherits this from its roles").waitFor();
    await page.getByRole("tab", { name: "Inherited roles" }).click();
    await page.getByRole("button", { name: "Delete heir" }).click();
    await confirm(page, "Delete", "inherited_role");
    await page.getByText("None: an inherited role").waitFor();
  },

  async "Permissions: 2000 tables and 50 roles"({ page }) {
    const roles = Array.from({ length: 50 }, (_, i) => `role_${String(i).padStart(2, "0")}`);
    const tables = Array.from({ length: 2000 }, (_, i) => ({
      table: { schema: "public", name: `table_${String(i).padStart(4, "0")}` },
      select_permissions: roles.filter((_, j) => (i + j) % 3 > 0).map((role) => ({ role, permission: { columns: "*", filter: {} } })),
    }));
    await page.route(url + "/v1/metadata", (route) =>
      route.request().postDataJSON().type === "export_metadata"
        ? route.fulfill({ json: { resource_version: 1, metadata: { version: 3, sources: [{ name: "default", kind: "postgres", tables, configuration: {} }] } } })
        : route.continue(),
    );
    await signIn(page);
    await area(page, "Monitoring"); // the document is read by then, and each page has its parts
    const link = (name) => page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name, exact: true });
    const cells = '[role="gridcell"][aria-label^="public.table_0000, role_00"]';
    await area(page, "Permissions");
    await page.locator(cells).waitFor();
    for (const time of ["at first", "again"]) {
      await area(page, "Monitoring");
      await page.locator("canvas").first().waitFor();
      await answered(page, `opening the matrix of permissions, ${time}`, () => link("Permissions").click(), cells);
    }
    await answered(page, "opening what a role may do with a table", () => page.locator(cells).click(), 'section[aria-label="Permissions of a role"] h2');
    await answered(page, "opening the search", () => page.keyboard.press("Control+k"), '[role="dialog"] [role="menuitem"]');
    await drawn(page, page.getByRole("dialog", { name: "Search" }).getByRole("searchbox"), "the search for an area or a table");
    await page.keyboard.press("Escape");
    await area(page, "Permissions");
    await matrix(page).getByRole("gridcell", { name: "public.table_0000, role_00: nothing" }).waitFor();
    assert.ok((await matrix(page).getByRole("gridcell").count()) < 1000, "cells that aren't visible are drawn");
    await matrix(page).focus();
    await page.keyboard.press("Control+End");
    await matrix(page).getByRole("gridcell", { name: "public.table_1999, role_49: select" }).waitFor();
    const active = await matrix(page).getAttribute("aria-activedescendant");
    assert.equal(await page.locator(`[id="${active}"]`).getAttribute("aria-label"), "public.table_1999, role_49: select");
    await axe(page, "Permissions with many");
    await page.keyboard.press("Control+Home");
    await matrix(page).getByRole("gridcell", { name: "public.table_0000, role_00: nothing" }).waitFor();
    await drawn(page, page.getByRole("searchbox", { name: "Find a table" }), "the search in the matrix");
  },

  async "Permissions: a server that fails, is gone, or is slow"({ page }) {
    await signIn(page);
    await broken(page, "Permissions", url + "/v1/metadata", () => matrix(page).getByRole("gridcell", { name: "public.author, reader: select" }).waitFor());
  },
};
