import { Raw } from "../../../lib/json/exact";

/** worldwide is the reference system in which PostGIS takes GeoJSON that names none, as GeoJSON names it. */
const worldwide = '"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::4326"}}';

/** isBare reports whether a shape is GeoJSON that names no reference system. So is shown what has none. */
function isBare(shape: unknown): shape is Raw {
  if (!(shape instanceof Raw)) return false;
  const { type, crs } = shape.toJSON() as { type?: unknown; crs?: unknown };
  return type !== undefined && crs === undefined;
}

/**
 * withReference are the shapes that one in a list may stand for, where GeoJSON that names no reference system has none.
 */
export function withReference(shape: unknown): unknown[] {
  return isBare(shape) ? [shape, new Raw(shape.text.replace("{", `{${worldwide},`))] : [shape];
}

/**
 * asBefore is a shape that takes the place of another one: as a text, GeoJSON gets no reference system that it doesn't
 * name.
 */
export function asBefore(before: unknown, shape: unknown): unknown {
  return isBare(before) && isBare(shape) ? shape.text : shape;
}
