import { expect, test } from "vitest";
import { hideSecrets, restoreSecrets } from "./secrets";

test.each([
  ["postgres://me:a@b/c@host/db", ["a@b/c"]],
  ["Server=x;User Id=me;Pwd={a;b};", ["{a;b}"]],
  ["host=x password='a b' user=me", ["'a b'"]],
  ["https://x/?sslpassword=abc&y=1", ["abc"]],
  ["{{DATABASE_URL}}", []],
  ["https://x/y", []],
])("secrets of %s", (text, secrets) => {
  const hidden = hideSecrets({ url: text });
  expect(hidden.secrets).toEqual(secrets);
  for (const s of secrets) expect(JSON.stringify(hidden.value)).not.toContain(s);
  expect(restoreSecrets(hidden.value, hidden.secrets)).toEqual({ url: text });
});

test("values of secret keys are hidden as a whole, and equal ones alike", () => {
  const { value, secrets } = hideSecrets({ password: "abc", more: [{ private_key: "abc" }], name: "abc" });
  expect(secrets).toEqual(["abc"]);
  expect(value).toEqual({ password: "‹hidden 1›", more: [{ private_key: "‹hidden 1›" }], name: "abc" });
});
