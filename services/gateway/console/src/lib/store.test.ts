import { afterEach, expect, test, vi } from "vitest";
import { createStore, resetStores } from "./store";
import { forgetStored } from "./stored";
import { Edits, leave, mayLeave, question } from "./unsaved";

afterEach(() => {
  vi.unstubAllGlobals();
  resetStores();
});

test("who listens to a store hears of each value until it stops", () => {
  const store = createStore(1);
  const heard: number[] = [];
  const stop = store.subscribe(() => heard.push(store.get()));
  store.set(2);
  resetStores();
  stop();
  store.set(3);
  expect(heard).toEqual([2, 1]);
  expect(store.get()).toBe(3);
});

function storage(values: Record<string, string>) {
  const kept: Record<string, unknown> = { ...values };
  const methods = {
    clear: () => Object.keys(values).forEach((k) => delete kept[k]),
    removeItem: (k: string) => delete kept[k],
  };
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(kept, name, { value });
  return kept;
}

test("signing out leaves how the console looks in the browser, and nothing else of its own", () => {
  const local = storage({
    "query-engine-theme": "dark",
    "query-engine-page-size": "50",
    "query-engine-drafts": "[]",
    "query-engine-history": "[]",
    "query-engine-sql-kept": "[]",
    "query-engine-columns": "{}",
    other: "x",
  });
  const session = storage({ "query-engine-session": "{}" });
  vi.stubGlobal("localStorage", local);
  vi.stubGlobal("sessionStorage", session);
  forgetStored();
  expect(Object.keys(local)).toEqual(["query-engine-theme", "query-engine-page-size", "other"]);
  expect(Object.keys(session)).toEqual([]);
});

test("forms without unsaved edits are left without a question", () => {
  const left = vi.fn();
  leave(new Edits(), left);
  expect(left).toHaveBeenCalledOnce();
  expect(question.get()).toBeUndefined();
});

test("unsaved edits of a part of the page are confirmed, there and around it", async () => {
  const page = new Edits();
  const part = new Edits(page);
  const mark = { edited: true };
  part.add(mark);
  expect(page.unsaved).toBe(true);
  const stay = mayLeave(page);
  question.get()!(false);
  expect(await stay).toBe(false);
  expect(page.unsaved).toBe(true);
  const first = mayLeave(part);
  const second = mayLeave(page); // the first one is answered with it
  expect(await first).toBe(false);
  question.get()!(true);
  expect(await second).toBe(true);
  expect(part.unsaved).toBe(false);
  mark.edited = true;
  part.remove(mark);
  expect(page.unsaved).toBe(false);
});
