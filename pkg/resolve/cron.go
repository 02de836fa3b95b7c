package resolve

import (
	"fmt"

	"queryengine/pkg/extension"
	"queryengine/pkg/metadata"
)

// checkCronTriggers checks the variables that cron triggers name.
func (s *Schema) checkCronTriggers() []metadata.Inconsistency {
	if s.options.Env == nil {
		return nil
	}
	var list []metadata.Inconsistency
	for _, raw := range s.Document.CronTriggers {
		t, err := metadata.ParseCronTrigger(raw)
		if err != nil {
			continue // what can't be read was refused when it came
		}
		problem := t.Problem(s.options.Env)
		if problem == "" {
			problem = s.codeFault(extension.Schedule, t.Webhook)
		}
		if problem != "" {
			list = append(list, inconsistent(t.ID(), raw, fmt.Sprintf("in cron trigger %s: %s", t.Name, problem)))
		}
	}
	return list
}
