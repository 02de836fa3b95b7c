package queryexecutor

import (
	"slices"
	"strconv"

	"queryengine/pkg/catalog"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan"
)

// cachedDirective is @cached as it is spelt, nil when the operation isn't to be cached.
func cachedDirective(op *parse.Operation) *parse.Directive {
	i := slices.IndexFunc(op.Directives, func(d parse.Directive) bool { return d.Name == "cached" })
	if i < 0 {
		return nil
	}
	return &op.Directives[i]
}

// defaultTTL is how many seconds an answer is kept when the directive sets none.
const defaultTTL = 60

// cachedArguments are the arguments of @cached, which the plan has checked. refresh counts when it is a
// literal; a variable makes another key anyway.
func cachedArguments(d *parse.Directive, values [][]byte) (ttl int64, refresh bool) {
	ttl = defaultTTL
	for _, a := range d.Arguments {
		switch {
		case a.Name == "tags":
		case a.Name == "refresh":
			refresh = a.Value.Kind == parse.Boolean && a.Value.Text == "true"
		case a.Value.Kind == parse.VariableUse:
			if n, err := strconv.ParseInt(string(values[a.Value.Variable.Index]), 10, 64); err == nil {
				ttl = n
			}
		default:
			if n, err := strconv.ParseInt(a.Value.Text, 10, 64); err == nil {
				ttl = n
			}
		}
	}
	return ttl, refresh
}

// sessionUse is what a plan that may be cached uses of the session; others are not looked at.
func sessionDeps(op *parse.Operation, p *plan.Plan) plan.SessionDeps {
	if cachedDirective(op) == nil {
		return plan.SessionDeps{}
	}
	return p.SessionDeps()
}

// cachedTags are the tags of @cached, which the plan has checked, each once and sorted.
func cachedTags(d *parse.Directive) (tags []string) {
	for _, a := range d.Arguments {
		if a.Name == "tags" {
			for _, item := range a.Value.Items {
				tags = append(tags, item.Text)
			}
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// cachedReads are the tables that an answer with tags is read from, by source; nil for other answers.
func cachedReads(op *parse.Operation, p *plan.Plan) map[string][]catalog.Name {
	if d := cachedDirective(op); d == nil || len(cachedTags(d)) == 0 {
		return nil
	}
	return execute.Reads(p)
}
