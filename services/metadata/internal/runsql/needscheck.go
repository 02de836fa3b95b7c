// Package runsql finds out what the text of run_sql did to the objects that metadata
// refers to, and what becomes of the metadata: names that changed are followed, objects
// that lost what they need are refused or dropped.
//
// It compares two catalogs and touches no database.
package runsql

import "regexp"

// touchesMetadata matches what may change an object that metadata refers to. A match in a
// string or comment counts.
var touchesMetadata = regexp.MustCompile(`(?i)\b(?:alter|drop|replace|create\s+function|comment\s+on)\b`)

// NeedsCheck reports whether the text may change what metadata refers to.
func NeedsCheck(sql string) bool { return touchesMetadata.MatchString(sql) }
