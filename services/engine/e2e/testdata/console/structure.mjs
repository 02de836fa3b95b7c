// Tests of what the page of a table says about its definition.
import { axe, confirm, has, metadata, opened, signIn, sql, url } from "./harness.mjs";

export const tests = {
  async "Structure: columns, constraints, indexes and triggers"({ page }) {
    await sql(`CREATE TABLE shelf (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, code varchar(8) UNIQUE CHECK (code <> '<b>none</b>'), made date DEFAULT CURRENT_DATE, twice int GENERATED ALWAYS AS (2 * length(code)) STORED);
      CREATE TABLE box (id int PRIMARY KEY, shelf int NOT NULL CONSTRAINT of_shelf REFERENCES shelf ON DELETE CASCADE, note text);
      CREATE INDEX "<i>noted</i>" ON box (lower(note)) INCLUDE (id) WHERE note IS NOT NULL;
      COMMENT ON COLUMN shelf.code IS '<img src=x onerror=alert(1)>';
      CREATE FUNCTION stay() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
      CREATE TRIGGER stays BEFORE UPDATE ON box FOR EACH ROW EXECUTE FUNCTION stay()`);
    await metadata("pg_track_table", { table: "box" });
    try {
      await signIn(page);
      await opened(page, "box", "Structure");
      const grid = (name) => page.getByRole("grid", { name, exact: true });
      const row = (name, text) => grid(name).getByRole("row").filter({ hasText: text });
      await has(row("Columns", "shelf"), "references public.shelf.id");
      await has(row("Constraints", "of_shelf"), "FOREIGN KEY (shelf) REFERENCES shelf(id) ON DELETE CASCADE");
      await has(row("Constraints", "box_pkey"), "PRIMARY KEY (id)");
      await has(row("Indexes", "<i>noted</i>"), "lower(note)");
      await has(row("Indexes", "<i>noted</i>"), "note IS NOT NULL");
      await has(row("Triggers", "stays"), "BEFORE UPDATE ON");
      await page.getByText("No table refers to this one.").waitFor();
      await axe(page, "the structure of a table");

      // A foreign key leads to its table, which isn't tracked.
      await row("Constraints", "of_shelf").getByRole("link", { name: "public.shelf" }).click();
      await page.getByText("The table isn't tracked").waitFor();
      await has(row("Columns", "id"), "identity, always");
      await has(row("Columns", "code"), "character varying(8)");
      await has(row("Columns", "code"), "<img src=x onerror=alert(1)>");
      await has(row("Columns", "made"), "CURRENT_DATE");
      await has(row("Columns", "twice"), "generated: 2 * length(code::text)");
      await has(row("Constraints", "check"), "<b>none</b>");
      await has(row("Foreign keys to this table", "of_shelf"), "public.box");
      await axe(page, "a table that isn't tracked");
      await page.getByRole("button", { name: "Track…" }).click();
      await confirm(page, "Track", "add table default.public.shelf");
      await page.getByText("0 to 0 of 0").waitFor();
    } finally {
      await sql("DROP TABLE box, shelf; DROP FUNCTION stay", true);
    }
  },

  async "Structure: a table that the database doesn't have, and a server that fails"({ page }) {
    await signIn(page);
    await page.goto(`${url}/console/data?source=default&schema=public&table=<b>none</b>`);
    await has(page.getByRole("alert"), 'table "<b>none</b>" does not exist in source: default');
    await axe(page, "a table that doesn't exist");
    let fails = true;
    await page.route(url + "/v1/metadata", (route) =>
      fails && route.request().postDataJSON().type === "pg_describe_table" ? route.fulfill({ status: 500, json: { error: "it broke", code: "unexpected", path: "$.args" } }) : route.continue());
    await opened(page, "author", "Structure");
    await has(page.getByRole("alert"), "it broke");
    fails = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await has(page.getByRole("grid", { name: "Constraints" }), "author_pkey");
  },
};
