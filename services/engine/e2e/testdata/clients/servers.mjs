// Serves a schema with subscriptions with one of the server libraries, over HTTP and WebSockets
// at one address, which it prints. Argument: library.
import { createServer } from "node:http";
import { buildSchema, execute, graphql, subscribe } from "graphql";
import { useServer } from "graphql-ws/use/ws";
import transport from "subscriptions-transport-ws";
import { WebSocketServer } from "ws";

const library = process.argv[2];
const schema = buildSchema("type Query { ready: Boolean } type Subscription { count(to: Int!): Count who: String } type Count { value: Int! }");
async function* count({ to }) {
  for (let value = 1; value <= to; value++) yield { count: { value } };
  if (to === 0) await new Promise(() => {});
}
async function* who(_, context) {
  yield { who: context.headers["x-engine-role"] };
}
const rootValue = { ready: true, count, who };

const http = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk)).on("end", async () => {
    const { query, variables, operationName } = JSON.parse(body);
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(await graphql({ schema, rootValue, source: query, variableValues: variables, operationName })));
  });
});
switch (library) {
  case "graphql-ws":
    useServer({ schema, roots: { query: rootValue, subscription: rootValue }, context: (c) => c.connectionParams }, new WebSocketServer({ server: http }));
    break;
  case "subscriptions-transport-ws":
    transport.SubscriptionServer.create({ schema, rootValue, execute, subscribe, onConnect: (parameters) => parameters, keepAlive: 500 }, { server: http });
    break;
}
http.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + http.address().port));
process.stdin.on("end", () => process.exit(0)).resume();
