package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// TestTriggersSayWhereTheyAre: reasons begin with what the trigger belongs to.
func TestTriggersSayWhereTheyAre(t *testing.T) {
	t.Parallel()
	trigger := func(definition, webhook string) string {
		return `"event_triggers":[{"name":"e","definition":{"enable_manual":false,` + definition + `},
			"retry_conf":{"num_retries":0,"interval_sec":10,"timeout_sec":60},` + webhook + `}]`
	}
	cron := func(webhook string) string {
		return `{"version":3,"sources":[],"cron_triggers":[{"name":"c","webhook":"` + webhook + `","schedule":"* * * * *","include_in_metadata":true}]}`
	}
	o := options()
	o.Env = func(name string) (string, bool) { return "http://x", name == "HOST" }
	for name, c := range map[string]struct {
		doc  *metadata.Document
		want []string
	}{
		"variable": {
			document(t, tracked(staffTable, trigger(`"insert":{"columns":"*"}`, `"webhook_from_env":"NONE"`))),
			[]string{`in table "staff": in event trigger "e": environment variable 'NONE' not set`},
		},
		"column": {
			document(t, tracked(staffTable, trigger(`"update":{"columns":["none"]}`, `"webhook_from_env":"HOST"`))),
			[]string{`in table "staff": in event trigger "e": column "none" does not exist`},
		},
		"good":      {document(t, tracked(staffTable, trigger(`"insert":{"columns":"*"}`, `"webhook_from_env":"HOST"`))), []string{}},
		"cron":      {parseDocument(t, cron("{{NONE}}/a")), []string{`in cron trigger c: Value for environment variables not found: NONE`}},
		"good cron": {parseDocument(t, cron("{{HOST}}/a")), []string{}},
	} {
		s := resolve.Build(c.doc, map[string]*catalog.Source{"default": shop()}, nil, nil, o)
		require.Equal(t, c.want, problems(s), name)
	}
}
