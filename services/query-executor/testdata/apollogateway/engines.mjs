// Composes engines into one graph and runs queries through Apollo's gateway. Reads {subgraphs: [{name, url, role}], queries}, and writes the
// fields of each type of the graph, and the answers.
import { readFileSync } from "node:fs";
import { composeServices } from "@apollo/composition";
import { ApolloGateway, RemoteGraphQLDataSource } from "@apollo/gateway";
import { parse } from "graphql";

const { subgraphs, queries } = JSON.parse(readFileSync(0, "utf8"));
const text = async ({ url, role }) => {
  const headers = { "content-type": "application/json", "x-engine-role": role };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query: "{ _service { sdl } }" }) });
  return parse((await answer.json()).data._service.sdl);
};
const services = await Promise.all(subgraphs.map(async (s) => ({ name: s.name, url: s.url, typeDefs: await text(s) })));
const composed = composeServices(services);
if (composed.errors) throw new Error(composed.errors.map((e) => e.message).join("\n"));
const gateway = new ApolloGateway({
  supergraphSdl: composed.supergraphSdl,
  logger: { debug() {}, info() {}, warn() {}, error() {} },
  buildService: ({ name, url }) =>
    new RemoteGraphQLDataSource({
      url, willSendRequest: ({ request }) => request.http.headers.set("x-engine-role", subgraphs.find((s) => s.name === name).role),
    }),
});
const { schema, executor } = await gateway.load();
const answers = [];
for (const query of queries) {
  const answer = await executor({ document: parse(query), request: { query, variables: {} }, queryHash: query, schema, context: {}, cache: undefined, metrics: {} });
  answers.push({ data: answer.data, errors: (answer.errors ?? []).map((e) => e.message) });
}
const fields = Object.keys(schema.getType("customer").getFields()).sort();
const tags = [...composed.supergraphSdl.matchAll(/@tag\(name: "([a-z]+)"\)/g)].map(([, name]) => name).sort();
process.stdout.write(JSON.stringify({ fields, tags, answers }));
await gateway.stop();
