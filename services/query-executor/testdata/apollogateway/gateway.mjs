// Runs queries through Apollo's gateway over the engine and another subgraph, whose types refer to entities of the engine. Reads {url, role,
// queries} and writes the answers.
import { readFileSync } from "node:fs";
import { composeServices } from "@apollo/composition";
import { ApolloGateway, LocalGraphQLDataSource, RemoteGraphQLDataSource } from "@apollo/gateway";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { parse } from "graphql";

const { url, role, queries } = JSON.parse(readFileSync(0, "utf8"));
const headers = { "content-type": "application/json", "x-engine-role": role };
const sdl = (await (await fetch(url, { method: "POST", headers, body: JSON.stringify({ query: "{ _service { sdl } }" }) })).json()).data._service.sdl;
const sells = parse(`
  type Query { orders: [Order!]! }
  type Order @key(fields: "id") { id: Int! customer: customer ${sdl.includes("type seat") ? "seat: seat" : ""} }
  extend type customer @key(fields: "id") { id: Int! @external orders: [Order!]! }
  ${sdl.includes("type seat") ? 'extend type seat @key(fields: "hall no") { hall: String! @external no: Int! @external }' : ""}
`);
const orders = [
  { id: 10, customer: { id: 2 }, seat: { hall: "north", no: 2 } },
  { id: 11, customer: { id: 1 }, seat: { hall: "north", no: 1 } },
  { id: 12, customer: { id: 9 }, seat: null },
  { id: 13, customer: { id: 2 }, seat: { hall: "north", no: 2 } },
];
const resolvers = {
  Query: { orders: () => orders },
  customer: { orders: (c) => orders.filter((o) => o.customer.id === c.id) },
};
const composed = composeServices([{ name: "engine", url, typeDefs: parse(sdl) }, { name: "sells", url: "http://sells", typeDefs: sells }]);
if (composed.errors) throw new Error(composed.errors.map((e) => e.message).join("\n"));
const gateway = new ApolloGateway({
  supergraphSdl: composed.supergraphSdl,
  logger: { debug() {}, info() {}, warn() {}, error() {} },
  buildService: ({ name }) =>
    name === "engine"
      ? new RemoteGraphQLDataSource({ url, willSendRequest: ({ request }) => request.http.headers.set("x-engine-role", role) })
      : new LocalGraphQLDataSource(buildSubgraphSchema({ typeDefs: sells, resolvers })),
});
const { schema, executor } = await gateway.load();
const answers = [];
for (const query of queries) {
  const answer = await executor({ document: parse(query), request: { query, variables: {} }, queryHash: query, schema, context: {}, cache: undefined, metrics: {} });
  answers.push({ data: answer.data, errors: (answer.errors ?? []).map((e) => e.message) });
}
process.stdout.write(JSON.stringify(answers));
await gateway.stop();
