import { lazy, Suspense } from "react";
import { chunk } from "../../../../lib/chunk";
import { at, type Value } from "../../../../lib/json/path";
import { Loading } from "../../../../ui/progress";
import type { MetadataDocument } from "../../../../lib/http/types";
import type { Field } from "../../../../ui/forms/types";
import type { Left } from "./argument";

const RemoteField = lazy(chunk(() => import("./field")));

/**
 * isOld reports whether the definition of a relationship is of the form whose keys are those of the definition itself.
 */
const isOld = (value: Value) => at(value, "definition.remote_schema") !== undefined;

/** leadsToRemote reports whether a relationship leads to a remote schema. */
export function leadsToRemote(value: Value): boolean {
  return isOld(value) || at(value, "definition.to_remote_schema") !== undefined;
}

/**
 * remoteFields are the fields of where a relationship leads to in a remote schema. left are the fields of the side that
 * it comes from, each of which is called by a word.
 */
export function remoteFields(
  document: MetadataDocument,
  value: Value,
  left: Left[],
  word: string,
  label: string,
): Field[] {
  const remotes = (document.remote_schemas ?? []).map((r) => ({ value: r.name, label: r.name }));
  const [place, named] = isOld(value)
    ? ["definition", "definition.engine_fields"]
    : ["definition.to_remote_schema", "definition.to_remote_schema.lhs_fields"];
  const remote = at(value, `${place}.remote_schema`) as string | undefined;
  return [
    {
      path: `${place}.remote_schema`,
      label: `To the ${label}`,
      kind: "choice",
      required: true,
      options: [{ value: "", label: remotes.length > 0 ? "choose one" : "there is none" }, ...remotes],
    },
    {
      path: `${place}.remote_field`,
      others: [named!],
      label: `Field of the ${label}`,
      kind: "custom",
      required: true,
      control: (props) => (
        <Suspense fallback={<Loading what="the form" />}>
          <RemoteField {...props} key={remote} remote={remote} left={left} word={word} named={named!} />
        </Suspense>
      ),
    },
  ];
}
