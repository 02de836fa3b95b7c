/**
 * Moment is the text of a date, a time, or both, in parts. What a calendar doesn't show, microseconds and the zone, is
 * kept as it is.
 */
export interface Moment {
  /** Year, month and day as 2024-02-29; undefined for a time. */
  date?: string;
  /** What stands between date and time. */
  between: string;
  /** Hours, minutes and seconds as 12:34:56; undefined for a date. */
  time?: string;
  fraction: string;
  zone: string;
}

/**
 * hasDate and hasTime report which parts a type has, hasZone whether its times have one. Types of ranges and of
 * intervals have none.
 */
export const hasDate = (type: string) => /^(date|timestamp(tz)?|datetime2?|smalldatetime|datetimeoffset)$/i.test(type);
export const hasTime = (type: string) =>
  /^(time(tz)?|timestamp(tz)?|datetime2?|smalldatetime|datetimeoffset)$/i.test(type);
const hasZone = (type: string) => /tz$|offset$/i.test(type);

const shape =
  /^(?:(\d{4}-\d\d-\d\d)(?:([T ])(?=\d)|$))?(?:(\d\d:\d\d)(?::(\d\d)(\.\d+)?)?(\s*(?:Z|[+-]\d\d(?::?\d\d){0,2}))?)?$/i;

/** momentOf is a text in parts; undefined for what no calendar shows, like infinity or a year before Christ. */
export function momentOf(text: string): Moment | undefined {
  const found = shape.exec(text.trim());
  if (!found || (!found[1] && !found[3])) return undefined;
  const [, date, between = "T", minutes, seconds, fraction = "", zone = ""] = found;
  return { date, between, time: minutes && `${minutes}:${seconds ?? "00"}`, fraction, zone };
}

/**
 * withDate and withTime are a text with another date, or another time. What there is none of yet is the first hour, and
 * UTC.
 */
export function withDate(type: string, text: string, date: string): string {
  const m = momentOf(text);
  if (!hasTime(type)) return date;
  return `${date}${m?.between ?? "T"}${m?.time ?? "00:00:00"}${m?.fraction ?? ""}${m?.time ? m.zone : hasZone(type) ? "+00:00" : ""}`;
}

export function withTime(type: string, text: string, time: string, today: string): string {
  const m = momentOf(text);
  const zone = m?.time ? m.zone : hasZone(type) ? "+00:00" : "";
  return `${hasDate(type) ? `${m?.date ?? today}${m?.between ?? "T"}` : ""}${time}${m?.fraction ?? ""}${zone}`;
}
