import { useQuery } from "@tanstack/react-query";
import { Form } from "../../../ui/forms/form";
import type { Field } from "../../../ui/forms/types";
import { FormScope, useConfirmLeave } from "../../../lib/unsaved";
import { transformsField } from "../../transforms/ui/field";
import { useServer } from "../../../lib/session";
import { ConfirmChange } from "../../../ui/confirm";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { MasterDetail } from "../../../ui/masterdetail";
import { Paused } from "./paused";
import { ofScheduled } from "../api/samples";
import { aboutSchedule } from "../model/schedule";
import { ScheduledLog } from "./scheduled";
import { Button } from "../../../ui/button";

interface CronTrigger {
  name: string;
  schedule: string;
  paused?: boolean;
  comment?: string | null;
}

const pausing =
  "Times that fall into the pause are not made up for. What was due before, retries included, waits; calls that are under way end.";
const resuming = "The webhook is called from the next time of the schedule on, and for what was due before the pause.";

/** deliveryFields are those that cron triggers and one-off events share. */
export const deliveryFields = (type: "cron" | "one_off"): Field[] => [
  { path: "payload", label: "Payload", kind: "json" },
  { path: "headers", label: "Headers", kind: "headers" },
  { path: "retry_conf.num_retries", label: "Retries", kind: "number" },
  { path: "retry_conf.retry_interval_seconds", label: "Seconds between them", kind: "number" },
  { path: "retry_conf.timeout_seconds", label: "Seconds until a call has failed", kind: "number" },
  { path: "retry_conf.tolerance_seconds", label: "Tolerance (s)", kind: "number" },
  { path: "comment", label: "Comment", kind: "text" },
  transformsField(ofScheduled(type)),
];

const fields: Field[] = [
  {
    path: "webhook",
    label: "Webhook",
    kind: "text",
    required: true,
    hint: "An address, in which {{NAME}} is a variable of the environment.",
  },
  {
    path: "schedule",
    label: "Schedule",
    kind: "text",
    required: true,
    about: aboutSchedule,
    hint: "Minute, hour, day of month, month, day of week, in UTC: 0 2 * * * is each day at two.",
  },
  { path: "include_in_metadata", label: "Include in metadata", kind: "flag" },
  ...deliveryFields("cron"),
];

/** CronTriggers lists the cron triggers, and shows one of them. */
export function CronTriggers(props: { name: string | undefined; open: (name: string | undefined) => void }) {
  const { name, open } = props;
  const server = useServer();
  const found = useQuery({
    queryKey: ["metadata", "cron"],
    queryFn: ({ signal }) =>
      server.metadata<{ cron_triggers: CronTrigger[] }, "get_cron_triggers">("get_cron_triggers", {}, signal),
  });
  if (found.isPending) return <Loading what="the triggers" />;
  if (found.isLoadingError) return <Failure error={found.error} retry={() => void found.refetch()} />;
  const triggers = found.data.cron_triggers;
  const shown = triggers.find((t) => t.name === name);
  return (
    <MasterDetail
      words={{
        list: "Cron triggers",
        one: "Cron trigger",
        add: "New cron trigger",
        none: "None: a cron trigger calls a webhook again and again, by a schedule.",
        choose: "Choose a trigger to see its events.",
      }}
      items={triggers}
      shown={shown}
      id={name ?? ""}
      name={(t) => t.name}
      about={(t) => (
        <>
          {t.schedule} {t.comment} {t.paused && <Paused />}
        </>
      )}
      open={(t) => open(t?.name)}
      form={(close) => (
        <>
          <h2>New cron trigger</h2>
          <Form
            title="Create"
            initial={{ include_in_metadata: true, schedule: "0 2 * * *" }}
            fields={() => [{ path: "name", label: "Name", kind: "text", required: true }, ...fields]}
            request={(args) => ({ type: "create_cron_trigger", args: { include_in_metadata: false, ...args } })}
            done={(value) => close(() => open(String(value.name)))}
            cancel={() => close()}
          />
        </>
      )}
    >
      {(one, gone, moved) => (
        <Shown key={one.name} trigger={one} gone={gone} removed={() => moved(() => open(undefined))} />
      )}
    </MasterDetail>
  );
}

function Shown(props: { trigger: CronTrigger; gone: boolean; removed: () => void }) {
  const { trigger, gone, removed } = props;
  const {
    value: how,
    set: setHow,
    close,
    edits,
  } = useConfirmLeave<"change" | "delete" | "pause" | undefined>(undefined);
  return (
    <>
      <div className="row">
        <h2>{trigger.name}</h2>
        <code>{trigger.schedule}</code>
        {trigger.paused && <Paused />}
        <Button onPress={() => setHow(how === "change" ? undefined : "change")}>Change</Button>
        <Button onPress={() => setHow("pause")}>{trigger.paused ? "Resume…" : "Pause…"}</Button>
        <Button look="danger" onPress={() => setHow("delete")}>
          Delete…
        </Button>
      </div>
      {how === "change" && (
        <FormScope value={edits}>
          <Form
            title={gone ? "Create it again" : "Change"}
            confirm
            initial={{ ...trigger, replace: true }}
            fields={() => fields}
            request={(args) => ({
              type: "create_cron_trigger",
              args: { include_in_metadata: false, ...args, replace: !gone },
            })}
            done={() => close()}
            cancel={() => close()}
          />
        </FormScope>
      )}
      {how === "delete" && (
        <ConfirmChange
          title="Delete"
          about="The webhook isn't called any more. What was delivered or has failed stays in the log."
          request={{ type: "delete_cron_trigger", args: { name: trigger.name } }}
          close={close}
          done={removed}
        />
      )}
      {how === "pause" && (
        <ConfirmChange
          title={trigger.paused ? "Resume" : "Pause"}
          about={trigger.paused ? resuming : pausing}
          request={{
            type: trigger.paused ? "resume_cron_triggers" : "pause_cron_triggers",
            args: { cron_triggers: [trigger.name] },
          }}
          close={close}
        />
      )}
      <ScheduledLog trigger={trigger.name} />
    </>
  );
}
