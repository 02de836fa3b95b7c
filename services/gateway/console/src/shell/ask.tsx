import type { ReactNode } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { post, type MetadataRequest } from "../api/client";
import { useServer } from "../session";
import { Failure } from "./failure";

/** Ask asks before a request is made that acts outside of the metadata, so that the server can't try it first. */
export function Ask(props: { title: string; request: MetadataRequest; close: () => void; done?: () => void; children: ReactNode }) {
  const { title, request, close, done, children } = props;
  const server = useServer();
  const client = useQueryClient();
  const run = useMutation({
    mutationFn: () => post("/v1/metadata", request, server.credentials),
    onSuccess: async () => {
      await client.invalidateQueries();
      close();
      done?.();
    },
  });
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={close}>
      <Modal className="modal">
        <Dialog className="page">
          <Heading slot="title" level={2}>{title}</Heading>
          {children}
          {run.error && <Failure error={run.error} />}
          <div className="row">
            <Button className="button primary" isDisabled={run.isPending} onPress={() => run.mutate()}>{title}</Button>
            <Button className="button" onPress={close}>Cancel</Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
