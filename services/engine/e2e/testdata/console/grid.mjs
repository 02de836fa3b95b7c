// Tests of the grid of rows: cells that are edited in their place, and columns that are arranged.
import assert from "node:assert/strict";
import { axe, confirm, exporting, has, metadata, opened, pick, signIn, sql, until, url } from "./harness.mjs";

const rows = (page) => page.getByRole("grid", { name: "Rows", exact: true });
const editor = (page, column) => page.getByRole("dialog", { name: `Cell of ${column}`, exact: true });
export const pending = (page) => page.getByRole("region", { name: "Changes that aren't saved" });
const active = (page) => page.evaluate(() => document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.textContent);

/** made tracks tables that SQL makes while use runs, and drops them then. */
export async function made(statements, names, use) {
  await sql(statements);
  await metadata("pg_track_tables", { tables: names.map((name) => ({ source: "default", table: { schema: "public", name } })) });
  try {
    await use();
  } finally {
    await sql(names.map((n) => `DROP TABLE IF EXISTS "${n.replaceAll('"', '""')}" CASCADE`).join(";"), true);
  }
}

/** closed waits until a cell is closed, and the grid has the keys again. */
export async function closed(page, column) {
  await editor(page, column).waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "grid");
}

/** cell opens a cell by a double click. */
export async function cell(page, row, column) {
  await rows(page).locator(`[aria-rowindex="${row + 1}"]`).waitFor();
  const heads = await rows(page).getByRole("columnheader").evaluateAll((list) => list.map((e) => [e.getAttribute("aria-colindex"), e.getAttribute("title")]));
  const [index] = heads.find(([, name]) => name === column);
  await rows(page).locator(`[aria-rowindex="${row + 1}"] [aria-colindex="${index}"]`).dblclick();
  await editor(page, column).waitFor();
  return editor(page, column);
}

/** retype types what the first row has into the second one, column by column, and returns the texts. */
export async function retype(page, names) {
  const texts = {};
  await rows(page).focus();
  for (const name of names) {
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    const field = editor(page, name).locator("textarea, input, select");
    await field.waitFor();
    const text = (texts[name] = await field.inputValue());
    await page.keyboard.press("Escape");
    await closed(page, name);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await field.waitFor();
    if ((await field.evaluate((e) => e.tagName)) === "SELECT") await field.selectOption(text);
    else await field.fill(text);
    if (text === "") await editor(page, name).getByRole("button", { name: `NULL for ${name}` }).click();
    if ((await field.getAttribute("role")) === "combobox") {
      // Its list takes the first Enter.
      await page.getByRole("listbox").waitFor();
      await field.press("Enter");
      await page.getByRole("listbox").waitFor({ state: "detached" });
    }
    await field.press("Enter");
    await closed(page, name);
    await page.keyboard.press("ArrowUp");
  }
  return texts;
}

/** kinds are types with a value that is hard to keep. */
const kinds = {
  small: ["smallint", "-32768"], big: ["bigint", "9007199254740993"], unbounded: ["numeric", "1.10"], nan: ["numeric", "'NaN'"], scaled: ["numeric(30,10)", "12345678901234567890.0123456789"],
  single: ["real", "1.1"], double: ["double precision", "0.1"], endless: ["double precision", "'-Infinity'"], cash: ["money", "'1234.56'"], plain: ["text", "E'a\\r\\nb\\t<i>c</i> \\\\ \"d\"'"], empty: ["text", "''"],
  word: ["varchar(20)", "'NULL'"], padded: ["char(5)", "'ab'"], bytes: ["bytea", "'\\xdeadbeef00'"], truth: ["boolean", "true"], day: ["date", "'2024-02-29'"], never: ["date", "'infinity'"],
  hour: ["time", "'12:34:56.789012'"], hour_there: ["timetz", "'12:34:56.789012+05:30'"], moment: ["timestamp", "'2024-02-29 12:34:56.789012'"], moment_there: ["timestamptz", "'2024-02-29 12:34:56.789012+02'"],
  ancient: ["timestamptz", "'0044-03-15 12:00:00+00 BC'"], span: ["interval", "'1 year 2 mons -3 days 04:05:06.789'"], id128: ["uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"],
  written: ["json", "'{\"a\":1.10,\"a\":9007199254740993}'"], parsed: ["jsonb", "'{\"a\": 1.10, \"big\": 9007199254740993}'"], markup: ["text", "'<img src=x onerror=alert(1)>'"],
  address: ["inet", "'10.0.0.1/8'"], network: ["cidr", "'10.0.0.0/8'"], card: ["macaddr", "'08:00:2b:01:02:03'"], bits: ["bit(5)", "B'10101'"], more_bits: ["varbit", "B'101'"],
  spot: ["point", "'(1,2)'"], ring: ["circle", "'<(1,2),3>'"], shape: ["polygon", "'((1,2),(3,4),(5,6))'"], between: ["int4range", "'[1,10)'"], during: ["tstzrange", "'[2024-01-01 00:00+00,)'"],
  words: ["tsvector", "'a:1 b:2'"], query: ["tsquery", "'a & b'"], list: ["int[]", "'{1,2,NULL}'"], texts: ["text[]", "ARRAY['a,b','c\"d',NULL,'','NULL']"], digits: ["numeric[]", "'{1.10,2.0}'"], table_of: ["int[][]", "'{{1,2},{3,4}}'"],
  documents: ["jsonb[]", "ARRAY['{\"a\":1.10}'::jsonb]"], mood: ["grid_mood", "'a \"b\", <i>c</i>'"], moods: ["grid_mood[]", "'{sad,ok}'"], pair: ["grid_pair", "'(1,\"x, (y)\")'"], pairs: ["grid_pair[]", "ARRAY[ROW(1,'a \"b\" \\')::grid_pair, NULL]"],
  positive: ["grid_positive", "5"], object: ["oid", "4000000000"], place: ["pg_lsn", "'16/B374D848'"], path: ["jsonpath", "'$.a[*]'"],
  attributes: ["hstore", "'a=>1, \"b c\"=>NULL, \"d\\\"e\"=>\"x=>y, <i>z</i>\", \"\"=>\"\"'"], label: ["ltree", "'Top.Science.Astronomy'"], labels: ["ltree[]", "'{a.b,c}'"], folded: ["citext", "'MiXed'"],
  document: ["xml", "'<a b=\"1\">t&amp;<c/>  </a>'"], some: ["int4multirange", "'{[1,3),[5,7)}'"], amount: ["numrange", "'(1.10,2.50]'"], none_of: ["int4range", "'empty'"], blobs: ["bytea[]", "ARRAY['\\xdead'::bytea, NULL, '']"],
  spans: ["interval[]", "ARRAY['1 day 00:00:01'::interval, NULL]"], sums: ["money[]", "ARRAY['1.50'::money]"], flags: ["bit(3)[]", "ARRAY[B'101', NULL]"], nest: ["grid_nest", `ROW(ROW(1, 'a "b"')::grid_pair, 'a=>1', 'null')`], nests: ["grid_nest[]", "ARRAY[ROW(NULL, NULL, '[1]')::grid_nest, NULL]"], attribute_lists: ["hstore[]", "ARRAY['a=>1'::hstore, NULL]"],
  from_zero: ["int[]", "'[0:1]={7,8}'"], nulls: ["jsonb[]", "ARRAY['null'::jsonb, NULL, '[]']"], raw_documents: ["json[]", `ARRAY['{"a":  1}'::json]`], doc: ["grid_doc_type", `'{"b":  1}'`], feeling: ["grid_feeling", "'ok'"], sku: ["grid_sku", "'a \"b\" c'"],
};

export const tests = {
  async "Grid: cells are edited by keys, and saved together"({ page }) {
    await made(`CREATE TABLE grid_part (id int PRIMARY KEY, name text NOT NULL, note text, size int CHECK (size < 100));
      INSERT INTO grid_part VALUES (1, 'bolt', '<b>note</b>', 1), (2, 'nut', '', 2), (3, 'nail', NULL, 3)`, ["grid_part"], async () => {
      await signIn(page);
      await opened(page, "grid_part", "Rows");
      await has(rows(page), "nail");
      await rows(page).focus();
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("F2");
      await editor(page, "name").getByRole("textbox").waitFor();
      await axe(page, "a cell");
      await page.keyboard.type("s");
      await page.keyboard.press("Tab");
      await closed(page, "name");
      await until(async () => (await active(page)) === "<b>note</b>", "Tab leads to the next cell");
      // Escape leaves it, Delete makes NULL of it, and a letter begins anew.
      await page.keyboard.press("Enter");
      await editor(page, "note").getByRole("textbox").waitFor();
      await page.keyboard.type("gone");
      await page.keyboard.press("Escape");
      await closed(page, "note");
      await page.keyboard.press("Delete");
      await has(pending(page), "2 changes in 1 row");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("7");
      await editor(page, "size").getByRole("textbox").waitFor();
      await page.keyboard.type("00");
      await page.keyboard.press("Enter");
      await closed(page, "size");
      await has(pending(page), "3 changes in 1 row");
      // NULL and an empty text differ.
      const note = await cell(page, 3, "note");
      assert.equal(await note.getByRole("button", { name: "NULL for note" }).getAttribute("aria-pressed"), "true");
      await note.getByRole("button", { name: "NULL for note" }).click();
      await has(note, "An empty text, which isn't NULL.");
      await note.getByRole("textbox").press("Enter");
      await has(pending(page), "4 changes in 2 rows");
      await axe(page, "changes that aren't saved");
      // What one row is refused for is said at its cell, and isn't in the way of the other one.
      await page.keyboard.press("Control+s");
      await has(pending(page), "1 row");
      await has(pending(page).getByRole("alert"), "grid_part_size_check");
      await has(pending(page).getByRole("alert"), "permission-error");
      await page.getByText("1 row saved").waitFor();
      const refused = rows(page).locator("[aria-invalid=true]").filter({ hasText: "700" });
      assert.match(await refused.getAttribute("title"), /grid_part_size_check.*\(permission-error at \$\)/);
      await axe(page, "a cell that is refused");
      assert.deepEqual(await sql("SELECT name, note IS NULL, size FROM grid_part ORDER BY id"), [["bolt", "f", "1"], ["nut", "f", "2"], ["nail", "f", "3"]]);
      const size = await cell(page, 1, "size");
      await has(size, "grid_part_size_check");
      await size.getByRole("textbox").fill("70");
      await size.getByRole("textbox").press("Enter");
      await page.getByRole("button", { name: "Save Ctrl S" }).click();
      await pending(page).waitFor({ state: "detached" });
      assert.deepEqual(await sql("SELECT name, note IS NULL, size FROM grid_part ORDER BY id"), [["bolts", "t", "70"], ["nut", "f", "2"], ["nail", "f", "3"]]);
      // Leaving asks first.
      const name = await cell(page, 2, "name");
      await name.getByRole("textbox").fill("lost");
      await name.getByRole("textbox").press("Enter");
      await page.getByRole("button", { name: "Open public.author", exact: true }).click();
      const leave = page.getByRole("alertdialog", { name: "Unsaved changes" });
      await axe(page, "leaving with changes");
      await leave.getByRole("button", { name: "Stay" }).click();
      await has(pending(page), "1 change in 1 row");
      await page.getByRole("button", { name: "Open public.author", exact: true }).click();
      await leave.getByRole("button", { name: "Discard the changes" }).click();
      await page.getByRole("heading", { name: "public.author", exact: true }).waitFor();
    });
  },

  async "Grid: a row that somebody else has changed isn't overwritten"({ page }) {
    await made(`CREATE TABLE grid_both (id int PRIMARY KEY, a text, doc json, other int); INSERT INTO grid_both VALUES (1, 'one', '{"n": 1}', 1), (2, 'two', '{"n": 2}', 2)`, ["grid_both"], async () => {
      await signIn(page);
      await opened(page, "grid_both", "Rows");
      await has(rows(page), "two");
      const change = async (row, column, text) => {
        const open = await cell(page, row, column);
        await open.getByRole("textbox").fill(text);
        await open.getByRole("textbox").press("Enter");
        await open.waitFor({ state: "detached" });
      };
      await change(1, "a", "mine");
      await change(2, "doc", '{"n":  22}');
      await sql(`UPDATE grid_both SET a = '<i>theirs</i>', other = 9 WHERE id = 1; UPDATE grid_both SET doc = '{"n": 3}' WHERE id = 2`);
      await page.keyboard.press("Control+s");
      const list = pending(page).getByRole("listitem");
      await has(list.nth(0), "a is <i>theirs</i> now");
      await has(list.nth(1), 'doc is {"n": 3} now');
      await axe(page, "rows that were changed by others");
      await list.nth(0).getByRole("button", { name: "Take theirs" }).click();
      await has(pending(page), "1 change in 1 row");
      await list.nth(0).getByRole("button", { name: "Write yours" }).click();
      await pending(page).waitFor({ state: "detached" });
      assert.deepEqual(await sql("SELECT a, doc::text FROM grid_both ORDER BY id"), [["<i>theirs</i>", '{"n": 1}'], ["two", '{"n":  22}']]);
      // A column that isn't changed may have been by others.
      await has(rows(page), "<i>theirs</i>");
      await change(1, "a", "again");
      await sql("UPDATE grid_both SET other = 10 WHERE id = 1");
      await page.keyboard.press("Control+s");
      await pending(page).waitFor({ state: "detached" });
      assert.deepEqual(await sql("SELECT a, other FROM grid_both WHERE id = 1"), [["again", "10"]]);
      await change(1, "a", "late");
      await sql("DELETE FROM grid_both WHERE id = 1");
      await page.keyboard.press("Control+s");
      await has(pending(page).getByRole("alert"), "the row isn't there any more");
    });
  },

  async "Grid: values of all types come back as they were"({ page }) {
    const names = Object.keys(kinds);
    await sql(`CREATE TYPE grid_mood AS ENUM ('sad', 'ok', 'a \"b\", <i>c</i>'); CREATE TYPE grid_pair AS (a int, b text); CREATE DOMAIN grid_positive AS int CHECK (VALUE > 0);
      CREATE DOMAIN grid_feeling AS grid_mood; CREATE DOMAIN grid_sku AS text CHECK (VALUE <> ''); CREATE EXTENSION IF NOT EXISTS hstore; CREATE EXTENSION IF NOT EXISTS ltree; CREATE EXTENSION IF NOT EXISTS citext;
      CREATE TYPE grid_nest AS (pair grid_pair, attributes hstore, doc json); CREATE DOMAIN grid_doc_type AS json`);
    try {
      await made(`CREATE TABLE grid_kinds (id bigint PRIMARY KEY, ${names.map((n) => `"${n}" ${kinds[n][0]}`).join(", ")});
        INSERT INTO grid_kinds VALUES (9007199254740993, ${names.map((n) => kinds[n][1]).join(", ")}); INSERT INTO grid_kinds (id, parsed) VALUES (9007199254740995, 'null')`, ["grid_kinds"], async () => {
        await signIn(page);
        await opened(page, "grid_kinds", "Rows");
        await has(rows(page), "9007199254740995");
        await retype(page, names);
        await has(pending(page), `${names.length} changes in 1 row`);
        await page.keyboard.press("Control+s");
        await pending(page).waitFor({ state: "detached" });
        const line = (await sql(`SELECT ${names.map((n) => `a."${n}"::text`).join(", ")}, ${names.map((n) => `b."${n}"::text`).join(", ")} FROM grid_kinds a, grid_kinds b WHERE a.id < b.id`))[0];
        // A control has one kind of line ends: one that is empty before it is typed into has those of a new text.
        const expected = names.map((n, i) => [n, n === "plain" ? line[i].replaceAll("\r\n", "\n") : line[i]]);
        assert.deepEqual(names.map((n, i) => [n, line[names.length + i]]), expected);
      });
    } finally {
      await sql("DROP DOMAIN IF EXISTS grid_positive, grid_feeling, grid_sku, grid_doc_type; DROP TYPE IF EXISTS grid_nest, grid_mood, grid_pair", true);
    }
  },

  async "Grid: JSON and line ends are in the database as they are shown and typed"({ page }) {
    const doc = ' {"b":  1.10,\r\n\t"a" : [ ],\n"a":9007199254740993} ';
    await made(`CREATE TABLE grid_doc (id int PRIMARY KEY, doc json, parsed jsonb, note text, other int);
      INSERT INTO grid_doc VALUES (1, '${doc}', 'null', E'one\\r\\ntwo\\nthree\\rfour\\r\\n', 1), (2, 'null', NULL, NULL, 1), (3, NULL, '"null"', NULL, 1), (4, '"text"', '{"a": 1}', NULL, 1)`, ["grid_doc"], async () => {
      const read = async () => (await sql("SELECT coalesce(to_json(doc::text)::text, '-'), coalesce(parsed::text, '-'), coalesce(to_json(note)::text, '-') FROM grid_doc ORDER BY id")).map(([d, p, n]) => [d === "-" ? d : JSON.parse(d), p, n === "-" ? n : JSON.parse(n)]);
      const before = await read();
      assert.deepEqual(before[0], [doc, "null", "one\r\ntwo\nthree\rfour\r\n"]);
      const cells = (row) => rows(page).locator(`[aria-rowindex="${row + 1}"] [role=gridcell]`).allTextContents();
      const save = async () => {
        await page.keyboard.press("Control+s");
        await pending(page).waitFor({ state: "detached" });
      };
      const put = async (row, column, text) => {
        const open = await cell(page, row, column);
        await open.getByRole("textbox").fill(text);
        await open.getByRole("textbox").press("Enter");
        await closed(page, column);
      };
      await signIn(page);
      await opened(page, "grid_doc", "Rows");
      await has(rows(page), '"text"');
      assert.deepEqual((await cells(2)).slice(-4), ["null", "NULL", "NULL", "1"]);
      assert.deepEqual((await cells(3)).slice(-4), ["NULL", '"null"', "NULL", "1"]);
      assert.equal(await rows(page).locator('[aria-rowindex="3"] .null').count(), 2);
      // An edit of something else leaves them, and so does one that is taken back in the same cell.
      for (const row of [1, 2, 3, 4]) await put(row, "other", "2");
      for (const column of ["doc", "note"]) {
        const same = await cell(page, 1, column);
        await same.getByRole("textbox").press("End");
        await page.keyboard.type("x");
        await page.keyboard.press("Backspace");
        await same.getByRole("textbox").press("Enter");
        await closed(page, column);
      }
      await has(pending(page), "4 changes in 4 rows");
      await save();
      assert.deepEqual(await read(), before);
      // One of a part leaves the rest, with its line ends.
      const part = async (column, from, to) => {
        const open = await cell(page, 1, column);
        const field = open.getByRole("textbox");
        await field.evaluate((e, f) => e.setSelectionRange(e.value.indexOf(f), e.value.indexOf(f) + f.length), from);
        await page.keyboard.insertText(to);
        await field.press("Enter");
        await closed(page, column);
      };
      await part("doc", "1.10", "2.00");
      await part("note", "two", "2\n2");
      await save();
      assert.deepEqual((await read())[0], [doc.replace("1.10", "2.00"), "null", "one\r\n2\r\n2\nthree\rfour\r\n"]);
      // The null of JSON is written like any other value, and compared.
      await put(4, "doc", "null");
      await put(4, "parsed", " null");
      await put(2, "parsed", "null");
      await put(3, "doc", ' {"n":  1} ');
      await put(1, "parsed", '"x"');
      await sql("UPDATE grid_doc SET doc = NULL WHERE id = 4");
      await page.keyboard.press("Control+s");
      await has(pending(page), "doc is NULL now");
      await pending(page).getByRole("button", { name: "Write yours" }).click();
      await pending(page).waitFor({ state: "detached" });
      assert.deepEqual((await read()).map(([d, p]) => [d, p]).slice(1), [["null", "null"], [' {"n":  1} ', '"null"'], ["null", "null"]]);
      // Forms and files, too.
      await page.getByRole("button", { name: "Insert row" }).click();
      const form = page.getByRole("dialog", { name: "Insert row" });
      await form.getByLabel("id", { exact: true }).fill("5");
      await form.getByLabel("doc", { exact: true }).fill('{"z" : null,\n "a":1}');
      await form.getByLabel("parsed", { exact: true }).fill("null");
      await form.getByRole("button", { name: "Insert", exact: true }).click();
      await form.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Import CSV" }).click();
      const file = page.getByRole("dialog", { name: "Import CSV" });
      await file.getByLabel("File").setInputFiles({ name: "docs.csv", mimeType: "text/csv", buffer: Buffer.from('id,doc,parsed\r\n6,null,\r\n7,,null\r\n8,"{""a"":  ""b""}","""t"""\r\n') });
      await file.getByRole("button", { name: "Insert 3 rows" }).click();
      await file.waitFor({ state: "detached" });
      assert.deepEqual((await read()).slice(4).map(([d, p]) => [d, p]), [['{"z" : null,\n "a":1}', "null"], ["null", "-"], ["-", "null"], ['{"a":  "b"}', '"t"']]);
      // What is copied is what there is.
      await has(rows(page), '{"a":  "b"}');
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      for (const row of [6, 7, 8]) await pick(rows(page).getByRole("row").nth(row));
      await exporting(page, "Copy as CSV");
      await page.getByRole("status").filter({ hasText: "Copied" }).waitFor();
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'id,doc,parsed,note,other\r\n6,null,,,\r\n7,,null,,\r\n8,"{""a"":  ""b""}","""t""",,\r\n');
      await pick(rows(page).getByRole("row").nth(8));
      await page.getByRole("button", { name: "Bulk edit…" }).click();
      const dialog = page.getByRole("dialog", { name: "Bulk edit" });
      await dialog.getByLabel("Column", { exact: true }).selectOption("parsed");
      await dialog.getByLabel("parsed", { exact: true }).fill("null");
      await dialog.getByRole("button", { name: "Set in 2 rows" }).click();
      await dialog.waitFor({ state: "detached" });
      assert.deepEqual((await read()).slice(5).map(([, p]) => p), ["null", "null", '"t"']);
    });
  },

  async "Grid: choices, and a calendar that keeps microseconds and zones"({ page }) {
    await sql("CREATE TYPE grid_level AS ENUM ('low', '<b>high</b>')");
    try {
      await made(`CREATE TABLE grid_owner (id int PRIMARY KEY, code uuid DEFAULT gen_random_uuid(), name text); INSERT INTO grid_owner (id, name) SELECT i, 'owner ' || i FROM generate_series(1, 120) i;
        UPDATE grid_owner SET name = '<i>100%</i>' WHERE id = 77;
        CREATE TABLE grid_owned (id int PRIMARY KEY, owner_id int REFERENCES grid_owner, level grid_level, at timestamptz, day date, hour time);
        INSERT INTO grid_owned VALUES (1, 1, 'low', '2024-02-29 10:34:56.789012+00', '2024-02-29', '10:11:12.000001')`, ["grid_owned", "grid_owner"], async () => {
        await signIn(page);
        await opened(page, "grid_owned", "Rows");
        await has(rows(page), "low");
        const owner = await cell(page, 1, "owner_id");
        const keys = page.getByRole("listbox");
        await owner.getByRole("combobox").press("ArrowDown");
        await keys.getByRole("option").nth(49).waitFor({ state: "attached" });
        await axe(page, "choices of a key");
        await owner.getByRole("combobox").fill("100%");
        await until(async () => (await keys.getByRole("option").allTextContents()).join() === "77 <i>100%</i>", "one is found");
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
        await keys.waitFor({ state: "detached" });
        assert.equal(await owner.getByRole("combobox").inputValue(), "77");
        await page.keyboard.press("Enter");
        await owner.waitFor({ state: "detached" });

        const level = await cell(page, 1, "level");
        await level.getByRole("combobox").press("ArrowDown");
        await page.getByRole("option", { name: "<b>high</b>" }).click();
        await level.getByRole("combobox").press("Enter");
        await level.waitFor({ state: "detached" });

        const at = await cell(page, 1, "at");
        await at.getByRole("button", { name: "Pick at" }).click();
        const picker = page.getByRole("dialog", { name: "Pick at" });
        await picker.getByRole("button", { name: /^Wednesday, 28 February 2024/ }).click();
        await axe(page, "a calendar");
        await picker.getByRole("spinbutton", { name: /second/i }).focus();
        await page.keyboard.type("07");
        await picker.getByRole("button", { name: "Done" }).click();
        assert.equal(await at.getByRole("textbox").inputValue(), "2024-02-28T10:34:07.789012+00:00");
        await at.getByRole("textbox").press("Enter");
        await at.waitFor({ state: "detached" });
        await has(pending(page), "3 changes in 1 row");
        await page.keyboard.press("Control+s");
        await pending(page).waitFor({ state: "detached" });
        assert.deepEqual(await sql("SELECT owner_id, level, at AT TIME ZONE 'UTC', day, hour FROM grid_owned"), [["77", "<b>high</b>", "2024-02-28 10:34:07.789012", "2024-02-29", "10:11:12.000001"]]);

        // The form has the same controls.
        await pick(rows(page).getByRole("row").nth(1));
        await page.getByRole("button", { name: "Edit row" }).click();
        const form = page.getByRole("dialog", { name: "Edit row" });
        await form.getByRole("combobox", { name: "level", exact: true }).fill("low");
        await form.getByRole("combobox", { name: "level", exact: true }).press("Escape");
        await form.getByLabel("day", { exact: true }).fill("2024-13-01");
        await axe(page, "a row with choices");
        await form.getByRole("button", { name: "Change", exact: true }).click();
        await has(form.getByRole("alert"), "2024-13-01");
        await form.getByLabel("day", { exact: true }).fill("2024-12-01");
        await form.getByRole("button", { name: "Change", exact: true }).click();
        await form.waitFor({ state: "detached" });
        assert.deepEqual(await sql("SELECT owner_id, level, day FROM grid_owned"), [["77", "low", "2024-12-01"]]);
      });
    } finally {
      await sql("DROP TYPE IF EXISTS grid_level", true);
    }
  },

  async "Grid: foreign keys of several columns are chosen together"({ page }) {
    await made(`CREATE TABLE grid_site (land text, no int, name text, PRIMARY KEY (land, no)); INSERT INTO grid_site SELECT l, i, '<i>' || l || i || '</i>' FROM unnest(ARRAY['at', 'ch']) l, generate_series(1, 40) i;
      CREATE TABLE grid_stay (id int PRIMARY KEY, site_no int, land text, FOREIGN KEY (land, site_no) REFERENCES grid_site); INSERT INTO grid_stay VALUES (1, 1, 'at')`, ["grid_site", "grid_stay"], async () => {
      const stays = () => sql("SELECT id, land, site_no FROM grid_stay ORDER BY id");
      const options = page.getByRole("listbox").getByRole("option");
      await signIn(page);
      await opened(page, "grid_stay", "Rows");
      const no = await cell(page, 1, "site_no");
      await no.getByRole("combobox").press("ArrowDown");
      await options.nth(49).waitFor({ state: "attached" });
      await no.getByRole("combobox").fill("7");
      await until(async () => (await options.allTextContents()).sort().join() === "17 land at, <i>at17</i>,17 land ch, <i>ch17</i>,27 land at, <i>at27</i>,27 land ch, <i>ch27</i>,37 land at, <i>at37</i>,37 land ch, <i>ch37</i>,7 land at, <i>at7</i>,7 land ch, <i>ch7</i>", "keys are searched");
      await axe(page, "choices of a key of several columns");
      await options.filter({ hasText: /^7 land ch/ }).click();
      assert.equal(await no.getByRole("combobox").inputValue(), "7");
      await no.getByRole("combobox").press("Enter");
      await closed(page, "site_no");
      await has(pending(page), "2 changes in 1 row");
      await page.keyboard.press("Control+s");
      await pending(page).waitFor({ state: "detached" });
      assert.deepEqual(await stays(), [["1", "ch", "7"]]);
      // What is typed by hand after a choice is for its own cell only.
      const again = await cell(page, 1, "site_no");
      await again.getByRole("combobox").fill("9");
      await options.filter({ hasText: /^9 land at/ }).click();
      await again.getByRole("combobox").fill("8");
      await again.getByRole("combobox").press("Escape");
      await page.getByRole("listbox").waitFor({ state: "detached" });
      await again.getByRole("combobox").press("Enter");
      await closed(page, "site_no");
      await has(pending(page), "1 change in 1 row");
      await page.keyboard.press("Control+s");
      await pending(page).waitFor({ state: "detached" });
      assert.deepEqual(await stays(), [["1", "ch", "8"]]);

      // The form fills all its columns.
      await page.getByRole("button", { name: "Insert row" }).click();
      const form = page.getByRole("dialog", { name: "Insert row" });
      await form.getByLabel("id", { exact: true }).fill("2");
      await form.getByRole("combobox", { name: "land", exact: true }).fill("at3");
      await options.filter({ hasText: "<i>at33</i>" }).click();
      assert.equal(await form.getByRole("combobox", { name: "site_no", exact: true }).inputValue(), "33");
      await axe(page, "a row with a key of several columns");
      await form.getByRole("button", { name: "Insert", exact: true }).click();
      await form.waitFor({ state: "detached" });
      assert.deepEqual(await stays(), [["1", "ch", "8"], ["2", "at", "33"]]);
      // NULL in one of them is for that one only, as the key isn't checked then.
      const empty = await cell(page, 1, "site_no");
      await empty.getByRole("button", { name: "NULL for site_no" }).click();
      await empty.getByRole("combobox").press("Enter");
      await closed(page, "site_no");
      await has(pending(page), "1 change in 1 row");
      await page.keyboard.press("Control+s");
      await pending(page).waitFor({ state: "detached" });
      assert.deepEqual(await stays(), [["1", "ch", "NULL"], ["2", "at", "33"]]);
      // So does the form of a row that is there, where a choice that was undone by hand isn't made again when its control is left.
      await pick(rows(page).getByRole("row").nth(1));
      await page.getByRole("button", { name: "Edit row" }).click();
      const change = page.getByRole("dialog", { name: "Edit row" });
      const [land, site] = ["land", "site_no"].map((name) => change.getByRole("combobox", { name, exact: true }));
      assert.equal(await change.getByLabel("What site_no gets").inputValue(), "null");
      await site.fill("12");
      await options.filter({ hasText: /^12 land at/ }).click();
      assert.equal(await land.inputValue(), "at");
      await land.fill("ch");
      await land.press("Escape");
      await site.focus();
      await land.focus();
      assert.equal(await land.inputValue(), "ch");
      await change.getByRole("button", { name: "Change", exact: true }).click();
      await change.waitFor({ state: "detached" });
      assert.deepEqual(await stays(), [["1", "ch", "12"], ["2", "at", "33"]]);
      // One column of them can't be set by itself from a list.
      await page.getByRole("button", { name: "Bulk edit…" }).click();
      const dialog = page.getByRole("dialog", { name: "Bulk edit" });
      await dialog.getByLabel("Column", { exact: true }).selectOption("site_no");
      assert.equal(await dialog.getByLabel("site_no", { exact: true }).evaluate((e) => e.tagName), "TEXTAREA");
      await dialog.getByRole("button", { name: "Cancel" }).click();
    });
  },

  async "Grid: foreign keys that share a column keep what it has"({ page }) {
    await made(`CREATE TABLE grid_tenant (id int PRIMARY KEY, name text); INSERT INTO grid_tenant VALUES (1, 'one'), (2, 'two');
      CREATE TABLE grid_desk (tenant int, no int, UNIQUE (tenant, no)); INSERT INTO grid_desk VALUES (1, 10), (1, 11), (2, 10), (2, 12), (NULL, 13), (2, NULL);
      CREATE TABLE grid_phone (id int PRIMARY KEY, tenant int REFERENCES grid_tenant, desk int, deputy int, FOREIGN KEY (tenant, desk) REFERENCES grid_desk (tenant, no), FOREIGN KEY (tenant, deputy) REFERENCES grid_desk (tenant, no));
      INSERT INTO grid_phone VALUES (1, 1, 10, NULL), (2, NULL, NULL, NULL)`, ["grid_tenant", "grid_desk", "grid_phone"], async () => {
      const options = page.getByRole("listbox").getByRole("option");
      const offered = (texts) => until(async () => (await options.allTextContents()).join() === texts, `${texts} are offered`);
      await signIn(page);
      await opened(page, "grid_phone", "Rows");
      // Another tenant would take the desk of the row away.
      const deputy = await cell(page, 1, "deputy");
      await deputy.getByRole("combobox").press("ArrowDown");
      await offered("10 tenant 1,11 tenant 1");
      await options.nth(1).click();
      await deputy.getByRole("combobox").press("Enter");
      await closed(page, "deputy");
      await has(pending(page), "1 change in 1 row");
      // The shared column is chosen by the key that has no other one.
      const tenant = await cell(page, 2, "tenant");
      await tenant.getByRole("combobox").press("ArrowDown");
      await offered("1 one,2 two");
      await tenant.getByRole("combobox").press("Escape");
      await tenant.getByRole("combobox").press("Escape");
      await closed(page, "tenant");
      // Without a tenant there are those of all, which bring it.
      const desk = await cell(page, 2, "desk");
      await desk.getByRole("combobox").press("ArrowDown");
      await offered("10 tenant 1,11 tenant 1,10 tenant 2,12 tenant 2");
      await options.nth(3).click();
      await desk.getByRole("combobox").press("Enter");
      await closed(page, "desk");
      await has(pending(page), "3 changes in 2 rows");
      // What isn't saved yet counts.
      const second = await cell(page, 2, "deputy");
      await second.getByRole("combobox").fill("11");
      await page.getByText("Nothing is found with tenant 2.").waitFor();
      await second.getByRole("combobox").fill("10");
      await offered("10 tenant 2");
      await options.first().click();
      await second.getByRole("combobox").press("Enter");
      await closed(page, "deputy");
      await page.keyboard.press("Control+s");
      await pending(page).waitFor({ state: "detached" });
      assert.deepEqual(await sql("SELECT * FROM grid_phone ORDER BY id"), [["1", "1", "10", "11"], ["2", "2", "12", "10"]]);

      // A role that may not write the tenant of a row gets the desks of it.
      await metadata("pg_create_select_permission", { table: "grid_desk", role: "grid_clerk", permission: { columns: "*", filter: {} } });
      await metadata("pg_create_select_permission", { table: "grid_phone", role: "grid_clerk", permission: { columns: "*", filter: {} } });
      await metadata("pg_create_update_permission", { table: "grid_phone", role: "grid_clerk", permission: { columns: ["desk"], filter: {} } });
      await page.getByLabel("Run as role").fill("grid_clerk");
      await page.keyboard.press("Tab"); // closes the list of roles, which hides everything else
      await page.getByRole("button", { name: "Insert row" }).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Bulk edit…" }).waitFor(); // the page has heard of the permissions
      const clerk = await cell(page, 1, "desk");
      await clerk.getByRole("combobox").press("ArrowDown");
      await offered("10 tenant 1,11 tenant 1");
      await options.nth(1).click();
      await clerk.getByRole("combobox").press("Enter");
      await closed(page, "desk");
      await page.keyboard.press("Control+s");
      await pending(page).waitFor({ state: "detached" });
      assert.deepEqual(await sql("SELECT * FROM grid_phone WHERE id = 1"), [["1", "1", "11", "11"]]);
    });
  },

  async "Grid: a column is set in many rows, which are counted before"({ page }) {
    await made(`CREATE TABLE grid_many (id int PRIMARY KEY, state text, n numeric); INSERT INTO grid_many SELECT i, CASE WHEN i % 2 = 0 THEN 'even' ELSE 'odd' END, i FROM generate_series(1, 30) i`, ["grid_many"], async () => {
      await signIn(page);
      await opened(page, "grid_many", "Rows");
      for (const row of [1, 3]) await pick(rows(page).getByRole("row").nth(row));
      await page.getByRole("button", { name: "Bulk edit…" }).click();
      const dialog = page.getByRole("dialog", { name: "Bulk edit" });
      await dialog.getByLabel("Column", { exact: true }).selectOption("n");
      await dialog.getByLabel("n", { exact: true }).fill("1.10");
      await has(dialog, "2 rows get 1.10 as n.");
      await axe(page, "a column of many rows");
      await dialog.getByRole("button", { name: "Set in 2 rows" }).click();
      await page.getByText("n set in 2 rows").waitFor();
      assert.deepEqual(await sql("SELECT id, n FROM grid_many WHERE id < 5 ORDER BY id"), [["1", "1.10"], ["2", "2"], ["3", "1.10"], ["4", "4"]]);
      await page.getByRole("button", { name: "Filter", exact: true }).click();
      await page.getByLabel("Column of filter 1").selectOption("state");
      await page.getByLabel("Value of filter 1").fill("even");
      await page.getByText("1 to 15 of 15").waitFor();
      await page.getByRole("button", { name: "Bulk edit…" }).click();
      await dialog.getByLabel("Column", { exact: true }).selectOption("n");
      await dialog.getByLabel("What n gets").selectOption("null");
      await dialog.getByRole("button", { name: "Set in 15 rows" }).click();
      await page.getByText("n set in 15 rows").waitFor();
      assert.deepEqual(await sql("SELECT count(*) FROM grid_many WHERE n IS NULL AND state = 'even'"), [["15"]]);
    });
  },

  async "Grid: columns are moved, widened and hidden by keys, and a link has the view"({ page }) {
    await made(`CREATE TABLE grid_view (id int PRIMARY KEY, a text, b text, c text); INSERT INTO grid_view SELECT i, 'a' || i % 3, 'b' || i, 'c' FROM generate_series(1, 60) i`, ["grid_view"], async () => {
      await signIn(page);
      await opened(page, "grid_view", "Rows");
      await page.getByText("1 to 50 of 60").waitFor();
      const heads = () => rows(page).getByRole("columnheader").evaluateAll((list) => list.slice(1).map((e) => e.title));
      const width = (name) => rows(page).locator(`[role=columnheader][title="${name}"]`).evaluate((e) => e.clientWidth);
      await rows(page).focus();
      await page.keyboard.press("ArrowRight");
      const before = await width("a");
      await page.keyboard.press("Shift+ArrowRight");
      await until(async () => (await width("a")) > before, "a is wider");
      await page.keyboard.press("Control+Shift+ArrowRight");
      await until(async () => (await heads()).join() === "id,b,a,c", "a has moved");
      await page.getByText("Columns: all of 4").click();
      const columns = page.getByRole("grid", { name: "Columns", exact: true });
      await axe(page, "columns");
      await columns.getByRole("row", { name: "c", exact: true }).click();
      await until(async () => (await heads()).join() === "id,b,a", "c is hidden");
      await page.reload();
      await page.getByText("1 to 50 of 60").waitFor();
      assert.deepEqual(await heads(), ["id", "b", "a"]);
      assert.ok((await width("a")) > before, "the browser keeps it");

      await page.getByRole("button", { name: "Filter", exact: true }).click();
      await page.getByLabel("Column of filter 1").selectOption("a");
      await page.getByLabel("Value of filter 1").fill("a1");
      await page.getByText("1 to 20 of 20").waitFor();
      await rows(page).locator("[role=columnheader][title=b]").click();
      await page.getByRole("button", { name: "b ▲, ascending" }).waitFor();
      await page.waitForFunction(() => location.hash.startsWith("#rows="));
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await exporting(page, "Copy link");
      await page.getByRole("status").filter({ hasText: "Copied" }).waitFor();
      const link = await page.evaluate(() => navigator.clipboard.readText());
      assert.equal(new URL(link).search, "?source=default&schema=public&table=grid_view");
      await page.goBack();
      await page.getByRole("button", { name: "b ▲, ascending" }).waitFor({ state: "detached" });
      await page.getByText("1 to 20 of 20").waitFor();
    });
  },

  async "Grid: rows without a primary key are told apart by a unique one without NULL"({ page }) {
    await made(`CREATE TABLE grid_unique (shop int NOT NULL, "Order No" text NOT NULL, maybe int UNIQUE, part int NOT NULL, folded text NOT NULL, note text);
      CREATE UNIQUE INDEX ON grid_unique (part) WHERE part > 10; CREATE UNIQUE INDEX ON grid_unique (lower(folded));
      CREATE UNIQUE INDEX ON grid_unique (shop, "Order No");
      INSERT INTO grid_unique VALUES (1, '<b>a</b>', NULL, 1, 'A', 'x'), (1, 'b', NULL, 1, 'B', 'x'), (2, 'b', NULL, 1, 'C', 'x');
      CREATE TABLE grid_almost (maybe int UNIQUE, part int NOT NULL, folded text NOT NULL);
      CREATE UNIQUE INDEX ON grid_almost (part) WHERE part > 10; CREATE UNIQUE INDEX ON grid_almost (lower(folded));
      INSERT INTO grid_almost VALUES (NULL, 1, 'a')`, ["grid_unique", "grid_almost"], async () => {
      const notes = () => sql('SELECT shop, "Order No", note FROM grid_unique ORDER BY shop, "Order No"');
      await signIn(page);
      await opened(page, "grid_unique", "Rows");
      const note = await cell(page, 2, "note");
      await note.getByRole("textbox").fill("mine");
      await note.getByRole("textbox").press("Enter");
      await has(pending(page), "shop = 1, Order No = b:");
      await page.keyboard.press("Control+s");
      await page.getByText("1 row saved").waitFor();
      assert.deepEqual(await notes(), [["1", "<b>a</b>", "x"], ["1", "b", "mine"], ["2", "b", "x"]]);
      // The form, the dialog of several rows, and the deletion find them by it, too.
      await pick(rows(page).getByRole("row").nth(1));
      await page.getByRole("button", { name: "Edit row" }).click();
      const form = page.getByRole("dialog", { name: "Edit row" });
      await form.getByLabel("note", { exact: true }).fill("formed");
      await form.getByRole("button", { name: "Change", exact: true }).click();
      await form.waitFor({ state: "detached" });
      await pick(rows(page).getByRole("row").nth(2));
      await page.getByRole("button", { name: "Bulk edit…" }).click();
      const dialog = page.getByRole("dialog", { name: "Bulk edit" });
      await dialog.getByLabel("Column", { exact: true }).selectOption("part");
      await dialog.getByLabel("part", { exact: true }).fill("7");
      await dialog.getByRole("button", { name: "Set in 2 rows" }).click();
      await dialog.waitFor({ state: "detached" });
      assert.deepEqual(await sql("SELECT note, part FROM grid_unique ORDER BY shop, \"Order No\""), [["formed", "7"], ["mine", "7"], ["x", "1"]]);
      await page.getByRole("button", { name: "Delete 2…" }).click();
      await confirm(page, "Delete", "These 2 rows are deleted");
      await page.getByText("2 deleted").waitFor();
      assert.deepEqual(await notes(), [["2", "b", "x"]]);

      // Keys that hold for some rows only, or not for the columns themselves, are none.
      await opened(page, "grid_almost", "Rows");
      await page.getByText("nothing tells them apart").waitFor();
      await has(await cell(page, 1, "part"), "Nothing tells the rows apart.");
      assert.equal(await page.getByRole("button", { name: /^(Edit row|Bulk edit|Delete)/ }).count(), 0);
    });
  },

  async "Grid: 200 columns, many rows, no key, and odd names"({ page }) {
    const odd = `a "b" 'c' <i>ä 日本</i>`;
    await made(`CREATE TABLE grid_wide (id int PRIMARY KEY, ${Array.from({ length: 199 }, (_, i) => `column_${i} text DEFAULT '${i}'`).join(", ")}); INSERT INTO grid_wide (id) SELECT generate_series(1, 300);
      CREATE TABLE grid_long (id int PRIMARY KEY); INSERT INTO grid_long SELECT generate_series(1, 30000); ANALYZE grid_long;
      CREATE TABLE grid_bare (a int, b text); INSERT INTO grid_bare VALUES (1, 'x'), (1, 'x');
      CREATE TABLE "${odd.replaceAll('"', '""')}" ("${odd.replaceAll('"', '""')}" text PRIMARY KEY, "order" int); INSERT INTO "${odd.replaceAll('"', '""')}" VALUES ('${odd.replaceAll("'", "''")}', 1)`, ["grid_wide", "grid_long", "grid_bare", odd], async () => {
      await signIn(page);
      await opened(page, "grid_wide", "Rows");
      await page.getByLabel("Rows per page").selectOption("250");
      await page.getByText("1 to 250 of 300").waitFor();
      assert.ok((await rows(page).getByRole("gridcell").count()) < 1000, "what isn't visible isn't drawn");
      await rows(page).focus();
      await page.keyboard.press("Control+End");
      await until(async () => (await active(page)) === "198", "the last cell");
      await page.keyboard.press("Enter");
      await editor(page, "column_198").getByRole("textbox").fill("last");
      await page.keyboard.press("Enter");
      await closed(page, "column_198");
      await page.keyboard.press("Control+s");
      await page.getByText("1 row saved").waitFor();
      assert.deepEqual(await sql("SELECT id FROM grid_wide WHERE column_198 = 'last'"), [["250"]]);

      await opened(page, "grid_long", "Rows");
      await page.getByText("of more than 10,000, about 30,000 by the statistics").waitFor();

      await opened(page, "grid_bare", "Rows");
      await page.getByText("nothing tells them apart. A primary key would, or a unique one without NULL.").waitFor();
      await has(await cell(page, 1, "b"), "Nothing tells the rows apart.");
      await page.keyboard.press("Escape");

      await page.goto(`${url}/console/data?source=default&schema=public&table=${encodeURIComponent(odd)}`);
      const order = await cell(page, 1, "order");
      await order.getByRole("textbox").fill("2");
      await order.getByRole("textbox").press("Enter");
      await has(pending(page), odd);
      await page.keyboard.press("Control+s");
      await page.getByText("1 row saved").waitFor();
      assert.equal(await page.locator("main i, main b").count(), 0);
    });
  },
};
