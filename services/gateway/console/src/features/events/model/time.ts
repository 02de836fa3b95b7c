/** time reads a time of the server, which is in UTC where it has no zone. */
export function time(text: string): Date {
  return new Date(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
}
