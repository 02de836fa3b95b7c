import { useState } from "react";
import type { RunAs } from "../../../lib/http/runas";
import { project } from "../../../lib/http/project";
import { useSession } from "../../../lib/session";
import { Copy } from "../../../ui/copy";
import { Failure } from "../../../ui/failure";
import { bodyOf, snippets, type Draft, type Operation } from "../model/operation";
import { Pre } from "../../../ui/pre";
import { Button } from "../../../ui/button";

/** address is where the server itself answers operations. */
function address(): string {
  return project ? `${project.endpoint.replace(/\/$/, "")}/v1/graphql` : new URL("/v1/graphql", location.href).href;
}

/** Code is an operation in programming languages. */
export function Code(props: { draft: Draft; as: RunAs; operation: Operation | undefined }) {
  const { session } = useSession();
  const [language, setLanguage] = useState("curl");
  let made: Record<string, string>;
  try {
    made = snippets(
      address(),
      bodyOf(props.draft, props.operation?.name),
      props.as,
      project ? { kind: "secret", value: "" } : session!.credentials,
    );
  } catch (e) {
    return <Failure error={e} />;
  }
  return (
    <>
      <div className="row">
        {Object.keys(made).map((l) => (
          <Button key={l} aria-pressed={l === language} onPress={() => setLanguage(l)}>
            {l}
          </Button>
        ))}
        <Copy texts={{ Copy: () => made[language]! }} />
      </div>
      {props.operation?.kind === "subscription" && (
        <p className="hint">A subscription runs over a WebSocket: sent by HTTP like this, it is refused.</p>
      )}
      <Pre label="Code">{made[language]}</Pre>
    </>
  );
}
