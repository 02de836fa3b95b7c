import { expect, test } from "vitest";
import type { Server } from "../../../lib/http/client";
import { draftOf, sameDraft, valuesOf, writeRow, type Target } from "./edits";

const columns = [
  { name: "id", type: "integer", nullable: false },
  { name: "name", type: "text", nullable: true },
  { name: "old", type: "json", nullable: true },
];
const target = {
  source: { name: "default", kind: "postgres" },
  info: { name: { schema: "public", name: "t" }, columns, primary_key: ["id"] },
  as: { role: "", headers: "" },
} as unknown as Target;

/** answering is a server that gives one answer after the other, and keeps what it was asked. */
function answering(...answers: unknown[]) {
  const sent: { type: string; args: Record<string, unknown> }[] = [];
  const rows = (type: string, args: Record<string, unknown>) => {
    sent.push({ type, args });
    return Promise.resolve(answers.shift());
  };
  return { server: { rows } as unknown as Server, sent };
}

test("drafts are what is typed, and NULL isn't an empty text", () => {
  const [, name] = columns;
  const of = (value: unknown) => draftOf(name as never, { name: value });
  expect(of(null)).toEqual({ how: "null", text: "" });
  expect(of("")).toEqual({ how: "value", text: "" });
  expect(sameDraft(of(null), of(""))).toBe(false);
  expect(sameDraft({ how: "default", text: "a" }, { how: "default", text: "b" })).toBe(true);
});

test("drafts have values, or are wrong; what is left to the database is neither", () => {
  const { values, wrong } = valuesOf("postgres", columns as never, {
    id: { how: "value", text: "7" },
    name: { how: "null", text: "x" },
    old: { how: "value", text: "{" },
  });
  expect(values).toEqual({ id: 7, name: null });
  expect(Object.keys(wrong)).toEqual(["old"]);
  expect(valuesOf("postgres", columns as never, { id: { how: "default", text: "" } })).toEqual({
    values: {},
    wrong: {},
  });
});

test("a row is changed as long as it is what was read", async () => {
  const { server, sent } = answering({ affected_rows: 1 });
  expect(await writeRow(server, target, { id: 1, name: "a" }, { name: "b" })).toEqual({ done: true });
  expect(sent).toMatchObject([
    {
      type: "update",
      args: { where: { $and: [{ $and: [{ id: { $eq: 1 } }] }, { name: { $eq: "a" } }] }, $set: { name: "b" } },
    },
  ]);
});

test("a row that another user has changed is shown, and not written over", async () => {
  const now = { id: 1, name: "c" };
  const { server, sent } = answering({ affected_rows: 0 }, [now]);
  expect(await writeRow(server, target, { id: 1, name: "a" }, { name: "b" })).toEqual({ done: false, now });
  expect(sent.map((s) => s.type)).toEqual(["update", "select"]);
});

test("types without an equality are read before", async () => {
  const { server, sent } = answering([{ id: 1, old: '{"a":2}' }]);
  const row = { id: 1, old: '{"a":1}' };
  expect(await writeRow(server, target, row, { old: "{}" })).toMatchObject({ done: false });
  expect(sent.map((s) => s.type)).toEqual(["select"]);
});

test("with anyway nothing is compared", async () => {
  const { server, sent } = answering({ affected_rows: 1 });
  await writeRow(server, target, { id: 1, name: "a" }, { name: "b" }, true);
  expect(sent).toMatchObject([{ args: { where: { $and: [{ $and: [{ id: { $eq: 1 } }] }] } } }]);
});

test("a row that isn't there any more is reported", async () => {
  const { server } = answering({ affected_rows: 0 }, []);
  await expect(writeRow(server, target, { id: 1, name: "a" }, { name: "b" })).rejects.toThrow(/Nothing was changed/);
});
