// Tests of the types of PostgreSQL in the grid of rows: values are found by what is shown of them, and copied as the database has them.
import assert from "node:assert/strict";
import { cell, closed, made, pending } from "./grid.mjs";
import { condition, exporting, opened, signIn, sql, until } from "./harness.mjs";

const rows = (page) => page.getByRole("grid", { name: "Rows", exact: true });

/** types are types with two values that differ, as SQL. */
const types = {
  small: ["smallint", "-32768", "1"], whole: ["int", "2147483647", "1"], big: ["bigint", "9007199254740993", "9007199254740992"], scaled: ["numeric(30,10)", "12345678901234567890.0123456789", "12345678901234567890.0123456788"],
  unbounded: ["numeric", "1.10", "1.2"], nan: ["numeric", "'NaN'", "0"], endless: ["numeric", "'-Infinity'", "'Infinity'"], single: ["real", "1.1", "'NaN'"], double: ["float8", "0.1", "0.2"], endless_double: ["float8", "'Infinity'", "'-Infinity'"], nan_double: ["float8", "'NaN'", "1"],
  cash: ["money", "'-1234567.89'", "'1'"], truth: ["boolean", "true", "false"],
  plain: ["text", `'a "b" <i>c</i>, d'`, "'a'"], empty: ["text", "''", "' '"], word: ["varchar(20)", "'NULL'", "''"], padded: ["char(5)", "'ab'", "'abc'"], letter: ['"char"', "'x'", "'y'"], named: ["name", "'a b'", "'c'"], folded: ["citext", "'MiXed'", "'other'"],
  lines: ["text", "E'a\\nb'", "'a'"], windows: ["text", "E'a\\r\\nb\\r\\n'", "E'a\\r\\nb'"], classic: ["varchar", "E'a\\rb'", "'ab'"],
  bytes: ["bytea", "'\\xdeadbeef00'", "'\\xde'"], bits: ["bit(5)", "B'10101'", "B'10100'"], more_bits: ["varbit", "B'101'", "B'1010'"],
  day: ["date", "'2024-02-29'", "'2024-03-01'"], never: ["date", "'infinity'", "'-infinity'"], hour: ["time", "'12:34:56.789012'", "'12:34:56.789013'"], hour_there: ["timetz", "'12:34:56.789012+05:30'", "'12:34:56.789012+05'"],
  moment: ["timestamp", "'2024-02-29 12:34:56.789012'", "'2024-02-29 12:34:56'"], moment_there: ["timestamptz", "'2024-02-29 12:34:56.789012+02'", "'2024-02-29 12:34:56+02'"], ancient: ["timestamptz", "'0044-03-15 12:00:00+00 BC'", "'0044-03-15 12:00:00+00'"],
  span: ["interval", "'1 year 2 mons -3 days 04:05:06.789'", "'1 day'"], back: ["interval", "'-00:00:00.000001'", "'0'"],
  address: ["inet", "'10.0.0.1/8'", "'::1'"], network: ["cidr", "'10.0.0.0/8'", "'10.0.0.0/9'"], card: ["macaddr", "'08:00:2b:01:02:03'", "'08:00:2b:01:02:04'"], card8: ["macaddr8", "'08:00:2b:01:02:03:04:05'", "'08:00:2b:01:02:03:04:06'"],
  id128: ["uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12'"],
  written: ["json", `' {"b":  1.10,\n"a" : [ ],"a":9007199254740993}'`, `'{"b": 1.10}'`], json_null: ["json", "'null'", `'"null"'`], json_text: ["json", `'"a, b"'`, "'1'"],
  parsed: ["jsonb", `'{"a": 1.10, "big": 9007199254740993}'`, `'{"a": 1.10, "big": 9007199254740992}'`], parsed_null: ["jsonb", "'null'", `'"null"'`], parsed_text: ["jsonb", `'"null"'`, "'null'"], parsed_list: ["jsonb", "'[null, [], 1.0]'", "'[]'"],
  document: ["xml", `'<a b="1">t&amp;<c/>  </a>'`, "'<a/>'"], words: ["tsvector", `'a:1A "b c":2'`, "'a:1'"], query: ["tsquery", "'a & !b'", "'a'"], path_of: ["jsonpath", "'$.a[*]'", "'$.a'"],
  mood: ["types_mood", `'a "b", <i>c</i>'`, "'sad'"], feeling: ["types_feeling", "'sad'", "'ok'"], sku: ["types_sku", `'a "b" c'`, "'a'"], positive: ["types_positive", "5", "6"], price: ["types_price", "1.10", "1.2"], doc: ["types_doc", `'{"a":  1}'`, `'{"a": 1}'`], doc_b: ["types_doc_b", `'{"a": 1}'`, `'{"a": 2}'`],
  some: ["types_some", "'{1,2}'", "'{1}'"], couple: ["types_couple", `'(1,"x, (y)")'`, "'(1,x)'"], span_of: ["types_span", "'[1,5)'", "'[1,6)'"],
  pair: ["types_pair", `'(1,"x, ""(y)"" \\\\")'`, "'(1,)'"], hollow: ["types_pair", "'(,)'", "'(,\"\")'"], nest: ["types_nest", `ROW(ROW(1, 'a "b"')::types_pair, ARRAY[1,NULL], 'a=>1, b=>NULL', '{"k": null}', '(1,2)')`, "ROW(ROW(1, 'a')::types_pair, '{}', NULL, 'null', NULL)"],
  pairs: ["types_pair[]", `ARRAY[ROW(1, 'a "b" \\')::types_pair, NULL]`, "'{}'"], nests: ["types_nest[]", `ARRAY[ROW(ROW(NULL, '')::types_pair, '[0:0]={7}', 'x=>1', '1.10', NULL)::types_nest, NULL]`, "ARRAY[NULL]::types_nest[]"],
  attributes: ["hstore", `'a=>1, "b c"=>NULL, "d\\"e"=>"x=>y, <i>z</i>", ""=>""'`, "'a=>1'"], no_attributes: ["hstore", "''", "'a=>NULL'"], attribute_lists: ["hstore[]", "ARRAY['a=>1'::hstore, NULL]", "ARRAY['a=>2'::hstore]"],
  label: ["ltree", "'Top.Science.Astronomy'", "'Top'"], labels: ["ltree[]", "'{a.b,c}'", "'{a}'"], pattern: ["lquery", "'*.a'", "'a'"],
  between: ["int4range", "'[1,10)'", "'[1,11)'"], between_big: ["int8range", "'[9007199254740993,)'", "'(,1)'"], amount: ["numrange", "'(1.10,2.50]'", "'[1.10,2.50]'"], none_of: ["int4range", "'empty'", "'[1,2)'"], during: ["tsrange", "'[2024-01-01 00:00,2024-01-02 12:00]'", "'[2024-01-01 00:00,)'"], during_there: ["tstzrange", "'[2024-01-01 00:00+00,)'", "'(2024-01-01 00:00+00,)'"], days: ["daterange", "'[2024-01-01,2024-02-01)'", "'[2024-01-01,)'"],
  several: ["int4multirange", "'{[1,3),[5,7)}'", "'{}'"], several_none: ["nummultirange", "'{}'", "'{[1,2]}'"], several_times: ["tstzmultirange", "'{[2024-01-01 00:00+00,2024-01-02 00:00+00)}'", "'{}'"],
  list: ["int[]", "'{1,2,NULL}'", "'{1,2}'"], none: ["int[]", "'{}'", "'{NULL}'"], plane: ["int[][]", "'{{1,2},{3,NULL}}'", "'{{1,2}}'"], space: ["text[][][]", `'{{{"a,b","NULL"}},{{NULL,""}}}'`, "'{{{a}}}'"], from_zero: ["int[]", "'[0:1]={7,8}'", "'{7,8}'"], texts: ["text[]", `ARRAY['a,b', 'c"d', NULL, '', 'NULL', '{']`, "'{a}'"],
  digits: ["numeric[]", "'{1.10,NaN,-Infinity}'", "'{1.2}'"], documents: ["jsonb[]", `ARRAY['{"a":1.10}'::jsonb]`, `ARRAY['{"a":1.2}'::jsonb]`], nulls: ["jsonb[]", "ARRAY['null'::jsonb, NULL, '[]']", "ARRAY[NULL, NULL, '[]'::jsonb]"], raw_documents: ["json[]", `ARRAY['null'::json, NULL, '{"a":  1}']`, "ARRAY[]::json[]"], blobs: ["bytea[]", "ARRAY['\\xdead'::bytea, NULL, '']", "ARRAY[''::bytea]"],
  spans: ["interval[]", "ARRAY['1 day 00:00:01'::interval, NULL]", "'{}'"], moments: ["timestamptz[]", "'{2024-01-01 00:00+00,infinity}'", "'{infinity}'"], sums: ["money[]", "ARRAY['1234.50'::money]", "'{1}'"], flags: ["bit(3)[]", "ARRAY[B'101', NULL]", "ARRAY[B'100']"], moods: ["types_mood[]", "'{sad,ok}'", "'{sad}'"], truths: ["boolean[]", "'{t,f,NULL}'", "'{t}'"], ids: ["uuid[]", "'{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}'", "'{}'"], ranges: ["int4range[]", `'{"[1,2)",NULL}'`, "'{}'"],
  spot: ["point", "'(1,-2.5)'", "'(1,2)'"], edge: ["line", "'{1,2,3}'", "'{1,2,4}'"], stretch: ["lseg", "'[(1,2),(3,4)]'", "'[(1,2),(3,5)]'"], frame: ["box", "'(3,4),(1,2)'", "'(2,2),(0,0)'"], way: ["path", "'[(1,2),(3,4)]'", "'[(0,0),(9,9)]'"], loop: ["path", "'((1,2),(3,4))'", "'[(1,2),(3,4)]'"], shape: ["polygon", "'((1,2),(3,4),(5,6))'", "'((1,2),(3,4),(5,7))'"], ring: ["circle", "'<(1,2),3>'", "'<(0,0),3>'"], spots: ["point[]", `'{"(1,2)","(3,4)"}'`, "'{}'"], frames: ["box[]", "'{(3,4),(1,2);(2,2),(0,0)}'", "'{}'"],
  object: ["oid", "4000000000", "1"], relation: ["regclass", "'pg_class'", "'pg_type'"], place: ["pg_lsn", "'16/B374D848'", "'0/0'"], transaction: ["xid8", "'7'", "'8'"], seen: ["pg_snapshot", "'10:20:10,14'", "'10:20:10'"], tuple: ["tid", "'(1,2)'", "'(1,3)'"], numbers: ["int2vector", "'1 2'", "'1'"],
};

/** spatial are those of PostGIS, where the machine has it. */
const spatial = {
  bare: ["geometry", "'POINT(1 2)'", "'POINT(1 3)'"], site: ["geometry(Point,4326)", "'SRID=4326;POINT(1.12345678901234 2)'", "'SRID=4326;POINT(1.12345678901235 2)'"], area: ["geometry", "'SRID=4326;POLYGON((0 0,1 0,1 1.5,0 0))'", "'SRID=4326;POLYGON((0 0,1 0,1 2,0 0))'"], globe: ["geography(Point)", "'POINT(1.5 2)'", "'POINT(1.5 3)'"], sites: ["geometry[]", "ARRAY['SRID=4326;POINT(1 2)'::geometry, NULL]", "'{}'"],
};

/** texts are those that patterns are for: that of a char loses its blanks in PostgreSQL, and names have none. */
const texts = ["plain", "empty", "word", "folded", "lines", "windows", "classic", "sku"];

/** unordered are those that can't be sorted by; the null of JSON, which < takes for NULL; and a shape, which it takes for one of WGS 84. */
const unordered = ["written", "json_null", "json_text", "document", "path_of", "doc", "nest", "nests", "attributes", "no_attributes", "pattern", "raw_documents", "spot", "edge", "stretch", "frame", "way", "loop", "shape", "ring", "spots", "frames", "seen", "numbers", "parsed_null", "bare"];

/** portion is how many conditions are set at once: as many as a link can have. */
const portion = 50;

const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

/** inList is a value as one of a list. */
const inList = (text) => `"${text.replaceAll('"', '""')}"`;

/** asPattern is a pattern that matches a text alone. */
const asPattern = (text) => text.replaceAll(/[\\%_]/g, "\\$&");

/**
 * conditionsOn are conditions by the rows that they find, by the value that is shown in the first row. The second one has another value, which
 * is larger in some columns, and the third has NULL.
 */
async function conditionsOn(names, shown) {
  const ordered = names.filter((n) => !unordered.includes(n));
  const [larger] = await sql(`SELECT ${ordered.map((n) => `(SELECT id = 2 FROM types_all WHERE id < 3 ORDER BY "${n}" DESC LIMIT 1)`).join(", ")}`);
  const on = (columns, operator, as = (text) => text) => columns.map((column) => ({ column, operator, value: as(shown[column]) }));
  return {
    1: [...on(names, "="), ...on(names, "one of", inList), ...on(texts, "like", asPattern)],
    2: [...on(names, "<>"), ...ordered.flatMap((n, i) => on([n], larger[i] === "t" ? ">" : "<"))],
    3: names.filter((n) => n !== "hollow").map((column) => ({ column, operator: "is NULL" })), // SQL takes a row of NULLs for NULL
  };
}

/** isAsked reports whether a request reads the rows that conditions let through. */
function isAsked({ type, args }, any, conditions) {
  const list = args?.where?.[any ? "_or" : "_and"] ?? [];
  return type === "select" && list.length === conditions.length && list.every((rule, i) => JSON.stringify(rule).includes(`"${conditions[i].column}":`));
}

/** fieldsOf are the fields of the first line of CSV after its head. */
function fieldsOf(csv) {
  const lines = [[]];
  for (const [, quotes, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    lines.at(-1).push(quotes === undefined ? plain || null : quotes.replaceAll('""', '"'));
    if (end !== ",") lines.push([]);
  }
  return lines[1];
}

export const tests = {
  async "Types: values are found by what is shown of them, and copied as they are"({ page, context }) {
    const extensions = (await sql("SELECT name FROM pg_available_extensions WHERE name IN ('hstore', 'ltree', 'citext', 'postgis')")).map(([name]) => name);
    const all = extensions.includes("postgis") ? { ...types, ...spatial } : types;
    const names = Object.keys(all);
    await sql(extensions.map((e) => `CREATE EXTENSION IF NOT EXISTS ${e}`).join(";"));
    await sql(`CREATE TYPE types_mood AS ENUM ('sad', 'ok', 'a "b", <i>c</i>'); CREATE TYPE types_pair AS (a int, b text); CREATE TYPE types_nest AS (pair types_pair, list int[], attributes hstore, doc json, spot point);
      CREATE DOMAIN types_feeling AS types_mood; CREATE DOMAIN types_sku AS text CHECK (VALUE <> ''); CREATE DOMAIN types_positive AS int CHECK (VALUE > 0); CREATE DOMAIN types_price AS numeric(10,2); CREATE DOMAIN types_doc AS json; CREATE DOMAIN types_doc_b AS jsonb; CREATE DOMAIN types_some AS int[]; CREATE DOMAIN types_couple AS types_pair; CREATE DOMAIN types_span AS int4range`);
    try {
      await made(`CREATE TABLE types_all (id int PRIMARY KEY, ${names.map((n) => `"${n}" ${all[n][0]}`).join(", ")});
        INSERT INTO types_all VALUES ${[1, 2].map((i) => `(${i}, ${names.map((n) => all[n][i]).join(", ")})`).join(", ")}; INSERT INTO types_all (id) VALUES (3)`, ["types_all"], async () => {
        await signIn(page);
        await page.setViewportSize({ width: 200 * (names.length + 3), height: 800 }); // columns that aren't visible aren't drawn
        await opened(page, "types_all", "Rows");
        await until(async () => (await rows(page).getByRole("columnheader").count()) === names.length + 2, "all columns are drawn");
        const cells = await rows(page).locator('[aria-rowindex="2"] [aria-colindex]').evaluateAll((list) => list.map((e) => [Number(e.getAttribute("aria-colindex")), e.textContent]));
        const heads = await rows(page).getByRole("columnheader").evaluateAll((list) => list.map((e) => [Number(e.getAttribute("aria-colindex")), e.title]));
        const shown = Object.fromEntries(heads.map(([at, name]) => [name, cells.find(([c]) => c === at)?.[1]]));
        await page.setViewportSize({ width: 1280, height: 800 });

        // Copies are what the database says.
        await context.grantPermissions(["clipboard-read", "clipboard-write"]);
        const copied = async (name) => {
          await page.evaluate(() => navigator.clipboard.writeText(""));
          await exporting(page, name);
          await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) !== "", name);
          return page.evaluate(() => navigator.clipboard.readText());
        };
        const [, ...fields] = fieldsOf(await copied("Copy as CSV"));
        const json = quoted(await copied("Copy as JSON"));
        const isSpatial = (n) => /^geo/.test(all[n][0]);
        // Elements of arrays of shapes have their own form of JSON.
        const inJSON = (n) => (isSpatial(n) ? (all[n][0].endsWith("[]") ? `jsonb_array_length(j->'${n}') = cardinality("${n}")` : `j->'${n}' = ST_AsGeoJSON("${n}", 15, 4)::jsonb`) : `j->'${n}' = to_jsonb("${n}")`);
        const inCSV = (n, i) => (isSpatial(n) ? "true" : `${fields[i] === null ? "NULL" : quoted(fields[i])}::${all[n][0]}::text = "${n}"::text`);
        const [answers] = await sql(`SELECT ${names.map((n, i) => `coalesce(${inJSON(n)}, false), coalesce(${inCSV(n, i)}, false)`).join(", ")} FROM types_all, (SELECT ${json}::jsonb->0 AS j) c WHERE id = 1`);
        assert.deepEqual(names.filter((_, i) => answers[2 * i] !== "t"), [], "copied as JSON");
        assert.deepEqual(names.filter((_, i) => answers[2 * i + 1] !== "t").map((n) => [n, fields[names.indexOf(n)]]), [], "copied as CSV");

        // By an address, as a link has it: each condition finds one row alone when it does so together with others, whether all have to hold or any.
        for (const [id, conditions] of Object.entries(await conditionsOn(names, shown))) {
          for (let from = 0; from < conditions.length; from += portion) {
            const list = conditions.slice(from, from + portion);
            for (const any of [false, true]) {
              const answer = page.waitForResponse((r) => r.url().endsWith("/query") && isAsked(r.request().postDataJSON(), any, list));
              await page.evaluate((to) => (location.hash = to), `rows=${Buffer.from(JSON.stringify({ filters: { any, list } })).toString("base64url")}`);
              const body = await (await answer).json();
              assert.deepEqual(Array.isArray(body) ? body.map((r) => String(r.id)) : body, [id], `${any ? "any" : "all"} of ${JSON.stringify(list)}`);
            }
          }
        }
        await page.evaluate(() => (location.hash = ""));
        await page.getByLabel("Column of filter 1").waitFor({ state: "detached" });

        // By hand.
        const ids = (list) => until(async () => (await rows(page).getByRole("rowheader").allTextContents()).join() === list, `the rows ${list}`);
        for (const name of ["lines", "windows", "classic", "written", "json_null", "parsed_null", "nests", "from_zero", "frame"]) {
          await condition(page, 1, name, "=", shown[name]);
          await ids("1");
          await condition(page, 1, name, "is NULL");
          await ids("3");
        }
      });
    } finally {
      await sql("DROP DOMAIN IF EXISTS types_feeling, types_sku, types_positive, types_price, types_doc, types_doc_b, types_some, types_couple, types_span; DROP TYPE IF EXISTS types_nest, types_mood, types_pair", true);
    }
  },

  async "Types: a shape without a reference system is found by its GeoJSON, and gets none"({ page }) {
    if ((await sql("SELECT 1 FROM pg_available_extensions WHERE name = 'postgis'")).length === 0) return;
    await sql("CREATE EXTENSION IF NOT EXISTS postgis");
    await made(`CREATE TABLE types_shape (id int PRIMARY KEY, shape geometry);
      INSERT INTO types_shape VALUES (1, 'POINT(1 2)'), (2, 'SRID=4326;POINT(1 2)'), (3, 'SRID=3857;POINT(1 2)'), (4, 'POINT(3 4)'), (5, NULL)`, ["types_shape"], async () => {
      await signIn(page);
      await opened(page, "types_shape", "Rows");
      const bare = '{"type":"Point","coordinates":[1,2]}';
      const in3857 = '{"type":"Point","crs":{"type":"name","properties":{"name":"EPSG:3857"}},"coordinates":[1,2]}';
      const ids = (list) => until(async () => (await rows(page).getByRole("rowheader").allTextContents()).join() === list, `the rows ${list}`);
      for (const [operator, value, list] of [
        ["=", bare, "1,2"], ["<>", bare, "3,4"], ["one of", inList(bare), "1,2"], ["none of", inList(bare), "3,4"], ["=", in3857, "3"], ["<>", in3857, "1,2,4"], ["one of", `${inList(bare)}, ${inList(in3857)}`, "1,2,3"],
      ]) {
        await condition(page, 1, "shape", operator, value);
        await ids(list);
      }
      await page.getByRole("button", { name: "Clear filters" }).click();
      await ids("1,2,3,4,5");
      for (const row of [1, 2, 5]) {
        const open = await cell(page, row, "shape");
        await open.getByRole("textbox").fill('{"type":"Point","coordinates":[5,6]}');
        await open.getByRole("textbox").press("Enter");
        await closed(page, "shape");
      }
      await page.keyboard.press("Control+s");
      await pending(page).waitFor({ state: "detached" });
      assert.deepEqual(await sql("SELECT ST_AsEWKT(shape) FROM types_shape WHERE id IN (1, 2, 5) ORDER BY id"), [["POINT(5 6)"], ["SRID=4326;POINT(5 6)"], ["SRID=4326;POINT(5 6)"]]);
    });
  },
};
