package apply

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	table := func(name string) metadata.ObjectID {
		return metadata.ObjectID{Kind: metadata.ObjectTable, Source: "default", Table: catalog.Name{Schema: "public", Name: name}}
	}
	single := metadata.Inconsistency{ID: table("a"), Name: "a", Reason: "a is bad"}
	conflict := metadata.Inconsistency{Reason: "b and c", Objects: []metadata.InconsistentObject{{ID: table("b")}, {ID: table("c")}}}
	other := metadata.Inconsistency{Reason: "d and e", Objects: []metadata.InconsistentObject{{ID: table("d")}, {ID: table("e")}}}
	whole := metadata.Inconsistency{Reason: "f and g", Refusal: "no schema", Objects: []metadata.InconsistentObject{{ID: table("f")}, {ID: table("g")}}}
	informs := metadata.Inconsistency{Name: "role", Reason: "not inherited", Entity: map[string]string{}}
	state := func(list ...metadata.Inconsistency) *State {
		return &State{Snapshot: &snapshot.Snapshot{Inconsistent: list}}
	}

	for name, c := range map[string]struct {
		before, after *State
		verdict       metadata.Verdict
		named         metadata.ObjectID
		want          string
	}{
		"nothing":                        {state(), state(), metadata.VerdictNamed, table("a"), ""},
		"the named object":               {state(), state(single), metadata.VerdictNamed, table("a"), "invalid-configuration at $: a is bad"},
		"the named object of a group":    {state(), state(conflict), metadata.VerdictNamed, table("c"), "invalid-configuration at $: b and c"},
		"another object":                 {state(), state(single), metadata.VerdictNamed, table("b"), "unexpected at $: cannot continue due to new inconsistent metadata"},
		"another group":                  {state(conflict), state(conflict, other), metadata.VerdictAny, table("a"), "unexpected at $: cannot continue due to newly found inconsistent metadata"},
		"known before":                   {state(conflict, single), state(single, conflict), metadata.VerdictNew, table("x"), ""},
		"known before, but all must go":  {state(single), state(single), metadata.VerdictConsistent, table("x"), "unexpected at $: cannot continue due to inconsistent metadata"},
		"everything is allowed":          {state(), state(single), metadata.VerdictNone, table("a"), ""},
		"the schema as a whole":          {state(), state(whole), metadata.VerdictNamed, table("f"), "unexpected at $: no schema"},
		"as a whole, known before":       {state(whole), state(whole), metadata.VerdictAny, table("f"), ""},
		"as a whole, but all is allowed": {state(), state(whole), metadata.VerdictNone, table("f"), ""},
		"information":                    {state(), state(informs), metadata.VerdictNamed, table("a"), ""},
		"information, but all must go":   {state(), state(informs), metadata.VerdictConsistent, table("a"), "unexpected at $: cannot continue due to inconsistent metadata"},
	} {
		err := judge(c.before, c.after, c.verdict, []metadata.ObjectID{c.named})
		if c.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.EqualError(t, err, c.want, name)
	}
}
