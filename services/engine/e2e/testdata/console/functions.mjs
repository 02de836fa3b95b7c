// Tests of functions on the page for data.
import assert from "node:assert/strict";
import { area, axe, confirm, graphql, has, metadata, signIn, sql } from "./harness.mjs";

const functions = (page) => page.getByRole("grid", { name: "Functions" });
const shown = (page) => page.getByRole("region", { name: "Function", exact: true });
const tracked = async () => ((await metadata("export_metadata", {})).sources[0].functions ?? []).map((f) => f.function.name);

export const tests = {
  async "Functions: track, permit, call, untrack"({ page }) {
    await sql(`CREATE FUNCTION found_authors(part text, caller json DEFAULT '{}') RETURNS SETOF author LANGUAGE sql STABLE AS $$ SELECT * FROM author WHERE name LIKE part || '%' $$;
      CREATE FUNCTION added_author(name text) RETURNS SETOF author LANGUAGE sql AS $$ INSERT INTO author (name) VALUES (name) RETURNING * $$;
      CREATE FUNCTION "<i>counted</i>"() RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT count(*) FROM author $$;
      COMMENT ON FUNCTION found_authors IS '<img src=x onerror=alert(1)>'`);
    try {
      await signIn(page);
      await area(page, "Data");
      await page.getByRole("tab", { name: "Functions" }).click();
      await has(functions(page).getByRole("row", { name: "public.<i>counted</i>" }), "can't be tracked");
      await axe(page, "Functions");

      // What can't be tracked says why, and isn't among those that are.
      await page.getByRole("button", { name: "Open public.<i>counted</i>" }).click();
      await has(shown(page), "the function does not return a table");
      await has(shown(page), "function name is not a legal GraphQL identifier");
      await axe(page, "a function that can't be tracked");
      await page.getByRole("button", { name: "Select all" }).click();
      await page.getByRole("button", { name: "Track 2", exact: true }).click();
      await functions(page).getByText("untracked").first().waitFor({ state: "detached" });
      assert.deepEqual(await tracked(), ["added_author", "found_authors"]);

      await page.getByRole("button", { name: "Open public.added_author" }).click();
      await has(shown(page), "public.added_author(name text) → set of author");
      await shown(page).getByRole("combobox", { name: "Role", exact: true }).fill("reader");
      await shown(page).getByRole("button", { name: "Allow…" }).click();
      await confirm(page, "Allow it", "added_author");
      await shown(page).getByRole("button", { name: "Revoke from reader" }).waitFor();
      await page.getByRole("button", { name: "Open public.found_authors" }).click();
      await has(shown(page), "<img src=x onerror=alert(1)>");
      await shown(page).getByLabel("Name of the field", { exact: true }).fill("lookup");
      await shown(page).getByLabel("Argument that gets the session variables").selectOption("caller");
      await axe(page, "a function");
      await shown(page).getByRole("button", { name: "Change…" }).click();
      await confirm(page, "Change", "found_authors");
      assert.deepEqual(await graphql('{ lookup(args: {part: "A"}) { name } }'), { lookup: [{ name: "Ann" }] });
      await page.reload();
      await has(shown(page), "STABLE");

      // One by itself, in another root than its own, which the server refuses.
      await shown(page).getByRole("button", { name: "Untrack…" }).click();
      await confirm(page, "Untrack", "remove function");
      await shown(page).getByLabel("Root").selectOption("mutation");
      await shown(page).getByRole("button", { name: "Track", exact: true }).click();
      await has(shown(page).getByRole("alert"), "is not marked VOLATILE");
      await page.getByRole("button", { name: "Select all" }).click();
      await page.getByRole("button", { name: "Untrack 1…" }).click();
      await confirm(page, "Untrack", "added_author");
      await has(functions(page).getByRole("row", { name: "public.added_author" }), "untracked");
      assert.deepEqual(await tracked(), []);
    } finally {
      await sql('DROP FUNCTION found_authors; DROP FUNCTION added_author; DROP FUNCTION "<i>counted</i>"', true);
    }
  },
};
