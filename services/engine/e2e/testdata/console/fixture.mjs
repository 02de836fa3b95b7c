// What pages are shown with: objects of all kinds, made by the API. The server is that of the tests, see console.mjs.
import assert from "node:assert/strict";
import { graphql, html, metadata, remoteURL, serve, sql, until } from "./harness.mjs";

/** webhook answers 500 at /broken and below it, and 200 at any other path, while use runs. What it says is HTML, unless it is given. */
export async function webhook(use, said = html) {
  await serve((request, response) => {
    request.resume().on("end", () => {
      response.statusCode = request.url.startsWith("/broken") ? 500 : 200;
      response.end(JSON.stringify({ said: `${said} at ${request.url}` }));
    });
  }, use);
}

const author = { source: "default", table: "author" };
const article = { source: "default", table: "article" };
export const stored = "query Authors {\n  author(limit: 2) {\n    name\n  }\n}";

/** shop makes an object of each kind, with webhooks at an address; that of the event trigger fails. */
export async function shop(address) {
  await metadata("pg_create_array_relationship", { ...author, name: "articles", using: { foreign_key_constraint_on: { table: "article", column: "author_id" } } });
  await metadata("set_custom_types", { objects: [{ name: "Review", description: "What a reader thinks of an author", fields: [{ name: "author_id", type: "Int!" }, { name: "text", type: "String" }] }] });
  await metadata("create_action", { name: "review", definition: { handler: `${address}/review`, arguments: [{ name: "author_id", type: "Int!" }], output_type: "Review" } });
  await metadata("create_action_permission", { action: "review", role: "reader" });
  await metadata("add_remote_schema", { name: "charts", definition: { url: remoteURL } });
  await metadata("pg_create_event_trigger", { ...author, name: "author_changed", webhook: `${address}/broken`, insert: { columns: "*" } });
  await graphql('mutation { insert_author(objects: [{name: "Cleo"}, {name: "Dora"}]) { affected_rows } }');

  await sql("CREATE FUNCTION found_authors(part text) RETURNS SETOF author LANGUAGE sql STABLE AS $$ SELECT * FROM author WHERE name LIKE part || '%' $$");
  await metadata("pg_track_function", { function: "found_authors" });
  await metadata("pg_create_function_permission", { function: "found_authors", role: "reader" });
  const writer = { ...article, role: "writer" };
  await metadata("pg_create_select_permission", { ...writer, permission: { columns: ["id", "title"], filter: { author_id: { _eq: "x-engine-user-id" } }, limit: 20 } });
  await metadata("pg_create_insert_permission", { ...writer, permission: { columns: ["title"], check: {}, set: { author_id: "x-engine-user-id" } } });
  await metadata("create_query_collection", { name: "app", definition: { queries: [{ name: "Authors", query: stored }] } });
  await metadata("create_rest_endpoint", { name: "Authors", url: "authors", methods: ["GET"], definition: { query: { collection_name: "app", query_name: "Authors" } } });
}

/** long is a name as long as PostgreSQL has them, in which nothing can be wrapped. */
export const long = "a_name_of_sixty_three_letters_which_is_as_long_as_names_may_be_";

/** hostile makes more objects of all kinds, whose names, comments and values are HTML wherever the server takes that, and long. */
export async function hostile(address) {
  await sql(`COMMENT ON TABLE author IS '${html}'; COMMENT ON FUNCTION found_authors IS '${html}';
    CREATE TABLE ${long} (id serial PRIMARY KEY, "${long}" text, author_id int REFERENCES author);
    INSERT INTO ${long} ("${long}") VALUES (repeat('long', 200));
    CREATE TABLE bare (id int PRIMARY KEY);
    CREATE FUNCTION author_text(author_row author) RETURNS text LANGUAGE sql STABLE AS $$ SELECT author_row.name $$;`);
  await metadata("pg_track_tables", { tables: ["<b>odd</b>", long].map((name) => ({ source: "default", table: { schema: "public", name }, configuration: name === long ? {} : { custom_name: "odd" } })) });
  await metadata("pg_add_computed_field", { ...author, name: "shown_as", definition: { function: "author_text" }, comment: html });
  await metadata("pg_create_object_relationship", { ...article, name: "author", using: { foreign_key_constraint_on: "author_id" }, comment: html });
  await metadata("pg_create_select_permission", { ...author, role: html, permission: { columns: ["name"], filter: { name: { _neq: html } } }, comment: html });
  await metadata("add_inherited_role", { role_name: "<i>all</i>", role_set: ["reader", html] });
  await metadata("update_action", { name: "review", comment: html, definition: { handler: `${address}/review`, arguments: [{ name: "author_id", type: "Int!" }], output_type: "Review" } });
  await metadata("set_custom_types", { objects: [{ name: "Review", description: html, fields: [{ name: "author_id", type: "Int!", description: html }, { name: "text", type: "String" }] }] });
  await metadata("update_remote_schema", { name: "charts", definition: { url: remoteURL }, comment: html });
  await metadata("pg_track_logical_model", { source: "default", name: "counted", fields: [{ name: "n", type: { scalar: "bigint", nullable: true } }], description: html });
  await metadata("pg_track_native_query", { source: "default", root_field_name: "count_them", returns: "counted", code: `SELECT count(*) AS n /* ${html} */ FROM author`, description: html });
  await metadata("create_cron_trigger", { name: "<b>nightly</b>", webhook: `${address}/nightly`, schedule: "0 3 * * *", include_in_metadata: true, payload: { text: html }, comment: html });
  await metadata("create_scheduled_event", { webhook: `${address}/broken/once`, schedule_at: new Date().toISOString(), payload: { text: html }, comment: html });
  await metadata("create_query_collection", { name: html, definition: { queries: [{ name: html, query: "query Hostile { __typename }", tool: { name: "hostile", title: html, description: html } }], prompts: [{ name: html, description: html, text: html }] } });
  await graphql(`mutation { insert_author_one(object: {name: ${JSON.stringify(html)}}) { id } }`);
  await until(async () => (await metadata("pg_get_event_logs", { name: "author_changed", status: "processed" })).some((e) => JSON.stringify(e).includes(html)), "the webhook wasn't called");
}

/** missing makes the metadata inconsistent: a table goes that is tracked. */
export async function missing() {
  await sql("CREATE TABLE going (id int PRIMARY KEY)");
  await metadata("pg_track_table", { source: "default", table: "going" });
  await sql("DROP TABLE going", false, false);
  await metadata("reload_metadata", { reload_sources: true });
  assert.equal((await metadata("get_inconsistent_metadata", {})).is_consistent, false);
}
