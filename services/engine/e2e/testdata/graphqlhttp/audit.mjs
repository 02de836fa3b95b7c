// Runs the audits of the specification "GraphQL over HTTP" against a server and prints what
// they found as JSON: [{id, name, status, reason}].
import { serverAudits } from 'graphql-http';

const [url, secret] = process.argv.slice(2);
const audits = serverAudits({
  url,
  fetchFn: (address, init = {}) =>
    fetch(address, { ...init, headers: { ...init.headers, 'x-engine-admin-secret': secret } }),
});
const found = [];
for (const audit of audits) {
  const { id, name, status, reason } = await audit.fn();
  found.push({ id, name, status, reason });
}
console.log(JSON.stringify(found));
