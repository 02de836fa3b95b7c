// Subscribes with one of the client libraries, and prints a line of JSON for each thing that it
// is told. Arguments: library, address of the WebSocket, admin secret.
import { createClient } from "graphql-ws";
import transport from "subscriptions-transport-ws";
import WebSocket from "ws";

const [library, url, secret] = process.argv.slice(2);
const parameters = { headers: { "X-Engine-Admin-Secret": secret } };
const say = (what, value) => console.log(JSON.stringify({ what, value }));

const clients = {
  "graphql-ws": () => {
    const client = createClient({ url, webSocketImpl: WebSocket, connectionParams: parameters });
    return {
      run: (what, request) =>
        new Promise((done) => {
          client.subscribe(request, {
            next: (result) => say(what, result.data),
            error: (errors) => { say(what + " failed", errors[0].message); done(); },
            complete: done,
          });
        }),
      end: () => client.dispose(),
    };
  },
  "subscriptions-transport-ws": () => {
    const client = new transport.SubscriptionClient(url, { connectionParams: parameters }, WebSocket);
    return {
      run: (what, request) =>
        new Promise((done) => {
          client.request(request).subscribe({
            next: (result) => result.errors ? (say(what + " failed", result.errors[0].message), done()) : say(what, result.data),
            error: (error) => { say(what + " failed", error.message); done(); },
            complete: done,
          });
        }),
      end: () => client.close(),
    };
  },
};

const client = clients[library]();
client.run("live", { query: "subscription ($id: Int!) { counter_by_pk(id: $id) { value } }", variables: { id: 1 } });
await client.run("query", { query: "{ counter(where: {id: {_eq: 2}}) { id } }" });
await client.run("refused", { query: "subscription { nothing }" });
client.run("stream", { query: "subscription { line_stream(batch_size: 5, cursor: {initial_value: {id: 0}}) { text } }" });
process.stdin.on("end", () => { client.end(); process.exit(0); }).resume();
