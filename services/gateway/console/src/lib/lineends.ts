/**
 * withLineEnds is a text as it was before, with what was changed of it in a control, which makes one kind of all line
 * ends. Those around the change stay as they were; new ones are of the kind that is there most.
 */
export function withLineEnds(text: string, before: string): string {
  if (!before.includes("\r")) return text;
  const units = before.match(/\r\n|[^]/g) ?? [];
  const plain = before.replaceAll(/\r\n?/g, "\n");
  const most = Math.min(text.length, plain.length);
  let first = 0;
  while (first < most && text[first] === plain[first]) first++;
  let last = 0;
  while (last < most - first && text.at(-1 - last) === plain.at(-1 - last)) last++;
  const count = (end: string) => units.filter((u) => u === end).length;
  const [usual] = ["\n", "\r\n", "\r"].toSorted((a, b) => count(b) - count(a));
  return (
    units.slice(0, first).join("") +
    text.slice(first, text.length - last).replaceAll("\n", usual!) +
    units.slice(units.length - last).join("")
  );
}
