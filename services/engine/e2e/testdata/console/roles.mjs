// Tests of what the page for permissions does with several roles: copies, roles as a whole, and inherited roles that differ.
import assert from "node:assert/strict";
import { area, axe, confirm, has, html, metadata, signIn, sql, url } from "./harness.mjs";

const at = (table, role) => `${url}/console/permissions?source=default&schema=public&table=${table}&role=${encodeURIComponent(role)}`;
const cell = (page, name) => page.getByRole("grid", { name: "Tables and roles" }).getByRole("gridcell", { name, exact: true });
const document = () => metadata("export_metadata", {});
const table = async (name) => (await document()).sources[0].tables.find((t) => t.table.name === name);
const author = { source: "default", table: "author" };
const article = { source: "default", table: "article" };

export const tests = {
  async "Permissions: one for several roles and tables, and withdrawn from them"({ page }) {
    await metadata("pg_create_select_permission", { ...author, role: "first", permission: { columns: ["id"], filter: { id: { _gt: 1 } } } });
    await metadata("pg_create_delete_permission", { ...author, role: "first", permission: { filter: {} } });
    await signIn(page);
    await page.goto(at("author", "first"));
    await cell(page, "public.author, first: select in part, delete").waitFor();
    await page.getByText("Copy or revoke in bulk").click();
    const panel = page.getByRole("region", { name: "Permissions of a role" });
    await panel.getByLabel("New role to copy to").fill(html);
    await panel.getByRole("button", { name: "Choose it" }).click();
    await panel.getByRole("group", { name: "Tables" }).getByRole("checkbox", { name: "public.article" }).check();
    await panel.getByRole("button", { name: "Copy to 6…" }).click(); // two operations, two roles, two tables, without what is there
    await confirm(page, "Copy", "permissions are set as first has them on public.author");
    for (const name of ["author", "article"]) {
      const { select_permissions, delete_permissions } = await table(name);
      for (const role of ["first", html]) {
        assert.deepEqual(select_permissions.find((p) => p.role === role).permission, { columns: ["id"], filter: { id: { _gt: 1 } } });
        assert.ok(delete_permissions.some((p) => p.role === role));
      }
    }
    await panel.getByRole("group", { name: "Operations" }).getByRole("checkbox", { name: "delete" }).uncheck();
    await panel.getByRole("button", { name: "Revoke 3 others…" }).click();
    await confirm(page, "Revoke them", "what first has on public.author stays");
    await cell(page, `public.article, ${html}: delete`).waitFor();
    await cell(page, "public.author, first: select in part, delete").waitFor();

    // All of a role at once, which can be undone. Comments go with what they are about.
    await metadata("create_action", { name: "roles_action", definition: { handler: "http://127.0.0.1:1/", output_type: "String" } });
    await metadata("create_action_permission", { action: "roles_action", role: "first", comment: "by hand" });
    await page.getByRole("tab", { name: "Roles", exact: true }).click();
    const roles = page.getByRole("list", { name: "Roles" });
    await page.getByLabel("Find a role").fill("fir");
    await has(roles.getByRole("listitem"), "1 select, 2 delete, 1 action");
    await roles.getByRole("button", { name: "Copy to a role…: first" }).click();
    await page.getByLabel("To the role").fill("second");
    await axe(page, "Permissions by roles");
    await page.getByRole("button", { name: "Copy…", exact: true }).click();
    await confirm(page, "Copy", "select_permission");
    await page.getByLabel("Find a role").fill("");
    await has(roles.getByRole("listitem").filter({ hasText: "second" }), "1 select, 2 delete, 1 action");
    assert.deepEqual((await document()).actions.find((a) => a.name === "roles_action").permissions.map((p) => p.comment), ["by hand", "by hand"]);
    for (const role of ["first", html, "second"]) {
      await roles.getByRole("button", { name: `Revoke all…: ${role}` }).click();
      await confirm(page, "Revoke all", `${role} loses ${role === html ? 2 : 4} permissions.`);
      await roles.getByText(role, { exact: true }).waitFor({ state: "detached" });
    }
    assert.ok(!JSON.stringify(await document()).includes('"second"'));
    await metadata("drop_action", { name: "roles_action" });
    assert.equal(await page.locator("main img").count(), 0);
  },

  async "Permissions: what an inherited role has, where its roles differ, and one of its own that starts from theirs"({ page }) {
    for (const [role, text] of [["left", "a%"], ["right", "b%"]]) {
      await metadata("pg_create_select_permission", { ...author, role, permission: { columns: ["name"], filter: { name: { _like: text } } } });
      await metadata("pg_create_update_permission", { ...author, role, permission: { columns: ["name"], filter: { name: { _like: text } }, set: { name: html } } });
    }
    await metadata("add_inherited_role", { role_name: "both", role_set: ["left", "right"] });
    try {
      await signIn(page);
      await page.goto(at("author", "both"));
      await cell(page, "public.author, both: inherited select in part; update in conflict").waitFor();
      const origins = page.getByRole("region", { name: "What is inherited" });
      await has(origins.getByLabel("select of left"), '"_like": "a%"');
      await has(origins.getByLabel("select of right"), '"_like": "b%"');
      await page.getByRole("tab", { name: "update (in conflict)" }).click();
      await origins.getByText("left and right may update in different ways, so that both may not").waitFor();
      await axe(page, "Permissions of an inherited role in conflict");
      await page.getByRole("combobox", { name: "Allow insert, starting from" }).waitFor({ state: "detached" });
      await page.getByRole("combobox", { name: "Allow update, starting from" }).selectOption("right: update");
      await page.getByRole("button", { name: "Save…" }).click();
      await confirm(page, "Save", "update_permission");
      await cell(page, "public.author, both: update in part; inherited select in part").waitFor();
      await page.getByRole("tab", { name: "insert" }).click();
      await page.getByRole("combobox", { name: "Allow insert, starting from" }).selectOption("left: update");
      await page.getByRole("button", { name: "Save…" }).click();
      await confirm(page, "Save", "insert_permission");
      assert.deepEqual((await table("author")).insert_permissions.find((p) => p.role === "both").permission, { columns: ["name"], check: { name: { _like: "a%" } }, set: { name: html } });
      await page.getByRole("tab", { name: "select (inherited)" }).click();
      await origins.getByRole("link", { name: "left" }).click();
      await page.getByRole("heading", { name: "public.author · left" }).waitFor();

      // To the API as this role, by one press.
      await page.getByRole("button", { name: "Run as left" }).click();
      await page.getByRole("heading", { name: "API", exact: true }).waitFor();
      assert.equal(await page.getByRole("combobox", { name: "Run as role" }).inputValue(), "left");
    } finally {
      for (const operation of ["update", "insert"]) await metadata(`pg_drop_${operation}_permission`, { ...author, role: "both" }).catch(() => {});
      await metadata("drop_inherited_role", { role_name: "both" });
      for (const role of ["left", "right"]) for (const operation of ["select", "update"]) await metadata(`pg_drop_${operation}_permission`, { ...author, role });
    }
  },

  async "Permissions: rules of all kinds survive the form, and lists, enums, and other columns are edited in it"({ page }) {
    await sql(`CREATE TABLE state (value text PRIMARY KEY); INSERT INTO state VALUES ('new'), ('done');
      CREATE TABLE task (id serial PRIMARY KEY, state text NOT NULL REFERENCES state, data jsonb, tags text[], parent int, ${Array.from({ length: 20 }, (_, i) => `more_${i} int`).join(", ")})`);
    const task = { source: "default", table: "task" };
    await metadata("pg_track_tables", { tables: ["state", "task"].map((name) => ({ source: "default", table: name })) });
    await metadata("pg_set_table_is_enum", { source: "default", table: "state", is_enum: true });
    const rule = {
      _or: [{ data: { _has_keys_any: ["a", "b"] } }, { data: { _contains: { deep: [1, { x: null }] } } }, { tags: { _contains: ["x", "y"] } }, { parent: { _ceq: ["$", "id"] } }, { data: { _cast: { String: { _like: "%" } } } }],
      state: { _in: ["new", "done"] },
      $not: { id: 7 },
      _and: [],
      parent: { _in: "X-Engine-Allowed-Ids" },
    };
    await metadata("pg_create_select_permission", { ...task, role: "keeper", permission: { columns: ["id"], filter: rule } });
    try {
      await signIn(page);
      await page.goto(at("task", "keeper"));
      const value = (name) => page.getByRole("combobox", { name, exact: true });
      await value("Rows _or 1: value of data _has_keys_any").fill("a, c");
      assert.equal(await value("Rows _or 3: value of tags _contains").inputValue(), '["x","y"]');
      await value("Rows _or 3: value of tags _contains").fill('["x"]');
      assert.equal(await value("Rows _or 4: value of parent _ceq").inputValue(), '["$","id"]'); // which means the same as id here
      // What the enum has is suggested.
      const list = await value("Rows: value of state _in").getAttribute("list");
      await page.waitForFunction((id) => [...document.getElementById(id).options].some((o) => o.value === "done"), list);
      await value("Rows: value of state _in").fill("new");
      await page.getByRole("button", { name: "Rows: add an operator to parent" }).click();
      await value("Rows: operator of parent").last().selectOption("_ceq");
      await value("Rows: value of parent _ceq").selectOption("id");
      assert.equal(await value("Rows _or 5 data: operator of String").inputValue(), "_like");
      // Columns are found by a part of their names.
      await page.getByRole("searchbox", { name: "Columns: find" }).fill("more_1");
      await page.getByRole("button", { name: "Columns: each" }).click();
      await page.getByText("12 of 25").waitFor(); // more_1 and more_10 to more_19, and id
      await axe(page, "Permissions with a long rule");
      await page.getByRole("button", { name: "Save…" }).click();
      await confirm(page, "Save", "select_permission");
      const { permission } = (await table("task")).select_permissions[0];
      assert.deepEqual(permission.filter, {
        ...rule,
        _or: [{ data: { _has_keys_any: ["a", "c"] } }, rule._or[1], { tags: { _contains: ["x"] } }, ...rule._or.slice(3)],
        state: { _in: ["new"] },
        parent: { _in: "X-Engine-Allowed-Ids", _ceq: "id" },
      });
      assert.equal(permission.columns.length, 12);
    } finally {
      await metadata("pg_untrack_table", { ...task, cascade: true });
      await metadata("pg_untrack_table", { source: "default", table: "state", cascade: true });
      await sql("DROP TABLE task, state");
    }
  },
};
