// Uses an engine by one of the tools. Arguments: tool, address, headers as JSON.
import SwaggerParser from "@apidevtools/swagger-parser";
import { Client, fetchExchange } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { getIntrospectionQuery } from "graphql";

const [tool, address, headerText] = process.argv.slice(2);
const headers = { "Content-Type": "application/json", ...JSON.parse(headerText) };
const url = address + "/v1/graphql";
const ask = async (path, init) => (await fetch(address + path, { headers, ...init })).json();

const tools = {
  "swagger-parser": async () => Object.keys((await SwaggerParser.validate(await ask("/api/swagger/json"))).paths).sort(),
  // The normalised cache shows what a mutation has written, without another request.
  "graphcache": async () => {
    const schema = (await ask("/v1/graphql", { method: "POST", body: JSON.stringify({ query: getIntrospectionQuery() }) })).data;
    let requests = 0;
    const client = new Client({
      url, fetchOptions: { headers }, preferGetMethod: false, exchanges: [cacheExchange({ schema }), fetchExchange],
      fetch: (...args) => (requests++, fetch(...args)),
    });
    const read = async () => (await client.query("query ($id: Int!) { book_by_pk(id: $id) { id title } }", { id: 1 }).toPromise()).data.book_by_pk.title;
    const before = await read();
    await client.mutation('mutation { update_book_by_pk(pk_columns: {id: 1}, _set: {title: "Emma, again"}) { id title } }', {}).toPromise();
    return [before, await read(), requests];
  },
};
console.log(JSON.stringify(await tools[tool]()));
