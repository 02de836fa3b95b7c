// Package relay plans connections and nodes: pages of rows with cursors, and rows by global ids.
package relay

import "queryengine/services/query-executor/internal/plan/read"

// Planner plans connections and nodes.
type Planner struct{ *read.Planner }
