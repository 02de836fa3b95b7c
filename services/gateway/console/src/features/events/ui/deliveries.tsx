import { useState, type ReactNode } from "react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Tab, TabList, TabPanel } from "react-aria-components";

import { Button } from "../../../ui/button";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { Tabs } from "../../../ui/tabs";
import { Calls, type Call } from "./calls";

/** pageSize is how many calls are shown at once. */
const pageSize = 50;

/** again is how often the log is read again while it is shown, in ms. */
const again = 5_000;

/** Deliveries has the events of a trigger, all calls that were made for them, and how many and how long these are. */
export function Deliveries(props: {
  events: ReactNode;
  throughput: ReactNode;
  of: unknown[];
  calls: (page: { limit: number; offset: number }, signal: AbortSignal) => Promise<Call[]>;
}) {
  return (
    <Tabs first="log">
      <TabList aria-label="Deliveries">
        <Tab id="log">Log</Tab>
        <Tab id="calls">Calls</Tab>
        <Tab id="throughput">Throughput</Tab>
      </TabList>
      <TabPanel id="log" className="page">
        {props.events}
      </TabPanel>
      <TabPanel id="calls" className="page">
        <AllCalls of={props.of} read={props.calls} />
      </TabPanel>
      <TabPanel id="throughput" className="page">
        {props.throughput}
      </TabPanel>
    </Tabs>
  );
}

function AllCalls(props: {
  of: unknown[];
  read: (page: { limit: number; offset: number }, signal: AbortSignal) => Promise<Call[]>;
}) {
  const [offset, setOffset] = useState(0);
  const found = useQuery({
    queryKey: [...props.of, "calls", offset],
    placeholderData: keepPreviousData,
    refetchInterval: again,
    meta: { quiet: true },
    queryFn: ({ signal }) => props.read({ limit: pageSize, offset }, signal),
  });
  return (
    <>
      <div className="row">
        <Button isDisabled={offset === 0} onPress={() => setOffset(Math.max(0, offset - pageSize))}>
          Newer
        </Button>
        <Button isDisabled={(found.data?.length ?? 0) < pageSize} onPress={() => setOffset(offset + pageSize)}>
          Older
        </Button>
      </div>
      {found.isPending && <Loading what="the calls" />}
      {found.isLoadingError && <Failure error={found.error} retry={() => void found.refetch()} />}
      {found.data && <Calls calls={found.data} />}
    </>
  );
}
