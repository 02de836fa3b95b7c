import { getLocalTimeZone, parseDate, parseTime, today, type CalendarDate, type Time } from "@internationalized/date";
import {
  Calendar,
  CalendarCell,
  CalendarGrid,
  DateInput,
  DateSegment,
  Dialog,
  DialogTrigger,
  Heading,
  I18nProvider,
  Label,
  Popover,
  TimeField,
} from "react-aria-components";
import { hasDate, hasTime, momentOf, withDate, withTime } from "../../../lib/moments";
import type { ControlProps } from "./controlprops";
import { Button } from "../../../ui/button";

/**
 * MomentInput is a date, a time, or both, as text; a calendar and a clock change its parts, and leave what they don't
 * show, microseconds and the zone.
 */
export default function MomentInput(props: ControlProps) {
  const { column, draft, edit, id, about, invalid, autoFocus } = props;
  const { type } = column;
  const text = draft.how === "value" ? draft.text : "";
  const moment = momentOf(text);
  const set = (to: string) => edit({ how: "value", text: to });
  const now = today(getLocalTimeZone());
  return (
    <div className="moment">
      <input
        id={id}
        aria-describedby={about}
        aria-invalid={invalid || undefined}
        // eslint-disable-next-line jsx-a11y/no-autofocus -- only in a cell that the user has just opened
        autoFocus={autoFocus}
        autoComplete="off"
        spellCheck="false"
        placeholder={draft.how === "null" ? "NULL" : undefined}
        value={text}
        onChange={(e) => set(e.target.value)}
      />
      <DialogTrigger>
        <Button aria-label={`Pick ${column.name}`}>{hasDate(type) ? "▦" : "◷"}</Button>
        <Popover className="popover picker">
          <Dialog className="page" aria-label={`Pick ${column.name}`}>
            {/* Dates are written as databases have them. */}
            <I18nProvider locale="en-GB">
              {hasDate(type) && (
                <Calendar
                  aria-label={column.name}
                  autoFocus
                  defaultFocusedValue={dateOf(moment?.date) ?? now}
                  value={dateOf(moment?.date) ?? null}
                  onChange={(d) => set(withDate(type, text, d.toString()))}
                >
                  <header className="row">
                    <Button slot="previous">◀</Button>
                    <Heading level={3} />
                    <Button slot="next">▶</Button>
                  </header>
                  <CalendarGrid>{(date) => <CalendarCell date={date} />}</CalendarGrid>
                </Calendar>
              )}
              {hasTime(type) && (
                <TimeField
                  granularity="second"
                  hourCycle={24}
                  value={timeOf(moment?.time) ?? null}
                  onChange={(t) => t && set(withTime(type, text, t.toString(), now.toString()))}
                >
                  <Label>Time {moment?.zone || (/tz$|offset$/i.test(type) ? "+00:00" : "")}</Label>
                  <DateInput>{(segment) => <DateSegment segment={segment} />}</DateInput>
                </TimeField>
              )}
            </I18nProvider>
            <Button slot="close">Done</Button>
          </Dialog>
        </Popover>
      </DialogTrigger>
    </div>
  );
}

/** dateOf and timeOf are undefined for what isn't in a calendar, like 24:00:00 or the 30th of February. */
function dateOf(text: string | undefined): CalendarDate | undefined {
  try {
    return text ? parseDate(text) : undefined;
  } catch {
    return undefined;
  }
}

function timeOf(text: string | undefined): Time | undefined {
  try {
    return text ? parseTime(text) : undefined;
  } catch {
    return undefined;
  }
}
