import { expect, test } from "vitest";
import { at, put } from "./path";

test("a part is found by its path", () => {
  const value = { a: { b: null, c: [1] } };
  expect(at(value, "a.c")).toEqual([1]);
  expect(at(value, "a.b.c")).toBeUndefined();
  expect(at(value, "x")).toBeUndefined();
});

test("another part leaves the rest, and the value before, as they were", () => {
  const value = { a: { b: 1, c: 2 }, d: 3 };
  expect(put(value, "a.b", 5)).toEqual({ a: { b: 5, c: 2 }, d: 3 });
  expect(put(value, "x.y", 1)).toEqual({ ...value, x: { y: 1 } });
  expect(value).toEqual({ a: { b: 1, c: 2 }, d: 3 });
});

test("a part that is undefined goes, and with it objects that are empty then", () => {
  expect(put({ a: { b: { c: 1 } }, d: 1 }, "a.b.c", undefined)).toEqual({ d: 1 });
  expect(put({ a: { b: 1, c: 2 } }, "a.b", undefined)).toEqual({ a: { c: 2 } });
});
