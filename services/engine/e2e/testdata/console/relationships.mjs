// Tests of relationships, computed fields and native queries on the page for data.
import assert from "node:assert/strict";
import { area, axe, confirm, graphql, has, metadata, opened, pick, remoteURL, signIn, sql, url } from "./harness.mjs";

const table = async (name) => (await metadata("export_metadata", {})).sources[0].tables.find((t) => t.table.name === name);

export const tests = {
  async "Relationships: by keys, by columns, to sources and remote schemas"({ page }) {
    await sql(`CREATE TABLE shelf (id int PRIMARY KEY, best int UNIQUE REFERENCES author, label text); INSERT INTO shelf VALUES (1, 2, 'Ann')`);
    await metadata("pg_track_table", { source: "default", table: "shelf" });
    await metadata("add_remote_schema", { name: "atlas", definition: { url: remoteURL, customization: { root_fields_namespace: "atlas", type_names: { prefix: "Atlas" } } } });
    try {
      await signIn(page);
      await opened(page, "shelf", "Relationships");
      await page.getByText("None lead from this table.").waitFor();
      await page.getByRole("button", { name: "By a foreign key" }).click();
      await page.getByLabel("Foreign key").selectOption({ label: "object: best" });
      await page.getByLabel("Name", { exact: true }).fill("best_author");
      await axe(page, "a relationship by a key");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      const list = page.getByRole("list", { name: "Relationships" });
      await has(list, "object: best");

      await page.getByRole("button", { name: "By columns" }).click();
      await page.getByLabel("Name", { exact: true }).fill("best_author");
      await page.getByLabel("Kind", { exact: true }).selectOption("array");
      await page.getByLabel("To the table").selectOption({ label: "public.author" });
      await page.getByLabel("Column 1 here").fill("label");
      await page.getByLabel("Column 1 there").fill("name");
      await axe(page, "a relationship by columns");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await has(page.getByRole("alert"), "already exists");
      await page.getByLabel("Name", { exact: true }).fill("namesakes");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await has(list, "array: public.author where name = label");
      await page.getByLabel("Name", { exact: true }).waitFor({ state: "detached" }); // which the form is not before all is read again

      await page.getByRole("button", { name: "To another source" }).click();
      await page.getByLabel("Name", { exact: true }).fill("elsewhere");
      await page.getByLabel("To the source").selectOption("default");
      await page.getByLabel("To the table").selectOption({ label: "public.author" });
      await page.getByLabel("Column 1 here").fill("best");
      await page.getByLabel("Column 1 there").fill("id");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await has(list, "object: default, public.author");
      assert.deepEqual(await graphql("{ shelf { best_author { name } namesakes { name } elsewhere { name } } }"), {
        shelf: [{ best_author: { name: "Ben" }, namesakes: [{ name: "Ann" }], elsewhere: { name: "Ben" } }],
      });

      await page.getByRole("button", { name: "To a remote schema" }).click();
      await page.getByLabel("Name", { exact: true }).fill("far");
      await page.getByLabel("To the remote schema").selectOption("atlas");
      // As JSON and by the levels of the remote's fields, both ways.
      const way = page.getByRole("textbox", { name: "Field of the remote schema as JSON" });
      await way.fill('{"none": {"arguments": {}}}');
      await has(page.getByRole("group", { name: "Level 1" }), "Query has no such field.");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await has(page.getByRole("alert"), "none");
      await way.fill('{"position": {"arguments": {"artist": "$"}}}');
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await has(page.getByRole("group", { name: "Level 1" }), "Empty variable name"); // at the argument that it is about
      await way.fill('{"position": ');
      await has(page.getByRole("group", { name: "Field of the remote schema" }), "This isn't an object of JSON.");
      await page.getByLabel("Field of Query, level 1").selectOption("charts");
      await page.getByLabel("Field of Query, level 1").selectOption("position");
      const given = (name) => page.getByLabel(`Argument ${name} of position: what it gets`);
      await given("artist").selectOption("a column");
      await page.getByLabel("Argument artist of position: column").selectOption("id");
      await given("chart").selectOption("a value");
      await page.getByLabel("Argument chart of position: value").fill("<i>local</i>");
      await axe(page, "A relationship to a remote schema");
      assert.deepEqual(JSON.parse(await way.inputValue()), { position: { arguments: { artist: "$id", chart: "<i>local</i>" } } });
      await page.getByLabel("Field of Position, level 2").selectOption("place");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await has(list, "remote schema atlas");
      const far = async () => (await table("shelf")).remote_relationships.find((r) => r.name === "far").definition.to_remote_schema;
      assert.deepEqual(await far(), { remote_schema: "atlas", lhs_fields: ["id"], remote_field: { position: { arguments: { artist: "$id", chart: "<i>local</i>" }, field: { place: { arguments: {} } } } } });
      assert.deepEqual(await graphql("{ shelf { far } }"), { shelf: [{ far: 10 }] });
      // Changed, it has the argument from the client.
      await page.getByRole("button", { name: "Change far" }).click();
      const change = page.getByRole("region", { name: "Change far" });
      await change.getByLabel("Argument artist of position: column").selectOption("best");
      await change.getByLabel("Argument chart of position: what it gets").selectOption("left out");
      await change.getByLabel("Field of Position, level 2").selectOption("none: it leads to Position");
      await has(change, "Joined by: best.");
      await change.getByRole("button", { name: "Change…" }).click();
      await confirm(page, "Change", "shelf");
      assert.deepEqual(await far(), { remote_schema: "atlas", lhs_fields: ["best"], remote_field: { position: { arguments: { artist: "$best" } } } });
      assert.deepEqual(await graphql('{ shelf { far(chart: "local") { place chart } } }'), { shelf: [{ far: { place: 20, chart: "local" } }] });

      await page.getByRole("button", { name: "Change best_author" }).click();
      await page.getByLabel("Name", { exact: true }).fill("favourite");
      await page.getByLabel("Comment", { exact: true }).fill("<b>the best</b>");
      await page.getByRole("button", { name: "Change…" }).click();
      await confirm(page, "Change", "shelf");
      await has(list, "<b>the best</b>");
      await page.getByRole("button", { name: "Delete favourite" }).click();
      await confirm(page, "Delete", "favourite");
      await page.getByRole("button", { name: "Delete favourite" }).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Delete elsewhere" }).click();
      await confirm(page, "Delete", "elsewhere");
      await page.getByRole("button", { name: "Delete elsewhere" }).waitFor({ state: "detached" });
      assert.deepEqual(((await table("shelf")).array_relationships ?? []).map((r) => r.name), ["namesakes"]);

      // The other side of a key that is unique is one row, too.
      await opened(page, "author", "Relationships");
      await page.getByRole("button", { name: "By a foreign key" }).click();
      await page.getByLabel("Foreign key").selectOption({ label: "object: public.shelf.best" });
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await has(list, "object: public.shelf.best");
      assert.deepEqual(await graphql("{ author(where: {shelf: {}}) { shelf { id } } }"), { author: [{ shelf: { id: 1 } }] });

      // Along the one by columns.
      await opened(page, "shelf", "Rows");
      await pick(page.getByRole("grid", { name: "Rows" }).getByRole("row").nth(1));
      await page.getByRole("button", { name: "namesakes →" }).click();
      await page.waitForFunction(() => document.querySelector("[aria-label='Column of filter 1']")?.value === "name");
      assert.equal(await page.getByLabel("Value of filter 1").inputValue(), "Ann");
    } finally {
      await sql("DROP TABLE shelf", true);
      await metadata("remove_remote_schema", { name: "atlas" });
    }
  },

  async "Relationships: a form that is done leaves the next one open"({ page }) {
    await sql("CREATE TABLE shelf_label (id int PRIMARY KEY, writer int REFERENCES author, reader int REFERENCES author)");
    await metadata("pg_track_table", { source: "default", table: "shelf_label" });
    try {
      await signIn(page);
      await opened(page, "shelf_label", "Relationships");
      await page.getByRole("button", { name: "By columns" }).click();
      await page.getByLabel("Name", { exact: true }).fill("written_by");
      await page.getByLabel("To the table").selectOption({ label: "public.author" });
      await page.getByLabel("Column 1 here").fill("writer");
      await page.getByLabel("Column 1 there").fill("id");
      // The form is done once all was read again; the list is there before.
      let release;
      const released = new Promise((done) => { release = done; });
      await page.route(url + "/v1/metadata", async (route) => {
        if (!route.request().postData().includes("suggest_relationships")) return route.fallback();
        await released;
        return route.continue();
      });
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await has(page.getByRole("list", { name: "Relationships" }), "written_by");
      await page.getByRole("button", { name: "By a foreign key" }).click();
      const key = page.getByLabel("Foreign key");
      await key.waitFor();
      await sql("ALTER TABLE shelf_label ADD COLUMN owner int REFERENCES author");
      release();
      await key.getByRole("option", { name: "object: owner", exact: true }).waitFor({ state: "attached" });
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))); // what follows the answer is drawn
      assert.ok(await key.isVisible(), "the first form has closed the second");
      await key.selectOption({ label: "object: owner" });
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await has(page.getByRole("list", { name: "Relationships" }), "object: owner");
      await key.waitFor({ state: "detached" });
    } finally {
      await page.unrouteAll();
      await sql("DROP TABLE shelf_label", true);
    }
  },

  async "Computed fields: add and drop"({ page }) {
    await sql("CREATE FUNCTION shouted(of author) RETURNS text LANGUAGE sql STABLE AS $$ SELECT upper(of.name) $$");
    try {
      await signIn(page);
      await opened(page, "author", "Settings");
      await page.getByText("Computed fields", { exact: true }).click();
      await page.getByRole("button", { name: "Add a computed field" }).click();
      await page.getByLabel("Name", { exact: true }).fill("not a name");
      await page.getByLabel("Function").selectOption({ label: "public.shouted(of author) → text" });
      await page.getByLabel("Argument that gets the row").selectOption("of");
      await axe(page, "a computed field");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("alert").waitFor();
      await page.getByLabel("Name", { exact: true }).fill("shout");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("button", { name: "Delete shout" }).waitFor();
      assert.deepEqual(await graphql("{ author(where: {id: {_eq: 1}}) { shout } }"), { author: [{ shout: "ANN" }] });
      await page.getByRole("button", { name: "Delete shout" }).click();
      await confirm(page, "Delete", "shout");
      await page.getByText("None: a computed field").waitFor();
    } finally {
      await sql("DROP FUNCTION shouted", true);
    }
  },

  async "Native queries: a model, a query, a change"({ page }) {
    await signIn(page);
    await area(page, "Data");
    await page.getByRole("button", { name: "Native queries" }).click();
    await page.getByRole("button", { name: "Add a logical model" }).click();
    await page.getByLabel("Name", { exact: true }).fill("initial");
    await page.getByLabel("Fields").fill('[{"name": "letter", "type": {"scalar": "text"}}]');
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await has(page.getByRole("list", { name: "Logical models" }), "letter");

    await page.getByRole("button", { name: "Add a native query" }).click();
    await page.getByLabel("Root field").fill("initials");
    await page.getByLabel("Logical model of its rows").selectOption("initial");
    await page.getByLabel("SQL", { exact: true }).fill("SELECT none FROM author");
    await axe(page, "a native query");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await has(page.getByRole("alert"), "validation-failed");
    await page.getByLabel("SQL", { exact: true }).fill("SELECT DISTINCT left(name, 1) AS letter FROM author WHERE name > {{after}}");
    await page.getByLabel("Arguments").fill('{"after": {"type": "text"}}');
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Change initials" }).click();
    assert.deepEqual(await graphql('{ initials(args: {after: "B"}) { letter } }'), { initials: [{ letter: "B" }] });
    await page.getByLabel("Description").fill("<i>first letters</i>");
    await page.getByRole("button", { name: "Change…" }).click();
    await confirm(page, "Change", "first letters");
    await has(page.getByRole("list", { name: "Native queries" }), "<i>first letters</i>");
    await page.reload();
    await page.getByRole("button", { name: "Delete initials" }).click();
    await confirm(page, "Delete", "initials");
    await page.getByText("None: a native query").waitFor();
    await page.getByRole("button", { name: "Delete initial", exact: true }).click();
    await confirm(page, "Delete", "initial");
    await page.getByText("None: a logical model").waitFor();
  },
};
