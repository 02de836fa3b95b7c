// Queries, writes and subscribes with one of the client libraries, as its users set it up, and
// prints a line of JSON for each thing that it is told. Arguments: library, address of the
// engine, admin secret.
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, gql } from "@apollo/client";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { Client, fetchExchange, subscriptionExchange } from "@urql/core";
import { createClient as createEventsClient } from "graphql-sse";
import { createClient } from "graphql-ws";
import transport from "subscriptions-transport-ws";
import WebSocket from "ws";

globalThis.WebSocket ??= WebSocket; // Apollo expects the one of browsers
const [library, address, secret] = process.argv.slice(2);
const url = address + "/v1/graphql";
const socket = url.replace(/^http/, "ws");
const headers = { "X-Engine-Admin-Secret": secret };
const say = (what, value) =>
  console.log(JSON.stringify({ what, value }, (key, inner) => (key === "__typename" ? undefined : inner)));

// told is fetch, which also says of what type the answers of queries and mutations are.
const told = async (input, init) => {
  const answer = await fetch(input, init);
  if (!JSON.parse(init.body).query.startsWith("subscription")) say("type", answer.headers.get("content-type"));
  return answer;
};

// sink gives what a library's own callbacks expect, and says what comes.
const sink = (what, done) => ({
  next: (result) => (result.errors ? (say(what + " failed", result.errors[0].message), done()) : say(what, result.data)),
  error: (errors) => { say(what + " failed", (Array.isArray(errors) ? errors[0] : errors).message); done(); },
  complete: done,
});

const overSocket = () => createClient({ url: socket, webSocketImpl: WebSocket, connectionParams: { headers } });

const urql = (exchanges, settings) => {
  const client = new Client({ url, fetch: told, fetchOptions: { headers }, preferGetMethod: false, exchanges, ...settings });
  return {
    run: (what, { query, variables }) =>
      new Promise((done) => {
        const kind = /^(mutation|subscription)/.exec(query)?.[0] ?? "query";
        client[kind](query, variables ?? {}).subscribe((result) => {
          if (result.error) say(what + " failed", (result.error.graphQLErrors[0] ?? result.error).message);
          else if (result.data) say(what, result.data);
          if (result.error || kind !== "subscription") done();
        });
      }),
  };
};

const clients = {
  "graphql-ws": () => {
    const client = overSocket();
    return { run: (what, request) => new Promise((done) => client.subscribe(request, sink(what, done))) };
  },
  "subscriptions-transport-ws": () => {
    const client = new transport.SubscriptionClient(socket, { connectionParams: { headers } }, WebSocket);
    return { run: (what, request) => new Promise((done) => client.request(request).subscribe(sink(what, done))) };
  },
  "graphql-sse": () => {
    const client = createEventsClient({ url, headers });
    return { run: (what, request) => new Promise((done) => client.subscribe(request, sink(what, done))) };
  },
  urql: () => {
    const client = overSocket();
    return urql([fetchExchange, subscriptionExchange({
      forwardSubscription: (request) => ({ subscribe: (to) => ({ unsubscribe: client.subscribe(request, to) }) }),
    })]);
  },
  "urql without WebSockets": () => urql([fetchExchange], { fetchSubscriptions: true }),
  Apollo: () => {
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: ApolloLink.split(
        ({ query }) => query.definitions.some((d) => d.operation === "subscription"),
        new GraphQLWsLink(overSocket()),
        new HttpLink({ uri: url, headers, fetch: told }),
      ),
    });
    return {
      run: (what, { query, variables }) =>
        new Promise((done) => {
          const document = gql(query);
          const failed = (error) => { say(what + " failed", (error.errors?.[0] ?? error).message); done(); };
          if (query.startsWith("subscription")) {
            client.subscribe({ query: document, variables }).subscribe({
              next: (result) => (result.error ? failed(result.error) : say(what, result.data)), error: failed, complete: done,
            });
            return;
          }
          const answer = query.startsWith("mutation") ? client.mutate({ mutation: document, variables }) : client.query({ query: document, variables });
          answer.then((result) => { say(what, result.data); done(); }, failed);
        }),
    };
  },
};

const client = clients[library]();
client.run("live", { query: "subscription ($id: Int!) { counter_by_pk(id: $id) { value } }", variables: { id: 1 } });
await client.run("query", { query: "query { counter(where: {id: {_eq: 2}}) { id } }" });
await client.run("refused", { query: "subscription { nothing }" });
await client.run("broken", { query: "mutation { insert_counter_one(object: {id: 1}) { id } }" });
client.run("stream", { query: "subscription { line_stream(batch_size: 5, cursor: {initial_value: {id: 0}}) { text } }" });
process.stdin.on("end", () => process.exit(0)).resume();
