/** counted bounds how many rows the database counts for a page: all of a large table take it seconds. */
export const counted = 10_000;
