import { useEffect, useId, useMemo, useState } from "react";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { json } from "@codemirror/lang-json";
import { Editor } from "../../../ui/editor";
import { useServer } from "../../../lib/session";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import type { Value } from "../../../lib/json/path";
import { Pairs, wordsFor } from "../../../ui/forms/pairs";
import type { Answered, Sample, Subject } from "../model/subject";
import type { Fault, Tried } from "../model/tried";
import { Pre } from "../../../ui/pre";

/** Typed is what transforms are tried with. */
export interface Typed {
  body: unknown;
  session?: Record<string, string>;
  env: Record<string, string>;
  answer: Answered;
}

/** shownAnswer is what a webhook answers as long as it isn't known what it does. */
const shownAnswer: Answered = { status: 200, body: { ok: true } };

interface TryOutProps {
  subject: Subject;
  value: Value;
  env: Record<string, string>;
  typed: Typed | undefined;
  setTyped: (typed: Typed | undefined) => void;
  /** The answer is changed, too. */
  answers: boolean;
  result: UseQueryResult<{ tried?: Tried; faults: Fault[] }>;
}

/** TryOut shows what becomes of a request: one that was made, or one that is made up. */
export function TryOut(props: TryOutProps) {
  const { subject, value } = props;
  const server = useServer();
  const of = subject.of(value);
  const found = useQuery({
    queryKey: ["transform samples", ...of],
    staleTime: Infinity,
    gcTime: 0,
    queryFn: ({ signal }) => subject.samples(server, value, signal),
  });
  return (
    <section className="panel" aria-label="Try it out">
      <h3>Try it out</h3>
      {found.isPending && <Loading what="a sample" />}
      {found.isLoadingError && <Failure error={found.error} retry={() => void found.refetch()} />}
      {found.data && (
        <Tested
          key={JSON.stringify(of)}
          {...props}
          requests={found.data.requests}
          answer={found.data.answer ?? shownAnswer}
        />
      )}
    </section>
  );
}

function Tested(props: TryOutProps & { requests: Sample[]; answer: Answered }) {
  const { env, typed, setTyped, answers, result, requests, answer } = props;
  const id = useId();
  const [chosen, setChosen] = useState(0);
  const [wrong, setWrong] = useState<Record<string, boolean>>({});
  const language = useMemo(() => json(), []);
  const sample = requests[chosen]!;
  const [texts, setTexts] = useState({ body: written(sample.body), answer: written(answer.body) });
  useEffect(() => {
    if (!typed) setTyped({ body: sample.body, session: sample.session, env: {}, answer });
  });
  const choose = (i: number) => {
    const next = requests[i]!;
    setChosen(i);
    setTexts({ ...texts, body: written(next.body) });
    setWrong({ ...wrong, body: false });
    setTyped({ ...typed!, body: next.body, session: next.session });
  };
  if (!typed) return null;
  const edit = (key: "body" | "answer", typedText: string) => {
    setTexts({ ...texts, [key]: typedText });
    try {
      const read: unknown = JSON.parse(typedText);
      setWrong({ ...wrong, [key]: false });
      setTyped(key === "body" ? { ...typed, body: read } : { ...typed, answer: { ...typed.answer, body: read } });
    } catch {
      setWrong({ ...wrong, [key]: true });
    }
  };
  const hasEnv = Object.keys(env).length > 0;
  return (
    <>
      <div className="field">
        <label htmlFor={id}>With</label>
        <select id={id} value={chosen} onChange={(e) => choose(Number(e.target.value))}>
          {requests.map((r, i) => (
            <option key={i} value={i}>
              {r.label}
            </option>
          ))}
        </select>
      </div>
      <div className="short-editor">
        <Editor label="Sample of the body" value={texts.body} onChange={(t) => edit("body", t)} extensions={language} />
      </div>
      {wrong.body && <span className="removed">This isn't JSON.</span>}
      <Pairs
        key={`session ${chosen}`}
        legend="Session variables"
        words={wordsFor("Session variable")}
        value={typed.session}
        change={(pairs) =>
          setTyped({ ...typed, session: Object.keys(pairs).length > 0 ? (pairs as Record<string, string>) : undefined })
        }
      />
      {hasEnv && (
        <fieldset className="field">
          <legend>Variables of the environment</legend>
          {Object.entries(env).map(([name, v]) => (
            <label key={name} className="inline">
              {name}
              <input
                type="text"
                autoComplete="off"
                value={v}
                onChange={(e) => setTyped({ ...typed, env: { ...typed.env, [name]: e.target.value } })}
              />
            </label>
          ))}
          <span className="hint">The server's own values aren't used for this.</span>
        </fieldset>
      )}
      {answers && (
        <>
          <label className="field">
            Status of the answer
            <input
              type="number"
              min={100}
              max={599}
              value={typed.answer.status}
              onChange={(e) => setTyped({ ...typed, answer: { ...typed.answer, status: Number(e.target.value) } })}
            />
          </label>
          <div className="short-editor">
            <Editor
              label="Sample of the answer"
              value={texts.answer}
              onChange={(t) => edit("answer", t)}
              extensions={language}
            />
          </div>
          {wrong.answer && <span className="removed">This isn't JSON.</span>}
        </>
      )}
      <Result result={result} />
    </>
  );
}

/** Result is what came of it. */
function Result(props: { result: TryOutProps["result"] }) {
  const { data, error } = props.result;
  if (error) return <Failure error={error} />;
  if (!data) return <Loading what="the result" />;
  const { tried, faults } = data;
  return (
    <div aria-label="Result" role="group" className="form">
      {faults.length > 0 && (
        <ul className="changes" aria-label="Faults">
          {faults.map((f, i) => (
            <li key={i} className="removed">
              <code>{f.path}</code>: {f.error_code}: {f.message}
            </li>
          ))}
        </ul>
      )}
      {tried && (
        <>
          <h3>Request</h3>
          <Pre label="Resulting request">{`${tried.method} ${tried.webhook_url}\n${tried.headers.map(([name, v]) => `${name}: ${v}\n`).join("")}\n${text(tried.body)}`}</Pre>
          {tried.response_body !== undefined && (
            <>
              <h3>Answer</h3>
              <Pre label="Resulting answer">{text(tried.response_body)}</Pre>
            </>
          )}
        </>
      )}
    </div>
  );
}

function written(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** text is a body as it is sent. */
function text(value: unknown): string {
  return typeof value === "string" ? value : written(value);
}
