import { useEffect, useState, type FormEvent } from "react";
import { useMutation } from "@tanstack/react-query";
import { Input, Label, Radio, RadioGroup, TextField } from "react-aria-components";
import { authenticate, useSession } from "../lib/session";
import { project } from "../lib/http/project";
import { isAccessDenied } from "../lib/http/client";
import { Failure } from "../ui/failure";
import { type Credentials, storedCredentials } from "../lib/http/credentials";
import { Loading } from "../ui/progress";
import { Logo } from "../ui/logo";
import { texts } from "./texts";
import { Button } from "../ui/button";

/** SignIn asks for the admin secret or a token, unless the server is open or the tab still knows them. */
export function SignIn() {
  const { signIn } = useSession();
  const [kind, setKind] = useState<Credentials["kind"]>("secret");
  const [value, setValue] = useState("");
  const first = useMutation({
    mutationFn: authenticate,
    onSuccess: (s) => (s.admin || s.credentials.kind !== "none") && signIn(s),
  });
  const attempt = useMutation({ mutationFn: authenticate, onSuccess: signIn });
  const { mutate } = first;
  useEffect(() => mutate(storedCredentials() ?? { kind: "none", value: "" }), [mutate]);
  if (first.isIdle || first.isPending)
    return (
      <main className="signin">
        <Loading what="the console" />
      </main>
    );
  const submit = (e: FormEvent) => {
    e.preventDefault();
    attempt.mutate({ kind, value: kind === "none" ? "" : value.trim() });
  };
  const unexpected = first.error && (project || !isAccessDenied(first.error)) ? first.error : undefined;
  return (
    <main className="signin">
      <h1>
        <Logo />
        {texts.product}
      </h1>
      {unexpected && (
        <Failure error={unexpected} retry={() => first.mutate(storedCredentials() ?? { kind: "none", value: "" })} />
      )}
      {!project && (
        <form onSubmit={submit}>
          <RadioGroup value={kind} onChange={(k) => setKind(k as Credentials["kind"])} orientation="horizontal">
            <Label>{texts.signInWith}</Label>
            <Radio value="secret">{texts.bySecret}</Radio>
            <Radio value="token">{texts.byToken}</Radio>
            {first.data && <Radio value="none">{texts.nothing}</Radio>}
          </RadioGroup>
          {kind !== "none" && (
            <TextField value={value} onChange={setValue} type="password" autoComplete="off" isRequired autoFocus>
              <Label>{kind === "secret" ? texts.secret : texts.token}</Label>
              <Input />
            </TextField>
          )}
          <Button type="submit" look="primary" isPending={attempt.isPending}>
            {attempt.isPending ? texts.signingIn : texts.signIn}
          </Button>
        </form>
      )}
      {attempt.error && <Failure error={attempt.error} />}
      {!project && (
        <p className="hint">
          {kind === "secret" && `${texts.secretHint} `}
          {texts.kept}
        </p>
      )}
    </main>
  );
}
