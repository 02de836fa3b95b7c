// Tests of rows that come from files and go into them, and of what is shown of large ones.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { axe, exporting, has, metadata, opened, signIn, sql } from "./harness.mjs";

const csv = (text) => ({ name: "rows.csv", mimeType: "text/csv", buffer: Buffer.from(text) });

export const tests = {
  async "Files: rows are imported from CSV and downloaded, and large values are shown in part"({ page }) {
    await sql("CREATE TABLE crate (id bigint PRIMARY KEY, label text NOT NULL DEFAULT 'none', weight numeric(6, 2), whole boolean, about jsonb, size int4range)");
    await metadata("pg_track_table", { table: "crate" });
    try {
      await signIn(page);
      await opened(page, "crate", "Rows");
      await page.getByText("0 to 0 of 0").waitFor();
      await page.getByRole("button", { name: "Import CSV…" }).click();
      const dialog = page.getByRole("dialog", { name: "Import CSV" });
      for (const [text, problem] of [
        ["id,nothing\n1,2\n", 'no column "nothing"'], ["id,id\n1,2\n", "there twice"], ["id,label\n1\n", "Row 1 has 1 fields"], ['id,label\n1,a"b\n', "Row 2: a quote"],
        ["id,whole\n1,perhaps\n", "Row 1, whole: Choose true or false."], ["id,about\n1,{\n", "Row 1, about: This isn't JSON: "], ["", "no column"],
      ]) {
        await dialog.getByLabel("File").setInputFiles(csv(text));
        await has(dialog.getByRole("alert"), problem);
      }
      // Of all types, with what needs quotes, and numbers that are larger than those of browsers.
      const lines = ['9007199254740993,"<b>a</b>, ""b""\r\nc",1.10,true,"{""a"": [1, null]}","[1,5)"', "2,\"\",,,,"];
      await dialog.getByLabel("File").setInputFiles(csv("\ufeffid,label,weight,whole,about,size\r\n" + lines.join("\r\n")));
      await has(dialog.getByRole("grid"), "<b>a</b>");
      await axe(page, "an import");
      await dialog.getByRole("button", { name: "Insert 2 rows" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByText("1 to 2 of 2").waitFor();
      assert.deepEqual(await sql("SELECT id, label, weight, whole, about, size FROM crate ORDER BY id DESC"), [["9007199254740993", '<b>a</b>, "b"\r\nc', "1.10", "t", '{"a": [1, null]}', "[1,5)"], ["2", "", "NULL", "NULL", "NULL", "NULL"]]);

      // A row in the middle is refused: those before its portion are there, and it goes on once the row is right.
      await sql("CREATE FUNCTION light() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN IF NEW.weight > 1000 THEN RAISE 'too heavy'; END IF; RETURN NEW; END$$; CREATE TRIGGER light BEFORE INSERT ON crate FOR EACH ROW EXECUTE FUNCTION light()");
      await page.getByRole("button", { name: "Import CSV…" }).click();
      const many = Array.from({ length: 1200 }, (_, i) => `${100 + i},row ${i},${i === 700 ? 5000 : i % 100}`);
      await dialog.getByLabel("File").setInputFiles(csv("id,label,weight\n" + many.join("\n") + "\n"));
      await dialog.getByRole("button", { name: "Insert 1200 rows" }).click();
      await has(dialog.getByRole("alert"), "too heavy");
      await dialog.getByText("The first 500 rows were inserted").waitFor();
      await sql("DROP TRIGGER light ON crate; DROP FUNCTION light");
      await dialog.getByRole("button", { name: "Insert 1200 rows" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByText("of 1,202").waitFor();

      // Columns that aren't shown are neither copied nor written into a file.
      await page.getByText("Columns: all of 6").click();
      for (const name of ["about", "size"]) await page.getByRole("grid", { name: "Columns", exact: true }).getByRole("row", { name, exact: true }).click();
      await page.getByText("Columns: 4 of 6").waitFor();
      await page.getByRole("grid", { name: "Rows" }).getByRole("columnheader", { name: "about" }).waitFor({ state: "detached" });
      await axe(page, "columns that are chosen");
      const [download] = await Promise.all([page.waitForEvent("download"), exporting(page, "Download all as CSV")]);
      assert.equal(download.suggestedFilename(), "crate.csv");
      const text = readFileSync(await download.path(), "utf8");
      assert.ok(text.startsWith('id,label,weight,whole\r\n2,"",,\r\n100,row 0,0.00,\r\n'), text.slice(0, 200));
      assert.ok(text.endsWith('9007199254740993,"<b>a</b>, ""b""\r\nc",1.10,true\r\n'), text.slice(-200));
      assert.equal(text.split("\r\n").length, 1 + 1202 + 1 + 1, "each row once; one has a line end in it");
      await page.getByText("1202 rows written").waitFor();
      await page.reload();
      await page.getByText("Columns: 4 of 6").waitFor(); // the browser keeps it

      // A value of a megabyte, changed by somebody else.
      await sql("UPDATE crate SET label = repeat('0123456789', 100000) WHERE id = 2");
      await page.getByRole("button", { name: "Refresh" }).click();
      await page.getByText("… 1,000,000 characters").waitFor();
      assert.ok((await page.evaluate(() => document.body.textContent.length)) < 100_000);
      await page.getByRole("gridcell").filter({ hasText: "… 1,000,000 characters" }).dblclick();
      const large = page.getByRole("dialog", { name: "Cell of label" });
      await has(large, "1,000,000 characters");
      await axe(page, "a large value");
      const [whole] = await Promise.all([page.waitForEvent("download"), large.getByRole("button", { name: "Download" }).click()]);
      assert.equal(readFileSync(await whole.path(), "utf8").length, 1_000_000);
      assert.ok((await page.evaluate(() => document.body.textContent.length)) < 100_000);
      await large.getByRole("button", { name: "Edit the whole value" }).click();
      assert.equal((await large.getByRole("textbox").inputValue()).length, 1_000_000);
      await page.keyboard.press("Escape");
    } finally {
      await sql("DROP TABLE IF EXISTS crate; DROP FUNCTION IF EXISTS light", true);
    }
  },
};
