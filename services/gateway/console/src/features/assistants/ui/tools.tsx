import { useState } from "react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { exportQuery } from "../../metadata/api/queries";
import type { RunAs } from "../../../lib/http/runas";
import { useServer } from "../../../lib/session";
import { Button } from "../../../ui/button";
import { Empty } from "../../../ui/empty";
import { Failure } from "../../../ui/failure";
import { icons } from "../../../ui/icons";
import { Pre } from "../../../ui/pre";
import { callTool, type Answer, type Tool } from "../api/tools";
import { sampleOf } from "../model/sample";
import { texts } from "./texts";

/** Tools lists the tools of a role, next to the one that is tried. */
export function Tools(props: { tools: Tool[]; as: RunAs }) {
  const { tools, as } = props;
  const [name, setName] = useState("");
  const shown = tools.find((t) => t.name === name);
  const metadata = useQuery(exportQuery(useServer()));
  const others = (metadata.data?.metadata.query_collections ?? [])
    .flatMap((c) => c.definition.queries)
    .flatMap((q) => (q.tool ? [q.tool.name ?? q.name] : []))
    .filter((n) => !tools.some((t) => t.name === n));
  const left = others.length > 0 && (
    <p className="hint">
      {texts.others} {others.join(", ")}
    </p>
  );
  if (tools.length === 0) return <Empty action={left}>{texts.none}</Empty>;
  return (
    <div className="split" data-opened={shown?.name}>
      <section className="panel" aria-label="Tools">
        <ul className="changes">
          {tools.map((t) => (
            <li key={t.name}>
              <Button look="link" aria-pressed={t === shown} onPress={() => setName(t.name)}>
                {t.name}
              </Button>
              <Effect tool={t} />
              <div className="hint">{t.description ?? t.title}</div>
            </li>
          ))}
        </ul>
        {left}
      </section>
      <section className="panel" aria-label="Tool">
        {shown ? (
          <>
            <Button look="quiet" className="only-narrow" icon={icons.ChevronLeft} onPress={() => setName("")}>
              Back to the list
            </Button>
            <Try key={shown.name} tool={shown} as={as} />
          </>
        ) : (
          <p className="hint">{texts.choose}</p>
        )}
      </section>
    </div>
  );
}

/** Effect is what calls of the tool change. */
function Effect(props: { tool: Tool }) {
  const { readOnlyHint, destructiveHint } = props.tool.annotations ?? {};
  if (readOnlyHint) return null;
  return (
    <span className={destructiveHint ? "chip bad" : "chip warn"}>{destructiveHint ? "destructive" : "writes"}</span>
  );
}

/** Try calls a tool with arguments, as an assistant of the role does. */
function Try(props: { tool: Tool; as: RunAs }) {
  const { tool, as } = props;
  const server = useServer();
  const [text, setText] = useState(() => JSON.stringify(sampleOf(tool.inputSchema), null, 2));
  const call = useMutation({ mutationFn: (args: object) => callTool(server, tool.name, args, as) });
  const args = objectIn(text);
  const none = Object.keys(tool.inputSchema.properties ?? {}).length === 0;
  return (
    <section className="form" aria-label={tool.name}>
      <h2>{tool.title ?? tool.name}</h2>
      {tool.description && <p>{tool.description}</p>}
      {!tool.annotations?.readOnlyHint && <p className="removed">{texts.real}</p>}
      {none ? (
        <p className="hint">{texts.noArguments}</p>
      ) : (
        <label>
          Arguments
          <textarea
            rows={Math.max(4, Math.min(16, text.split("\n").length))}
            spellCheck="false"
            value={text}
            onChange={(e) => setText(e.target.value)}
          />
        </label>
      )}
      {!args && <p className="removed">{texts.notObject}</p>}
      <div className="row">
        <Button
          look="primary"
          icon={icons.Play}
          isDisabled={!args || call.isPending}
          onPress={() => args && call.mutate(args)}
        >
          Call as {as.role}
        </Button>
      </div>
      {call.error && <Failure error={call.error} />}
      {call.data && <Answered answer={call.data} />}
      <details>
        <summary>Input schema</summary>
        <Pre label="Input schema">{JSON.stringify(tool.inputSchema, null, 2)}</Pre>
      </details>
    </section>
  );
}

/** Answered is what the assistant reads. */
function Answered(props: { answer: Answer }) {
  const text = props.answer.content.map((c) => c.text ?? "").join("\n");
  return (
    <>
      <p role="status" className={props.answer.isError ? "removed" : "hint"}>
        {props.answer.isError ? "The tool failed." : "The assistant reads:"}
      </p>
      <Pre label="Answer">{laidOut(text)}</Pre>
    </>
  );
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** laidOut is JSON on lines of its own. Numbers that would be rounded, and other texts, stay. */
function laidOut(text: string): string {
  if (/\d{16}|\d\.\d{15}/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
