import { useId, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { Dialog, Popover, ToggleButton } from "react-aria-components";
import { sameDraft, valuesOf, type Draft } from "../api/edits";
import type { ColumnInfo } from "../model/tables";
import { useEdited } from "../../../lib/unsaved";
import type { ControlContext, Together } from "./controlprops";
import { ValueControl } from "./control";
import { icons } from "../../../ui/icons";
import { saveFile } from "../../../lib/savefile";
import { Pre } from "../../../ui/pre";
import { texts } from "./texts";
import { Button } from "../../../ui/button";

/**
 * longest is how many characters of a value a control gets, and shownOfLarge how many of a longer one are shown: more
 * block the page.
 */
const longest = 100_000;
const shownOfLarge = 2_000;

/** Step is where the editing of a cell leads. */
export type Step = "stay" | "next";

interface CellEditorProps {
  context: ControlContext;
  column: ColumnInfo;
  /** The cell that it is above. */
  cell: RefObject<HTMLElement | null>;
  draft: Draft;
  /** What the cell had before a letter began it anew. */
  before: Draft;
  /** What the server has said about the cell. */
  fault?: string;
  /** Why it can't be written; its value is shown then. */
  fixed?: string;
  /** What the other columns of the row are to get, and whether they can be written. */
  others: Pick<Together, "draftOf" | "isWritable">;
  /** Takes the drafts of the cell, and of the other columns of the foreign key that was chosen in it. */
  done: (drafts: Record<string, Draft>, step: Step) => void;
  close: () => void;
}

/**
 * CellEditor edits a cell in its place. Enter and Tab keep what was typed, and so does a press next to it; Escape
 * doesn't.
 */
export function CellEditor(props: CellEditorProps) {
  const { context, column, cell, fault, fixed, others, done, close } = props;
  const [draft, setDraft] = useState(props.draft);
  const [chosen, setChosen] = useState<Record<string, Draft>>();
  const [problem, setProblem] = useState(fault);
  useEdited(JSON.stringify(draft), JSON.stringify(props.before));
  const [whole, setWhole] = useState(false);
  const large = !whole && draft.text === props.draft.text && draft.text.length > longest;
  const escaped = useRef(false);
  const id = useId();
  const keep = (step: Step) => {
    if (fixed !== undefined) return close();
    const wrong = valuesOf(context.source.kind, [column], { [column.name]: draft }).wrong[column.name];
    if (wrong) setProblem(wrong);
    else done({ ...(chosen && sameDraft(chosen[column.name]!, draft) ? chosen : {}), [column.name]: draft }, step);
  };
  const choose = (drafts: Record<string, Draft>) => {
    setProblem(undefined);
    setDraft(drafts[column.name]!);
    setChosen(drafts);
  };
  const press = (e: KeyboardEvent) => {
    const field = e.target as HTMLElement;
    // A list of choices that is open has the key for itself, as have buttons.
    if (e.defaultPrevented || field.tagName === "BUTTON" || field.getAttribute("aria-expanded") === "true") return;
    if (!(e.key === "Enter" && !e.shiftKey) && !(e.key === "Tab" && !e.shiftKey)) return;
    e.preventDefault();
    e.stopPropagation();
    keep(e.key === "Tab" ? "next" : "stay");
  };
  return (
    <Popover
      className="popover cell-editor"
      triggerRef={cell}
      isOpen
      placement="bottom start"
      offset={-(cell.current?.offsetHeight ?? 0)}
      onOpenChange={(open) => {
        if (open) return;
        if (escaped.current) close();
        else keep("stay");
      }}
    >
      <Dialog aria-label={`Cell of ${column.name}`}>
        {/* What is before the control is reached by Shift Tab, as Tab keeps. */}
        <div
          className="form"
          onKeyDownCapture={(e) => {
            escaped.current = e.key === "Escape" && (e.target as HTMLElement).getAttribute("aria-expanded") !== "true";
          }}
        >
          <div className="row">
            <strong>
              <label htmlFor={id}>{column.name}</label>
            </strong>
            <span className="hint">{column.type}</span>
            {fixed === undefined && column.nullable && (
              <ToggleButton
                className="button small"
                aria-label={`NULL for ${column.name}`}
                isSelected={draft.how === "null"}
                onChange={(on) => {
                  setProblem(undefined);
                  setDraft({ how: on ? "null" : "value", text: on ? "" : draft.text });
                }}
              >
                NULL
              </ToggleButton>
            )}
            <Button small aria-label={`Leave ${column.name} as it is`} onPress={close}>
              ×
            </Button>
          </div>
          {large ? (
            <>
              <Pre className="whole" label={texts.beginningOf(column.name)}>
                {draft.text.slice(0, shownOfLarge)}
              </Pre>
              <div className="row">
                <span className="hint">{texts.large(draft.text.length)}</span>
                <Button
                  small
                  icon={icons.Download}
                  autoFocus
                  onPress={() => saveFile(`${column.name}.txt`, "text/plain", [draft.text])}
                >
                  {texts.download}
                </Button>
                {fixed === undefined && (
                  <Button look="quiet" small icon={icons.Pencil} onPress={() => setWhole(true)}>
                    {texts.editWhole}
                  </Button>
                )}
              </div>
            </>
          ) : fixed === undefined ? (
            <div role="presentation" onKeyDown={press}>
              <ValueControl
                context={context}
                column={column}
                draft={draft}
                edit={(d) => {
                  setProblem(undefined);
                  setDraft(d);
                }}
                together={{ ...others, choose }}
                id={id}
                about={`${id}-about`}
                invalid={problem !== undefined}
                autoFocus
              />
            </div>
          ) : (
            <Pre className="whole" label={`Value of ${column.name}`}>
              {draft.how === "null" ? "NULL" : draft.text}
            </Pre>
          )}
          <span className={problem ? "removed" : "hint"} role="status" id={`${id}-about`}>
            {problem ??
              fixed ??
              (draft.how === "value" && draft.text === "" ? "An empty text, which isn't NULL. " : "") +
                "Enter to apply, Esc to cancel."}
          </span>
        </div>
      </Dialog>
    </Popover>
  );
}
