// Writes the schema of an endpoint. Arguments: address, admin secret, file.
import { writeFileSync } from "node:fs";
import { buildClientSchema, getIntrospectionQuery, printSchema } from "graphql";

const [url, secret, file] = process.argv.slice(2);
const answer = await fetch(url, {
  method: "POST",
  headers: { "Content-Type": "application/json", "X-Engine-Admin-Secret": secret },
  body: JSON.stringify({ query: getIntrospectionQuery() }),
});
writeFileSync(file, printSchema(buildClientSchema((await answer.json()).data)));
