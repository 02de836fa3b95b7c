/**
 * TableSearch is the table, or else the function, or what else of a source, that the address of the data page names.
 */
export interface TableSearch {
  source?: string;
  schema?: string;
  table?: string;
  function?: string;
  view?: string;
  /** The part of the table that is open, and the role whose permissions are. */
  tab?: string;
  role?: string;
}

/**
 * PermissionSearch is the table, or else the kind and the name of another object, and the role that the address of the
 * permissions page names.
 */
export interface PermissionSearch {
  source?: string;
  schema?: string;
  table?: string;
  kind?: string;
  name?: string;
  role?: string;
}

/** EventSearch is the kind of events and the trigger that the address of the events page names. */
export interface EventSearch {
  kind?: string;
  source?: string;
  name?: string;
  /** The table that a new trigger is to be on. */
  schema?: string;
  table?: string;
}

/** NameSearch is what the address of a page names of its list. */
export interface NameSearch {
  name?: string;
}

/** ViewSearch is the tab that the address of a page names. */
export interface ViewSearch {
  view?: string;
}
