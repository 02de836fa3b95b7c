/** InputSchema is a JSON schema, as far as the console reads it. */
export interface InputSchema {
  $ref?: string;
  type?: string | string[];
  default?: unknown;
  enum?: unknown[];
  properties?: Record<string, InputSchema>;
  required?: string[];
}

/** sampleOf are arguments to begin with: the required ones, and those that have a default. */
export function sampleOf(schema: InputSchema): Record<string, unknown> {
  const sample: Record<string, unknown> = {};
  for (const [name, of] of Object.entries(schema.properties ?? {}))
    if (of.default !== undefined || schema.required?.includes(name)) sample[name] = valueOf(of);
  return sample;
}

function valueOf(schema: InputSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.$ref) return {};
  switch ([schema.type].flat()[0]) {
    case "string":
      return "";
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return false;
    case "array":
      return [];
    case "object":
      return {};
  }
  return null;
}
