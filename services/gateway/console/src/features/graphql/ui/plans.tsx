import { useMemo } from "react";
import { sql } from "@codemirror/lang-sql";
import { formatDialect, postgresql } from "sql-formatter";
import { Editor } from "../../../ui/editor";
import { Copy } from "../../../ui/copy";
import type { Plan } from "../api/run";
import { Pre } from "../../../ui/pre";

const language = sql();

/** Plans shows the statements of a query that was explained, and how the database runs each. */
export default function Plans(props: { plans: Plan[] }) {
  return (
    <>
      {props.plans.map((p, i) => {
        const of = p.field ? ` of ${p.field}` : "";
        return (
          <section key={i} className="explained" aria-label={`Plan${of}`}>
            <h2>{p.field ?? "Subscription"}</h2>
            {p.sql ? (
              <Statement label={`SQL${of}`} text={p.sql} />
            ) : (
              <p className="hint">There is no statement: the database isn't asked.</p>
            )}
            {p.plan && p.plan.length > 0 && (
              <>
                <h3>Plan</h3>
                <Pre label={`Steps${of}`}>{p.plan.join("\n")}</Pre>
                <div className="row">
                  <Copy texts={{ "Copy the plan": () => p.plan!.join("\n") }} />
                </div>
              </>
            )}
          </section>
        );
      })}
    </>
  );
}

/** Statement is SQL laid out in lines, or as it is where that fails, as with words of other databases. */
function Statement(props: { label: string; text: string }) {
  const { label, text } = props;
  const laidOut = useMemo(() => {
    try {
      return formatDialect(text, { dialect: postgresql });
    } catch {
      return text;
    }
  }, [text]);
  return (
    <>
      <div className="statement">
        <Editor label={label} value={laidOut} extensions={language} readOnly />
      </div>
      <div className="row">
        <Copy texts={{ "Copy the SQL": () => text }} />
      </div>
    </>
  );
}
