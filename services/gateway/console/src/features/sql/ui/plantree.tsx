import { Copy } from "../../../ui/copy";
import type { Plan, Step } from "../model/plan";
import { Pre } from "../../../ui/pre";

/** hot is the part of the whole from which on a step stands out. */
const hot = 0.3;

/** PlanTree shows how the database runs a statement. */
export function PlanTree(props: { plan: Plan; sql: string }) {
  const { plan, sql } = props;
  return (
    <section className="panel" aria-label="Plan">
      <div className="row">
        <h2>Plan</h2>
        <span className="hint">{plan.summary.join(", ")}</span>
        <Copy
          texts={{
            "Copy the plan": () =>
              `${sql}\n\n${plan.lines.length > 0 ? plan.lines.join("\n") : linesOf(plan.steps, "").join("\n")}\n`,
          }}
        />
      </div>
      {plan.lines.length > 0 && <Pre label="Steps">{plan.lines.join("\n")}</Pre>}
      {plan.steps.length > 0 && <Steps steps={plan.steps} label="Steps" />}
    </section>
  );
}

function Steps(props: { steps: Step[]; label?: string }) {
  return (
    <ul className="plan" aria-label={props.label}>
      {props.steps.map((s, i) => (
        <li key={i}>
          <div className="row">
            <strong>{s.title}</strong>
            <span className="hint">{s.facts.join(" · ")}</span>
            {s.share !== undefined && (
              <span className={s.share >= hot ? "removed" : "hint"}>{Math.round(100 * s.share)} %</span>
            )}
            {s.share !== undefined && <progress className="share" value={s.share} aria-label={`Part of ${s.title}`} />}
            {s.notice && <span className="removed">{s.notice}</span>}
          </div>
          {s.details.length > 0 && (
            <details>
              <summary>More</summary>
              <dl className="pairs">
                {s.details.map(([name, value]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>
                      <code>{value}</code>
                    </dd>
                  </div>
                ))}
              </dl>
            </details>
          )}
          {s.steps.length > 0 && <Steps steps={s.steps} />}
        </li>
      ))}
    </ul>
  );
}

function linesOf(steps: Step[], indent: string): string[] {
  return steps.flatMap((s) => [
    `${indent}${s.title}  ${s.facts.join(", ")}${s.notice ? `  (${s.notice})` : ""}`,
    ...s.details.map(([name, value]) => `${indent}    ${name}: ${value}`),
    ...linesOf(s.steps, `${indent}  `),
  ]);
}
