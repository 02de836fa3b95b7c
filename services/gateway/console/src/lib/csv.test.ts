import { expect, test } from "vitest";
import { csvOf, csvOfLines, readCSV, readList } from "./csv";
import { parseExact, Written } from "./json/exact";

test("NULL, an empty text, and what has to be in quotes are distinguished", () => {
  const rows = [
    { a: null, b: "" },
    { a: 'say "hi"', b: "1,2" },
    { a: "two\nlines", b: undefined },
    { a: false, b: 0 },
  ];
  expect(csvOf(["a", "b"], rows)).toBe('a,b\r\n,""\r\n"say ""hi""","1,2"\r\n"two\nlines",\r\nfalse,0\r\n');
});

test("numbers of 64 bits and lists are written as the database has them", () => {
  const row = [parseExact("9223372036854775807"), new Written("{1,2}", [1, 2], "[1, 2]"), { a: 1 }];
  expect(csvOfLines(["n", "l", "l"], [row])).toBe('n,l,l\r\n9223372036854775807,"{1,2}","{""a"":1}"\r\n');
});

test.each([
  [
    "a,b\r\n1,2\r\n",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  ["a\nb\rc\r\n", [["a"], ["b"], ["c"]]],
  ["\ufeffa,b", [["a", "b"]]],
  ['"",\n', [["", null]]],
  ['"a ""b""\r\nc",d', [['a "b"\r\nc', "d"]]],
  ["a,", [["a", null]]],
  ["\n\n", [[null], [null]]],
  ["", []],
])("CSV is read: %j", (text, rows) => expect(readCSV(text)).toEqual(rows));

test.each(['a\n"b', 'a\nb"c', '"a"b'])("CSV with a quote at the wrong place is refused: %j", (text) =>
  expect(() => readCSV(text)).toThrow(/^Row [12]: a quote isn't where a field begins or ends\.$/),
);

test("what is written is read again", () => {
  const lines = [
    ["", "a"],
    ['"', "x,y"],
    ["\r\n", "ü"],
  ];
  expect(readCSV(csvOfLines(["p", "q"], lines)).slice(1)).toEqual(lines);
});

test.each([
  ["1, 2,\n3\r\n4", ["1", "2", "3", "4"]],
  [' "a, b" , c ', ["a, b", "c"]],
  ['""', [""]],
  ['"say ""hi"""', ['say "hi"']],
  [", ,", []],
])("a list is read: %j", (text, list) => expect(readList(text)).toEqual(list));

test("a list with an open quote is refused", () => expect(() => readList('a, "b')).toThrow(/begins with a quote/));
