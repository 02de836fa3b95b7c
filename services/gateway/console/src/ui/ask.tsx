import type { ReactNode } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { post, type MetadataRequest } from "../lib/http/client";
import { useServer } from "../lib/session";
import { Button } from "./button";
import { Failure } from "./failure";
import { Cancel, Window } from "./window";

/**
 * Ask asks before a request is made that acts outside of the metadata: one of the metadata API, or any other. close
 * closes it, and then does something, as that of useConfirmLeave. Its children say what it does; edited is whether what is
 * typed in them differs from what it began with.
 */
export function Ask(props: {
  title: string;
  request: MetadataRequest | (() => Promise<unknown>);
  close: (then?: () => void) => void;
  done?: (answer: unknown) => void;
  disabled?: boolean;
  edited?: boolean;
  /** It removes something for good. */
  danger?: boolean;
  children: ReactNode;
}) {
  const { title, request, close, done, disabled, edited, danger, children } = props;
  const server = useServer();
  const client = useQueryClient();
  const run = useMutation({
    mutationFn: (): Promise<unknown> =>
      typeof request === "function" ? request() : post("/v1/metadata", request, server.credentials),
    onSuccess: async (answer) => {
      await client.invalidateQueries();
      close(() => done?.(answer));
    },
  });
  return (
    <Window title={title} close={() => close()} edited={edited}>
      {children}
      {run.error && <Failure error={run.error} />}
      <div className="row">
        <Button
          look="primary"
          className={danger ? "danger" : undefined}
          isPending={run.isPending}
          isDisabled={disabled}
          onPress={() => run.mutate()}
        >
          {title}
        </Button>
        <Cancel />
      </div>
    </Window>
  );
}
