import { useQuery } from "@tanstack/react-query";
import { prefixOf } from "../../../lib/http/prefix";
import { conventionOf, defaultFieldName, defaultRootFields, nameProblem, type Convention } from "../model/names";
import { configQuery } from "../../metadata/api/queries";
import type { TableInfo } from "../model/tables";
import type { ColumnConfig, Source, Table } from "../../../lib/http/types";
import { at, type Value } from "../../../lib/json/path";
import { Form } from "../../../ui/forms/form";
import { useServer } from "../../../lib/session";
import { useConfirm, type Confirmed } from "../../../ui/confirm";
import { Failure } from "../../../ui/failure";
import { Loading } from "../../../ui/progress";
import { hasEnums, kindName } from "../model/kinds";
import type { Field } from "../../../ui/forms/types";
import { Namings, type Naming } from "./naming";
import { Button } from "../../../ui/button";

/**
 * Configuration has what the metadata says of a table itself: its names and comments, and whether its rows are the
 * values of an enum.
 */
export default function Configuration(props: { source: Source; table: Table; info: TableInfo }) {
  const { source, table, info } = props;
  const config = useQuery(configQuery(useServer()));
  const { confirm, dialog } = useConfirm();
  const target = { source: source.name, table: table.table };
  const { custom_column_names: _, ...configuration } = table.configuration ?? { custom_column_names: {} }; // the same names are in column_config
  if (config.isPending) return <Loading what="how the server names things" />;
  if (config.isLoadingError) return <Failure error={config.error} retry={() => void config.refetch()} />;
  const convention = conventionOf(config.data ?? undefined, source);
  return (
    <div className="page">
      <h3>Names and comments</h3>
      <Form
        follows
        title="Change"
        confirm
        initial={{ ...target, configuration }}
        fields={(v) => fieldsOf(table, info, v, convention)}
        request={(args) => ({
          type: `${prefixOf(source.kind)}_set_table_customization`,
          args: { configuration: {}, ...args },
        })}
        done={() => {}}
      />
      <Enum source={source} table={table} confirm={confirm} />
      {(config.data?.is_apollo_federation_enabled || table.apollo_federation_config !== undefined) && (
        <Federation source={source} table={table} confirm={confirm} />
      )}
      {dialog}
    </div>
  );
}

/** fieldsOf are those of the configuration of a table as it has been edited so far. */
function fieldsOf(table: Table, info: TableInfo, value: Value, convention: Convention): Field[] {
  const name = at(value, "configuration.custom_name") as string | undefined;
  const columns = info.columns.map((c) => ({
    key: c.name,
    about: c.type,
    otherwise: defaultFieldName(c.name, convention),
    comment: c.description,
  }));
  const roots = Object.entries(defaultRootFields(table, name, convention)).map(([key, otherwise]) => ({
    key,
    otherwise,
  }));
  return [
    {
      path: "configuration.custom_name",
      label: "Name of the table",
      kind: "text",
      check: nameProblem,
      hint: `${roots[0]!.otherwise}, when it is empty. Names of root fields and types are made of it.`,
    },
    {
      path: "configuration.comment",
      label: "Comment of the table",
      kind: "text",
      hint: `${info.description ?? "One that is made of its name"}, when it is empty.`,
    },
    {
      path: "configuration.custom_root_fields",
      label: "Root fields",
      kind: "custom",
      hint: "What the source puts around the names of all root fields is added to these, too.",
      control: (props) => <Namings {...props} what="Root field" items={roots} read={readRoot} write={writeRoot} />,
    },
    {
      path: "configuration.column_config",
      label: "Columns",
      kind: "custom",
      control: (props) => (
        <Namings
          {...props}
          what="Column"
          items={columns}
          read={readColumn}
          write={({ name: custom_name, comment }): ColumnConfig => ({ custom_name, comment: comment ?? undefined })}
        />
      ),
    },
  ];
}

function readColumn(part: unknown): Naming {
  const { custom_name: name, comment } = (part ?? {}) as ColumnConfig;
  return { name, comment };
}

function readRoot(part: unknown): Naming {
  return typeof part === "string" ? { name: part } : ((part ?? {}) as Naming);
}

function writeRoot(naming: Naming): unknown {
  return naming.comment === undefined ? naming.name : naming;
}

/** Enum makes the table an enum, or a table again. Why it can't be is what the server says when it tries. */
function Enum(props: { source: Source; table: Table; confirm: (c: Confirmed) => void }) {
  const { source, table, confirm } = props;
  const set = (title: string, is_enum: boolean) =>
    confirm({
      title,
      request: {
        type: `${prefixOf(source.kind)}_set_table_is_enum`,
        args: { source: source.name, table: table.table, is_enum },
      },
    });
  return (
    <section className="form" aria-label="Enum">
      <h3>Enum</h3>
      {!hasEnums(source.kind) && <p className="hint">Tables of {kindName(source.kind)} can't be enums.</p>}
      {hasEnums(source.kind) && table.is_enum && (
        <>
          <p>
            The rows of this table are the values of an enum: columns that refer to it take no others. After a change of
            its rows, reload the metadata.
          </p>
          <div>
            <Button onPress={() => set("Make it a table", false)}>Make it a table…</Button>
          </div>
        </>
      )}
      {hasEnums(source.kind) && !table.is_enum && (
        <>
          <p className="hint">
            A table with a text as its primary key, and perhaps a column of comments, can be an enum: its rows are then
            the values that columns take which refer to it.
          </p>
          <div>
            <Button onPress={() => set("Make it an enum", true)}>Make it an enum…</Button>
          </div>
        </>
      )}
    </section>
  );
}

/** Federation lets other subgraphs of Apollo Federation refer to the rows. */
function Federation(props: { source: Source; table: Table; confirm: (c: Confirmed) => void }) {
  const { source, table, confirm } = props;
  const on = table.apollo_federation_config !== undefined;
  const args = { source: source.name, table: table.table, ...(!on && { apollo_federation_config: { enable: "v1" } }) };
  const title = on ? "Take it out of the federation" : "Let subgraphs refer to its rows";
  return (
    <section className="form" aria-label="Apollo Federation">
      <h3>Apollo Federation</h3>
      <p>
        {on
          ? "Other subgraphs may refer to rows of this table by their primary key."
          : "Other subgraphs don't know the rows of this table."}
      </p>
      <div>
        <Button
          onPress={() =>
            confirm({ title, request: { type: `${prefixOf(source.kind)}_set_apollo_federation_config`, args } })
          }
        >
          {title}…
        </Button>
      </div>
    </section>
  );
}
