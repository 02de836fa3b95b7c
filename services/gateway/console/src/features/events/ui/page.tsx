import { getRouteApi } from "@tanstack/react-router";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { CronTriggers } from "./cron";
import { EventTriggers } from "./triggers";
import { OneOffEvents } from "./once";
import { Title } from "../../../ui/title";

const route = getRouteApi("/events");

/** EventsPage has what calls webhooks: changes of rows, times that come again, and single ones. */
export function EventsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const open = (name: string | undefined, source?: string) =>
    void navigate({ search: { kind: search.kind, source, name } });
  return (
    <div className="page">
      <Title name="Events" />
      <Tabs
        selectedKey={search.kind ?? "triggers"}
        onSelectionChange={(key) => void navigate({ search: { kind: String(key) } })}
      >
        <TabList aria-label="Events">
          <Tab id="triggers">Event triggers</Tab>
          <Tab id="cron">Cron triggers</Tab>
          <Tab id="once">One-off events</Tab>
        </TabList>
        <TabPanel id="triggers">
          <EventTriggers
            source={search.source}
            name={search.name}
            table={
              search.table === undefined
                ? undefined
                : { name: search.table, ...(search.schema && { schema: search.schema }) }
            }
            open={open}
          />
        </TabPanel>
        <TabPanel id="cron">
          <CronTriggers name={search.name} open={open} />
        </TabPanel>
        <TabPanel id="once">
          <OneOffEvents />
        </TabPanel>
      </Tabs>
    </div>
  );
}
