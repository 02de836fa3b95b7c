import type { KeyboardEvent } from "react";

/** Place is a cell by its numbers. */
export interface Place {
  row: number;
  column: number;
}

/** page is how many rows the keys for pages go. */
const page = 12;

/** target is the cell that a key leads to, undefined for other keys. */
export function target(
  e: KeyboardEvent,
  { row, column }: Place,
  lastRow: number,
  lastColumn: number,
): Place | undefined {
  const whole = e.ctrlKey || e.metaKey;
  switch (e.key) {
    case "ArrowUp":
      return { row: row - 1, column };
    case "ArrowDown":
      return { row: row + 1, column };
    case "ArrowLeft":
      return { row, column: column - 1 };
    case "ArrowRight":
      return { row, column: column + 1 };
    case "PageUp":
      return { row: Math.max(0, row - page), column };
    case "PageDown":
      return { row: row + page, column };
    case "Home":
      return { row: whole ? 0 : row, column: 0 };
    case "End":
      return { row: whole ? lastRow : row, column: lastColumn };
    default:
      return undefined;
  }
}
