import { expect, test } from "vitest";
import { createdBy } from "./created";

test.each([
  ["CREATE TABLE made (id int)", [{ name: "made" }]],
  ['create table if not exists Web."Made ""up""" (id int)', [{ schema: "web", name: 'Made "up"' }]],
  ["CREATE OR REPLACE VIEW a AS SELECT 1; CREATE MATERIALIZED VIEW b AS SELECT 2", [{ name: "a" }, { name: "b" }]],
  ["CREATE TABLE [dbo].[Made] (id int)", [{ schema: "dbo", name: "Made" }]],
  ["-- CREATE TABLE not_made (id int)\nSELECT 1 /* create view neither */", []],
  ["CREATE INDEX ON made (id); CREATE TEMP TABLE passing (id int)", []],
])("%s creates %j", (sql, names) => expect(createdBy(sql)).toEqual(names));
