import { useQuery } from "@tanstack/react-query";
import { infoQuery } from "../../data/api/tables";
import type { Name, Source } from "../../../lib/http/types";
import type { CustomProps, Field } from "../../../ui/forms/types";
import { at, type Value } from "../../../lib/json/path";
import { Names } from "../../../ui/forms/names";
import { useServer } from "../../../lib/session";
import { Failure } from "../../../ui/failure";

/** changeFields select the changes of rows that are events, and the columns that are sent. */
export function changeFields(value: Value, source: Source | undefined): Field[] {
  const columns = (path: string, label: string, all: unknown, allText: string): Field => ({
    path,
    label,
    kind: "custom",
    control: (props) => (
      <Columns
        {...props}
        key={JSON.stringify(value.table)}
        source={source}
        table={value.table as Name | undefined}
        all={all}
        allText={allText}
      />
    ),
  });
  const operation = (path: string, label: string): Field[] => {
    const part = at(value, path);
    if (part === undefined) return [{ path, label, kind: "operation" }];
    return [
      { path, label, kind: "operation" },
      ...(path === "update" ? [columns("update.columns", "Updates that count", "*", "of any column")] : []),
      columns(`${path}.payload`, `Columns sent ${label.toLowerCase()}`, undefined, "all columns"),
    ];
  };
  return [
    ...operation("insert", "On insert"),
    ...operation("update", "On update"),
    ...operation("delete", "On delete"),
  ];
}

function Columns(
  props: CustomProps & { source: Source | undefined; table: Name | undefined; all: unknown; allText: string },
) {
  const { source, table, field, value } = props;
  const chosen = at(value, field.path);
  if (source && table) return <OfTable {...props} source={source} table={table} />;
  return <Names {...props} names={Array.isArray(chosen) ? (chosen as string[]).map((name) => ({ name })) : []} />;
}

function OfTable(props: CustomProps & { source: Source; table: Name; all: unknown; allText: string }) {
  const { source, table, value, field } = props;
  const info = useQuery(infoQuery(useServer(), source, table));
  const chosen = at(value, field.path);
  // Until the columns are known, those that are chosen are there.
  const names =
    info.data?.columns.map((c) => ({ name: c.name, about: c.type })) ??
    (Array.isArray(chosen) ? (chosen as string[]).map((name) => ({ name })) : []);
  return (
    <>
      <Names {...props} names={names} />
      {info.isLoadingError && <Failure error={info.error} retry={() => void info.refetch()} />}
    </>
  );
}
