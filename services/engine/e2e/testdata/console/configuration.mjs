// Tests of what the metadata says of a table itself: names, comments, enums.
import assert from "node:assert/strict";
import { axe, confirm, graphql, has, metadata, opened, signIn, sql } from "./harness.mjs";

const types = async (name) => (await graphql(`{ __type(name: "${name}") { fields { name description } enumValues { name } } }`)).__type;

export const tests = {
  async "Configuration: names and comments of a table, its root fields and columns"({ page }) {
    await sql(`CREATE TABLE tune (id serial PRIMARY KEY, mood text, "no name" int); COMMENT ON TABLE tune IS '<b>all of them</b>'; INSERT INTO tune (mood) VALUES ('calm')`);
    await metadata("pg_track_table", { table: "tune" });
    try {
      await signIn(page);
      await opened(page, "tune", "Settings");
      await has(page.getByRole("row", { name: "select_by_pk" }), "tune_by_pk");
      await has(page.getByRole("row", { name: "no name" }), "no name isn't a GraphQL name");
      await axe(page, "the configuration of a table");

      // What is no name is said at its field, without the server.
      const change = page.getByRole("button", { name: "Change…" });
      await page.getByLabel("Name of the table").fill("2 songs");
      await has(page.locator("#root"), "This isn't a GraphQL name");
      assert.equal(await page.getByLabel("Name of the table").getAttribute("aria-invalid"), "true");
      assert.ok(await change.isDisabled());
      await page.getByLabel("Name of the table").fill("Song");
      await has(page.getByRole("row", { name: "select_by_pk" }), "Song_by_pk");
      await page.getByLabel("Name of mood").fill("my mood");
      assert.equal(await page.getByLabel("Name of mood").getAttribute("aria-invalid"), "true");
      assert.ok(await change.isDisabled());
      await axe(page, "a name that is none");
      await page.getByLabel("Name of mood").fill("feeling");
      await page.getByLabel("Comment of mood").fill("<i>how</i>");
      await page.getByLabel("Name of no name").fill("number");

      // By keys, from one name to the next.
      await page.getByLabel("Name of select", { exact: true }).focus();
      await page.keyboard.type("songs");
      await page.keyboard.press("Tab");
      await page.keyboard.type("All the songs");
      await page.keyboard.press("Tab");
      await page.keyboard.type("songs");
      assert.equal(await page.getByLabel("Name of select_by_pk").inputValue(), "songs");

      // What the server finds wrong is said at the field, too.
      await change.click();
      await has(page.getByRole("group", { name: "Root fields", exact: true }), 'custom root field names are duplicated: "songs"');
      await has(page.getByRole("alert"), "parse-failed");
      await axe(page, "names that the server refuses");
      await page.getByLabel("Name of select_by_pk").fill("song");
      await change.click();
      await confirm(page, "Change", "tune");
      assert.deepEqual(await graphql("{ songs { __typename feeling } song(id: 1) { number } }"), { songs: [{ __typename: "Song", feeling: "calm" }], song: { number: null } });
      assert.deepEqual((await types("Song")).fields.find((f) => f.name === "feeling"), { name: "feeling", description: "<i>how</i>" });

      // A name that is taken away is the one that there was.
      await page.reload();
      await page.getByRole("tab", { name: "Settings" }).click();
      await page.getByLabel("Name of mood").fill("");
      await page.getByLabel("Comment of mood").fill("");
      await page.getByLabel("Name of select", { exact: true }).fill("");
      await change.click();
      await confirm(page, "Change", "tune");
      assert.deepEqual(await graphql("{ Song { mood } }"), { Song: [{ mood: "calm" }] });
      const { sources } = await metadata("export_metadata", {});
      const { configuration } = sources[0].tables.find((t) => t.table.name === "tune");
      assert.deepEqual(configuration.column_config, { "no name": { custom_name: "number" } });
      assert.deepEqual(configuration.custom_root_fields, { select: { comment: "All the songs" }, select_by_pk: "song" });
    } finally {
      await sql("DROP TABLE tune", true);
    }
  },

  async "Configuration: a table becomes an enum, and one can't"({ page }) {
    await sql("CREATE TABLE mood (value text PRIMARY KEY, comment text); INSERT INTO mood VALUES ('calm', 'For evenings'), ('very loud', NULL); CREATE TABLE evening (id int PRIMARY KEY, mood text REFERENCES mood)");
    await metadata("pg_track_tables", { tables: [{ table: "mood" }, { table: "evening" }] });
    try {
      await signIn(page);
      await opened(page, "mood", "Settings");
      await page.getByRole("button", { name: "Make it an enum…" }).click();
      const dialog = page.getByRole("dialog", { name: "Make it an enum" });
      await has(dialog, 'the value "very loud" is not a valid GraphQL enum value name');
      await axe(page, "a table that can't be an enum");
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await sql("UPDATE mood SET value = 'loud' WHERE value = 'very loud'");
      await page.getByRole("button", { name: "Make it an enum…" }).click();
      await confirm(page, "Make it an enum", "mood");
      await page.getByRole("button", { name: "Make it a table…" }).waitFor();
      assert.deepEqual((await types("mood_enum")).enumValues, [{ name: "calm" }, { name: "loud" }]);
      await axe(page, "an enum");
      await page.getByRole("button", { name: "Make it a table…" }).click();
      await confirm(page, "Make it a table", "mood");
      await page.getByRole("button", { name: "Make it an enum…" }).waitFor();
      assert.equal(await types("mood_enum"), null);
    } finally {
      await sql("DROP TABLE evening, mood", true);
    }
  },
};
