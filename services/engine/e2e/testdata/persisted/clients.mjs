// Queries with one of the client libraries that name documents instead of sending them, and prints how each request was made and the
// answers, as lines of JSON. Arguments: library, address of the engine, headers as JSON.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, gql } from "@apollo/client";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { Client, fetchExchange } from "@urql/core";
import { persistedExchange } from "@urql/exchange-persisted";
import relay from "relay-runtime";

const [library, address, headerText] = process.argv.slice(2);
const headers = JSON.parse(headerText);
const url = address + "/v1/graphql";
const say = (what, value) => console.log(JSON.stringify({ what, value }));
const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const titles = "query Titles($id: Int!) { book(where: { id: { _eq: $id } }) { title } }";

// told is fetch, which also says how a request names its document.
const told = async (input, init) => {
  const request = init.method === "GET" ? Object.fromEntries(new URL(input).searchParams) : JSON.parse(init.body);
  const named = ["query", "documentId", "extensions"].filter((key) => request[key]);
  say("request", [init.method ?? "GET", ...named]);
  return fetch(input, init);
};

const apollo = (settings) => async () => {
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    link: ApolloLink.from([
      new PersistedQueryLink({ sha256, ...settings }),
      new HttpLink({ uri: url, fetch: told, headers }),
    ]),
  });
  for (const id of [1, 2]) say("answer", (await client.query({ query: gql(titles), variables: { id } })).data.book[0].title);
};

const urql = (settings) => async () => {
  const client = new Client({
    url, fetch: told, fetchOptions: { headers }, preferGetMethod: false,
    exchanges: [persistedExchange({ generateHash: async (text) => sha256(text), ...settings }), fetchExchange],
  });
  for (const id of [1, 2]) {
    const { data, error } = await client.query(titles, { id }).toPromise();
    say("answer", error ? String(error) : data.book[0].title);
  }
};

// generatedHash is __meta__.hash of the document that GraphQL Code Generator wrote. Node.js 20 can't import TypeScript: it is read from the file.
const generatedHash = () => /"__meta__":\{"hash":"([^"]+)"/.exec(readFileSync("gql/graphql.ts", "utf8"))[1];

const byId = async (endpoint, documentId, variables) => {
  const answer = await told(address + endpoint, {
    method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify({ documentId, variables }),
  });
  return answer.json();
};

const clients = {
  "Apollo": apollo({}),
  "Apollo by GET": apollo({ useGETForHashedQueries: true }),
  "urql": urql({ preferGetForPersistedQueries: false }),
  "urql by GET": urql({ preferGetForPersistedQueries: true }),
  "urql, trusted": urql({
    preferGetForPersistedQueries: true, enforcePersistedQueries: true, generateHash: async () => generatedHash(),
  }),
  "GraphQL Code Generator": async () => {
    for (const id of [1, 2]) say("answer", (await byId("/v1/graphql", generatedHash(), { id })).data.book[0].title);
  },
  "Relay": async () => {
    const query = (await import("./relay/__generated__/BooksQuery.graphql.js")).default;
    const environment = new relay.Environment({
      network: relay.Network.create(({ id, text }, variables) => {
        if (text) throw new Error("the text is part of the program");
        return byId("/v1/relay", id, variables);
      }),
      store: new relay.Store(new relay.RecordSource()),
    });
    for (const count of [1, 2]) {
      const data = await relay.fetchQuery(environment, query, { count }).toPromise();
      say("answer", data.book_connection.edges.at(-1).node.title);
    }
  },
};
await clients[library]();
