// Tests of the editor of rules: all that a rule can say is said by its controls, and means the same on the server.
import assert from "node:assert/strict";
import { addCondition, axe, confirm, drawn, has, html, metadata, others, secret, signIn, sql, url } from "./harness.mjs";

const at = (table, role) => `${url}/console/permissions?source=default&schema=public&table=${table}&role=${role}`;
const json = (page) => page.getByRole("textbox", { name: "Rows as JSON" });
const value = (page, name) => page.getByRole("combobox", { name, exact: true });

/** is waits until the rule is this one. */
async function is(page, rule) {
  await page.waitForFunction(([e, want]) => JSON.stringify(JSON.parse(e.value)) === want, [await json(page).elementHandle(), JSON.stringify(rule)]);
}

/** compares adds a condition that compares a column. */
async function compares(page, rule, name, operator, operand) {
  await addCondition(page, rule, name);
  if (operator !== "_eq") await value(page, `${rule}: operator of ${name}`).selectOption(operator);
  const control = value(page, `${rule}: value of ${name} ${operator}`);
  if ((await control.evaluate((e) => e.tagName)) === "SELECT") await control.selectOption(operand);
  else await control.fill(operand);
}

/** rowsAs are the rows that a role sees, by a session variable. */
async function rowsAs(role, user) {
  const response = await fetch(url + "/v1/graphql", {
    method: "POST",
    headers: { "x-engine-admin-secret": secret, "x-engine-role": role, "x-engine-user-id": user },
    body: JSON.stringify({ query: "{ plant(order_by: {id: asc}) { id } }" }),
  });
  const answer = await response.json();
  assert.equal(answer.errors, undefined, JSON.stringify(answer));
  return answer.data.plant.map((r) => r.id);
}

const plants = { source: "default", table: "plant" };

/** garden makes tables with columns of many types, relationships of all kinds, and computed fields of all kinds. */
async function garden() {
  await sql(`CREATE EXTENSION IF NOT EXISTS ltree;
    CREATE TABLE bed (id int PRIMARY KEY, owner int NOT NULL, name text NOT NULL, parent int REFERENCES bed);
    CREATE TABLE plant (id int PRIMARY KEY, bed_id int NOT NULL REFERENCES bed, name text, height numeric, most numeric, alive boolean NOT NULL DEFAULT true, data jsonb, tags text[], place ltree, raw json, sown date);
    CREATE TABLE visit (plant_id int, page text);
    CREATE TABLE keeper (id int PRIMARY KEY, bed_id int);
    INSERT INTO bed VALUES (1, 7, 'front', NULL), (2, 8, 'back', 1);
    INSERT INTO plant VALUES (1, 1, 'Rose', 1.5, 2, true, '{"a": 1, "5": true}', '{red,tall}', 'garden.front', '{}', '2024-03-01'), (2, 1, 'Fern', 3, 2, true, '{"b": [1]}', '{green}', 'garden', '{}', NULL), (3, 2, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL);
    INSERT INTO keeper VALUES (7, 1);
    CREATE FUNCTION plant_twice(p plant) RETURNS numeric LANGUAGE sql STABLE AS $$ SELECT p.height * 2 $$;
    CREATE FUNCTION plant_times(p plant, factor int) RETURNS numeric LANGUAGE sql STABLE AS $$ SELECT p.height * factor $$;
    CREATE FUNCTION plant_keepers(p plant) RETURNS SETOF keeper LANGUAGE sql STABLE AS $$ SELECT * FROM keeper WHERE bed_id = p.bed_id $$;`);
  await metadata("pg_track_tables", { tables: ["bed", "plant", "keeper"].map((name) => ({ source: "default", table: name })) });
  await metadata("pg_create_object_relationship", { ...plants, name: "bed", using: { foreign_key_constraint_on: "bed_id" } });
  await metadata("pg_create_object_relationship", { source: "default", table: "bed", name: "above", using: { foreign_key_constraint_on: "parent" } });
  await metadata("pg_create_array_relationship", { source: "default", table: "bed", name: "plants", using: { foreign_key_constraint_on: { table: "plant", column: "bed_id" } } });
  for (const [name, definition] of Object.entries({ twice: { function: "plant_twice" }, times: { function: "plant_times" }, keepers: { function: "plant_keepers" } })) {
    await metadata("pg_add_computed_field", { ...plants, name, definition });
  }
  await metadata("sqlite_add_source", { name: "sheds", configuration: { connection_info: { database_url: others.sqlite, create: true } } });
  await fetch(url + "/v2/query", { method: "POST", headers: { "x-engine-admin-secret": secret }, body: JSON.stringify({ type: "sqlite_run_sql", args: { source: "sheds", sql: "CREATE TABLE IF NOT EXISTS shed (id INTEGER PRIMARY KEY, bed INTEGER, size INTEGER); INSERT OR REPLACE INTO shed VALUES (1, 1, 5)" } }) });
  await metadata("sqlite_track_table", { source: "sheds", table: "shed" });
  const remote = (name, definition) => metadata("pg_create_remote_relationship", { ...plants, name, definition });
  await remote("sheds", { to_source: { source: "sheds", table: "shed", relationship_type: "array", field_mapping: { bed_id: "bed" } } });
  await remote("sheds_of_two", { to_source: { source: "sheds", table: "shed", relationship_type: "array", field_mapping: { bed_id: "bed", id: "id" } } });
}

async function cleared() {
  await metadata("drop_source", { name: "sheds", cascade: true }).catch(() => metadata("sqlite_drop_source", { name: "sheds", cascade: true }));
  for (const table of ["plant", "bed", "keeper"]) await metadata("pg_untrack_table", { source: "default", table, cascade: true });
  await sql("DROP TABLE plant, bed, visit, keeper CASCADE");
}

export const tests = {
  async "Rules: all that a rule can say, by its controls"({ page }) {
    await garden();
    try {
      await signIn(page);
      await page.goto(at("plant", "botanist"));
      await page.getByRole("button", { name: "Allow select" }).click();
      await page.getByRole("checkbox", { name: "id integer", exact: true }).check();

      await compares(page, "Rows", "alive", "_eq", "true");
      await compares(page, "Rows", "height", "_clt", "most");
      await compares(page, "Rows", "tags", "_contains", '["red"]');
      await compares(page, "Rows", "place", "_descendant", "garden");
      await compares(page, "Rows", "sown", "_is_null", "false");
      await compares(page, "Rows", "data", "_has_key", "5");
      await page.getByRole("button", { name: "Rows: add an operator to data" }).click();
      await value(page, "Rows: operator of data").last().selectOption("_cast");
      await page.getByRole("button", { name: "Rows data: add an operator to String" }).click();
      await value(page, "Rows data: operator of String").selectOption("_like");
      await value(page, "Rows data: value of String _like").fill("%a%");
      await compares(page, "Rows", "twice", "_gt", "2.5");
      await addCondition(page, "Rows", "keepers");
      await compares(page, "Rows keepers", "id", "_eq", "X-Engine-User-Id");
      await addCondition(page, "Rows", "bed");
      await addCondition(page, "Rows bed", "plants");
      await compares(page, "Rows bed plants", "id", "_cneq", "$ id");
      await addCondition(page, "Rows", "sheds");
      await compares(page, "Rows sheds", "size", "_gte", "5");
      await addCondition(page, "Rows", "_not");
      await addCondition(page, "Rows _not", "_exists");
      await page.getByLabel("Rows _not _exists: table").selectOption("public.bed");
      await compares(page, "Rows _not _exists", "name", "_ilike", html);
      await addCondition(page, "Rows", "_or");
      await compares(page, "Rows _or 1", "name", "_in", "Rose, Tulip");
      // What is there already gets another condition by _and.
      await addCondition(page, "Rows", "alive");
      await value(page, "Rows _and 1: value of alive _eq").fill("true");
      const rule = {
        alive: { _eq: true },
        height: { _clt: "most" },
        tags: { _contains: ["red"] },
        place: { _descendant: "garden" },
        sown: { _is_null: false },
        data: { _has_key: "5", _cast: { String: { _like: "%a%" } } },
        twice: { _gt: 2.5 },
        keepers: { id: { _eq: "X-Engine-User-Id" } },
        bed: { plants: { id: { _cneq: ["$", "id"] } } },
        sheds: { size: { _gte: 5 } },
        _not: { _exists: { _table: { name: "bed", schema: "public" }, _where: { name: { _ilike: html } } } },
        _or: [{ name: { _in: ["Rose", "Tulip"] } }],
        _and: [{ alive: { _eq: true } }],
      };
      await is(page, rule);
      await axe(page, "Permissions with a rule of all kinds");

      // What no rule can say isn't offered, and when it is there it says why.
      await page.getByRole("button", { name: "Rows: add a condition" }).click();
      const offered = page.getByRole("dialog", { name: "Add a condition" });
      const names = await offered.getByRole("menuitem").locator("span:first-child").allTextContents();
      for (const name of ["times", "sheds_of_two", "raw", "plants_aggregate"]) assert.ok(!names.includes(name), `${name} of ${names}`);
      for (const name of ["keepers", "sheds", "twice", "bed", "_exists"]) assert.ok(names.includes(name), `${name} of ${names}`);
      await axe(page, "What conditions may be about");
      await page.keyboard.press("Escape");
      await offered.waitFor({ state: "detached" });

      await page.getByRole("button", { name: "Save…" }).click();
      await confirm(page, "Save", "select_permission");
      const saved = async () => (await metadata("export_metadata", {})).sources.find((s) => s.name === "default").tables.find((t) => t.table.name === "plant").select_permissions[0].permission.filter;
      assert.deepEqual(await saved(), rule);
      assert.deepEqual([await rowsAs("botanist", "7"), await rowsAs("botanist", "8")], [[1], []]);

      await json(page).fill(JSON.stringify({ times: { _gt: 1 }, raw: { _eq: 1 }, sheds_of_two: { size: 1 }, nope: 7 }));
      const group = page.getByRole("group", { name: "Rows", exact: true }).last();
      for (const why of ["it takes arguments", "values of type json aren't compared", "it maps several columns", "there is nothing of this name"]) await has(group, why);
      for (const name of ["times", "raw", "sheds_of_two", "nope"]) await page.getByRole("button", { name: `Rows: remove ${name}` }).click();
      await is(page, {});
    } finally {
      await cleared();
    }
  },

  async "Rules: by keys alone, and what is wrong with a value is said as it is typed"({ page }) {
    await garden();
    try {
      await signIn(page);
      await page.goto(at("plant", "typist"));
      await page.getByRole("button", { name: "Allow select" }).click();
      const add = async (rule, part) => {
        await page.getByRole("button", { name: `${rule}: add a condition` }).focus();
        await page.keyboard.press("Enter");
        await page.getByRole("dialog", { name: "Add a condition" }).getByRole("searchbox").waitFor();
        await page.keyboard.type(part);
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
        await page.getByRole("dialog", { name: "Add a condition" }).waitFor({ state: "detached" });
      };
      await add("Rows", "heig");
      await page.getByRole("combobox", { name: "Rows: operator of height" }).focus();
      await page.keyboard.press("Tab");
      await page.keyboard.type("12a");
      await page.getByText("This isn't a number.").waitFor();
      await axe(page, "A rule with a value that is wrong");
      await page.keyboard.press("Backspace");
      await is(page, { height: { _eq: 12 } });
      await add("Rows", "_or");
      await add("Rows _or 1", "bed_");
      await page.getByRole("combobox", { name: "Rows _or 1: value of bed_id _eq" }).focus();
      await page.keyboard.type("X-Engine-User-Id");
      await is(page, { height: { _eq: 12 }, _or: [{ bed_id: { _eq: "X-Engine-User-Id" } }] });
      await value(page, "Rows _or 1: operator of bed_id").selectOption("_in");
      await value(page, "Rows _or 1: value of bed_id _in").fill("1, X-Engine-User-Id");
      await page.getByText("a session variable stands for the whole list").waitFor();
      // Variables that other rules use are suggested; numbers are kept as they are written.
      await metadata("pg_create_select_permission", { source: "default", table: "keeper", role: "typist", permission: { columns: ["id"], filter: { id: { _eq: "X-Engine-Of-Another-Rule" } } } });
      const list = await value(page, "Rows: value of height _eq").getAttribute("list");
      await page.waitForFunction((id) => [...document.getElementById(id).options].some((o) => o.value === "x-engine-of-another-rule"), list);
      await json(page).fill('{"height": {"_eq": 12345678901234567890.123}, "data": {"_eq": null}}');
      assert.equal(await value(page, "Rows: value of height _eq").inputValue(), "12345678901234567890.123");
      assert.equal(await value(page, "Rows: value of data _eq").getAttribute("placeholder"), "NULL");
      await page.getByRole("button", { name: "Rows: remove data" }).click();
      await page.getByRole("button", { name: "Save…" }).click();
      await confirm(page, "Save", "select_permission");
      await page.reload();
      await page.getByLabel("Row limit").waitFor();
      assert.match(await json(page).inputValue(), /12345678901234567890\.123/);
    } finally {
      await cleared();
    }
  },

  async "Rules: shapes, which take objects"({ page }) {
    // A server without PostGIS: what it would say of a column is said here.
    await page.route(url + "/v1/metadata", async (route) => {
      const { type, args } = route.request().postDataJSON();
      if (type !== "pg_get_table_info" || args.table.name !== "author") return route.continue();
      const response = await route.fetch();
      const info = await response.json();
      return route.fulfill({ response, json: { ...info, columns: [...info.columns, { name: "shape", type: "geography", nullable: true, insertable: true, updatable: true }] } });
    });
    await page.route(url + "/v1/graphql", async (route) => {
      const { variables } = route.request().postDataJSON();
      const named = (name, kind = "SCALAR") => ({ kind, name });
      if (variables?.name === "author_bool_exp") return route.fulfill({ json: { data: { t: { inputFields: [{ name: "shape", type: named("geography_comparison_exp", "INPUT_OBJECT") }] } } } });
      if (variables?.name !== "geography_comparison_exp") return route.continue();
      const within = { ...named("st_d_within_geography_input", "INPUT_OBJECT"), inputFields: [{ name: "from", type: { kind: "NON_NULL", ofType: named("geography") } }, { name: "distance", type: { kind: "NON_NULL", ofType: named("Float") } }, { name: "use_spheroid", type: named("Boolean") }] };
      const cast = { ...named("geography_cast_exp", "INPUT_OBJECT"), inputFields: [{ name: "geometry", type: named("geometry_comparison_exp", "INPUT_OBJECT") }] };
      return route.fulfill({ json: { data: { t: { inputFields: [{ name: "_eq", type: named("geography") }, { name: "_st_intersects", type: named("geography") }, { name: "_st_d_within", type: within }, { name: "_cast", type: cast }] } } } });
    });
    await signIn(page);
    await page.goto(at("author", "surveyor"));
    await page.getByRole("button", { name: "Allow select" }).click();
    await compares(page, "Rows", "shape", "_st_intersects", '{"type": "Point", "coordinates": [1, 2]}');
    await value(page, "Rows: operator of shape").selectOption("_st_d_within");
    await value(page, "Rows: value of shape _st_d_within distance").fill("20.5");
    await page.getByRole("checkbox", { name: "Rows: value of shape _st_d_within use_spheroid" }).uncheck();
    const place = { type: "Point", coordinates: [1, 2] };
    await is(page, { shape: { _st_d_within: { distance: 20.5, from: place, use_spheroid: false } } });
    await value(page, "Rows: value of shape _st_d_within from").fill("somewhere");
    await page.getByText("A shape is GeoJSON").waitFor();
    await axe(page, "A rule about a shape");
    await value(page, "Rows: operator of shape").selectOption("_cast");
    await is(page, { shape: { _cast: { geometry: {} } } });
  },

  async "Rules: a table of 200 columns"({ page }) {
    const columns = Array.from({ length: 200 }, (_, i) => `column_${i} ${i % 2 ? "text" : "int"}`);
    await sql(`CREATE TABLE wide (id int PRIMARY KEY, ${columns.join(", ")})`);
    await metadata("pg_track_table", { source: "default", table: "wide" });
    try {
      await signIn(page);
      await page.goto(at("wide", "reader"));
      await page.getByRole("button", { name: "Allow select" }).click();
      await json(page).fill(JSON.stringify(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`column_${i}`, { _neq: 1, _ceq: `column_${i + 2}` }]))));
      await drawn(page, value(page, "Rows: value of column_0 _neq"), "a value of a rule on 200 columns");
      await page.getByRole("button", { name: "Rows: add a condition" }).click();
      await page.getByText("Columns: 60 of 201, type a part of the name").waitFor();
      await drawn(page, page.getByRole("dialog", { name: "Add a condition" }).getByRole("searchbox"), "what a condition of 200 columns is about");
    } finally {
      await metadata("pg_untrack_table", { source: "default", table: "wide", cascade: true });
      await sql("DROP TABLE wide");
    }
  },
};
