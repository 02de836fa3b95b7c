import { lazy, Suspense } from "react";
import { chunk } from "../../../lib/chunk";
import { Loading } from "../../../ui/progress";
import type { Field } from "../../../ui/forms/types";
import type { Subject } from "../model/subject";

const Transforms = lazy(chunk(() => import("./transforms")));

/** transformsField edits the transforms of a webhook, and tries them out. */
export function transformsField(subject: Subject): Field {
  return {
    path: `${subject.base}request_transform`,
    others: [`${subject.base}response_transform`],
    label: "Transforms",
    section: "Request and response transform",
    kind: "custom",
    control: (props) => (
      <Suspense fallback={<Loading what="the transforms" />}>
        <Transforms {...props} subject={subject} />
      </Suspense>
    ),
  };
}
