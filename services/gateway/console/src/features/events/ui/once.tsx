import { FormScope, useConfirmLeave } from "../../../lib/unsaved";
import { Form } from "../../../ui/forms/form";
import { deliveryFields } from "./cron";
import { ScheduledLog } from "./scheduled";
import { Button } from "../../../ui/button";

/** OneOffEvents lists the events that are planned once, and plans them. */
export function OneOffEvents() {
  const { value: adding, set: setAdding, close, edits } = useConfirmLeave(false);
  return (
    <section className="panel" aria-label="One-off events">
      <div className="row">
        <Button look="primary" aria-expanded={adding} onPress={() => setAdding(!adding)}>
          New event
        </Button>
      </div>
      {adding && (
        <FormScope value={edits}>
          <Form
            title="Plan it"
            initial={{ schedule_at: new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, "") }}
            fields={() => [
              {
                path: "webhook",
                label: "Webhook",
                kind: "text",
                required: true,
                hint: "An address, in which {{NAME}} is a variable of the environment.",
              },
              {
                path: "schedule_at",
                label: "Time",
                kind: "text",
                required: true,
                hint: "With its zone, as in 2100-01-01T09:00:00Z.",
              },
              ...deliveryFields("one_off"),
            ]}
            request={(args) => ({ type: "create_scheduled_event", args })}
            done={() => close()}
            cancel={() => close()}
          />
        </FormScope>
      )}
      <ScheduledLog />
    </section>
  );
}
