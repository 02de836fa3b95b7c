/** saveFile has the browser write a file. */
export function saveFile(name: string, type: string, parts: string[]) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // once it is read
}
