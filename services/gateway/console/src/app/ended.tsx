import { useEffect, useState } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Dialog, Heading, Input, Label, TextField } from "react-aria-components";
import { hasEnded } from "../lib/http/client";
import { authenticate, useSession } from "../lib/session";
import { Button } from "../ui/button";
import { Failure } from "../ui/failure";
import { Overlay } from "../ui/overlay";
import { texts } from "./texts";

/**
 * Ended is the dialog to sign in again after the session has ended. The page below keeps its unsaved edits.
 */
export function Ended() {
  const { session, signIn, signOut } = useSession();
  const client = useQueryClient();
  const [ended, setEnded] = useState(false);
  const [value, setValue] = useState("");
  useEffect(() => {
    const listen = (e: { type: string; action?: { type: string; error?: unknown } }) => {
      if (e.type === "updated" && e.action?.type === "error" && hasEnded(e.action.error)) setEnded(true);
    };
    const ends = [client.getQueryCache().subscribe(listen), client.getMutationCache().subscribe(listen)];
    return () => ends.forEach((end) => end());
  }, [client]);
  const kind = session?.credentials.kind === "token" ? "token" : "secret";
  const attempt = useMutation({
    mutationFn: () => authenticate({ kind, value: value.trim() }),
    onSuccess: (s) => {
      setValue("");
      setEnded(false);
      signIn(s);
      void client.invalidateQueries();
    },
  });
  if (!ended) return null;
  return (
    <Overlay close={() => {}}>
      <Dialog role="alertdialog" className="page">
        <Heading slot="title" level={2}>
          {texts.ended}
        </Heading>
        <p>{texts.endedHint}</p>
        <form
          className="form"
          onSubmit={(e) => {
            e.preventDefault();
            attempt.mutate();
          }}
        >
          <TextField value={value} onChange={setValue} type="password" autoComplete="off" isRequired autoFocus>
            <Label>{kind === "secret" ? texts.secret : texts.token}</Label>
            <Input />
          </TextField>
          {attempt.error && <Failure error={attempt.error} />}
          <div className="row">
            <Button type="submit" look="primary" isPending={attempt.isPending}>
              {texts.signIn}
            </Button>
            <Button look="quiet" onPress={signOut}>
              {texts.signOut}
            </Button>
          </div>
        </form>
      </Dialog>
    </Overlay>
  );
}
