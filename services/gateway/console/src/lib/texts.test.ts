import { expect, test } from "vitest";
import { packed, unpacked } from "./fragment";
import { withRun, type Ran } from "./history";
import { withLineEnds } from "./lineends";
import { momentOf, withDate, withTime } from "./moments";
import { headerProblem, headersFor, variableIn, withVariable } from "./http/runas";

test.each([[{ a: "ü 😀", b: [1, null] }], ["?>~"], [""]])("%j goes into a fragment and back", (value) => {
  expect(packed(value)).toMatch(/^[\w-]*$/);
  expect(unpacked(packed(value))).toEqual(value);
});

test("what isn't a fragment of the console has no value", () => expect(unpacked("%%%")).toBeUndefined());

test.each([
  ["a\nb", "a\r\nb", "a\r\nb"],
  ["a\nb\nc", "a\r\nb", "a\r\nb\r\nc"],
  ["a\nx\nc", "a\r\nb\rc", "a\r\nx\rc"],
  ["a", "a\nb", "a"],
])("%j keeps the line ends of %j", (text, before, after) => expect(withLineEnds(text, before)).toBe(after));

test.each([
  ["2100-02-28", { date: "2100-02-28", between: "T", time: undefined, fraction: "", zone: "" }],
  [
    "2100-01-02 03:04:05.000001+01",
    { date: "2100-01-02", between: " ", time: "03:04:05", fraction: ".000001", zone: "+01" },
  ],
  ["03:04", { date: undefined, between: "T", time: "03:04:00", fraction: "", zone: "" }],
  ["infinity", undefined],
  ["2100-01-02 BC", undefined],
  ["", undefined],
])("the parts of %j", (text, parts) => expect(momentOf(text)).toEqual(parts));

test("another date or time keeps microseconds and the zone", () => {
  const text = "2100-01-02 03:04:05.000001+01";
  expect(withDate("timestamptz", text, "2100-12-31")).toBe("2100-12-31 03:04:05.000001+01");
  expect(withTime("timestamptz", text, "10:11:12", "2100-06-07")).toBe("2100-01-02 10:11:12.000001+01");
  expect(withTime("timestamp", "", "10:11:12", "2100-06-07")).toBe("2100-06-07T10:11:12");
  expect(withDate("date", "", "2100-12-31")).toBe("2100-12-31");
  expect(withDate("timestamptz", "", "2100-12-31")).toBe("2100-12-31T00:00:00+00:00");
});

test("a history has what is the same once, at most 50, and keeps what is kept", () => {
  interface Run extends Ran {
    text: string;
  }
  const same = (a: Run, b: Run) => a.text === b.text;
  let past: Run[] = [];
  for (let i = 0; i < 60; i++) past = withRun(past, { id: "", text: `${i}` }, same);
  expect(past).toHaveLength(50);
  expect(past[0]!.text).toBe("59");
  past = past.map((p) => (p.text === "10" ? { ...p, kept: true } : p));
  for (let i = 60; i < 200; i++) past = withRun(past, { id: "", text: `${i}` }, same);
  expect(past).toHaveLength(50);
  expect(past.find((p) => p.kept)!.text).toBe("10");
  past = withRun(past, { id: "", text: "10" }, same);
  expect(past.filter((p) => p.text === "10")).toMatchObject([{ kept: true }]);
  expect(past[0]!.text).toBe("10");
});

test("headers are lines, and session variables are found in any case", () => {
  const headers = "X-Engine-User-Id: 1\n# x-off: 2\n\nX-A:b:c";
  expect(headersFor({ role: "user", headers })).toEqual({
    "x-engine-user-id": "1",
    "x-a": "b:c",
    "x-engine-role": "user",
  });
  expect(variableIn(headers, "x-engine-USER-id")).toBe("1");
  expect(withVariable("X-A: 1\nx-b: 2", "x-a", "3")).toBe("x-b: 2\nx-a: 3");
  expect(withVariable("X-A: 1\nx-b: 2", "x-a", "")).toBe("x-b: 2");
  expect(headerProblem(headers)).toBeUndefined();
  expect(headerProblem("a: b\nno header")).toBe("no header");
  expect(headerProblem("a: €")).toBe("a: €");
});
