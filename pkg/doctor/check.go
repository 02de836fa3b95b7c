package doctor

import (
	"fmt"
	"strings"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// Patient is a source with what was found in its database.
type Patient struct {
	Source *metadata.Source
	Types  backend.TypeSystem
	// Pool bounds the connections of a process to the source; 0 where the configuration doesn't.
	Pool int
	// Policed reports whether requests set something that policies read; Roles are the database roles that they take, as far as the
	// configuration names them.
	Policed bool
	Roles   []string
	// Facts is nil when the database could not be examined.
	Facts *Facts
}

// Check holds the facts of all sources against the metadata.
func Check(patients []*Patient) []Finding {
	var all []Finding
	for _, p := range patients {
		if p.Facts == nil {
			continue
		}
		c := &checker{source: p.Source, types: p.Types, facts: p.Facts, patients: patients, told: map[string]bool{}}
		c.server()
		c.policies(p)
		c.tables()
		c.functions()
		all = append(all, c.findings...)
	}
	all = append(all, connections(patients)...)
	Sort(all)
	return all
}

// checker checks one source.
type checker struct {
	source   *metadata.Source
	types    backend.TypeSystem
	facts    *Facts
	patients []*Patient
	findings []Finding
	told     map[string]bool // codes with objects, for what several objects of the metadata lead to
}

func (c *checker) display(n catalog.Name) string { return c.source.Display(n) }

func (c *checker) add(severity Severity, code, object, message, remedy string) {
	if key := code + "\x00" + object; !c.told[key] {
		c.told[key] = true
		c.findings = append(c.findings, Finding{
			Code: code, Severity: severity, Source: c.source.Name, Object: object, Message: message, Remedy: remedy,
		})
	}
}

// The bounds of what is worth a finding.
const (
	clockDifference = 5 * time.Second
	eventsMany      = 1_000_000
	eventsOld       = 30 * 24 * time.Hour
	eventsWaiting   = time.Hour
)

func (c *checker) server() {
	s := &c.facts.Server
	if s.Outdated != "" {
		c.add(Error, "server-version", "", s.Outdated, "Upgrade the server")
	}
	if s.ReadOnly {
		severity := Warning
		if c.writes() {
			severity = Error
		}
		c.add(severity, "read-only", "", "the database only reads: mutations and event triggers fail",
			"Use the address of the primary; standbys go into read_replicas")
	}
	if s.Pooled {
		c.add(Info, "pooler", "", "a pooler is between: in transaction mode statements aren't kept prepared, and notifications of "+
			"changes and events don't arrive, so that both are polled for", "Give the engine a direct address, or a pool in session mode")
	}
	if s.StatementTimeout > 0 {
		c.add(Info, "statement-timeout", "", fmt.Sprintf("the database ends statements of %s after %s, "+
			"also those of migrations and introspection", s.User, time.Duration(s.StatementTimeout)*time.Millisecond), "")
	}
	if ahead := s.Ahead.Abs(); ahead > clockDifference {
		severity := Info
		if c.hasEventTriggers() {
			severity = Warning
		}
		c.add(severity, "clock", "", fmt.Sprintf("the clock of the database differs from this computer's by %s: retries and "+
			"delays of events are off by as much", ahead.Round(time.Second)), "Synchronise both clocks")
	}
	if s.EventTriggers != "" && c.hasEventTriggers() {
		c.add(Error, "event-log-missing", "", s.EventTriggers, s.EventTriggersRemedy)
	}
	c.eventLog()
}

// policies checks that requests can take their database roles, and that policies apply to these.
func (c *checker) policies(p *Patient) {
	if !p.Policed {
		return
	}
	user := quote.Name(c.facts.Server.User)
	exempt := func(role string) {
		if c.facts.Server.Roles[role].Exempt {
			c.add(Warning, "policies-bypassed", role, "requests have this database role, to which no policy applies: it is a superuser, or has BYPASSRLS",
				"ALTER ROLE "+quote.Name(role)+" NOSUPERUSER NOBYPASSRLS")
		}
	}
	for _, role := range p.Roles {
		switch r, known := c.facts.Server.Roles[role]; {
		case !known:
			c.add(Error, "database-role", role, "requests take this database role, which doesn't exist",
				"CREATE ROLE "+quote.Name(role)+"; GRANT "+quote.Name(role)+" TO "+user)
		case !r.Granted:
			c.add(Error, "database-role", role, "requests take this database role, but "+c.facts.Server.User+" isn't a member of it",
				"GRANT "+quote.Name(role)+" TO "+user)
		}
		exempt(role)
	}
	if len(p.Roles) == 0 {
		exempt(c.facts.Server.User)
	}
}

func (c *checker) eventLog() {
	log := c.facts.EventLog
	if log == nil {
		return
	}
	done, open := seconds(log.OldestDone), seconds(log.OldestOpen)
	if log.Rows > eventsMany || done > eventsOld {
		c.add(Warning, "event-log-large", "engine_catalog.event_log", fmt.Sprintf("the log has about %d events (%d MB), the oldest "+
			"delivered one is %s old", log.Rows, log.Bytes>>20, done.Round(time.Hour)),
			"Give the event triggers a cleanup_config, or call *_cleanup_event_trigger_logs")
	}
	if open > eventsWaiting {
		c.add(Warning, "events-waiting", "engine_catalog.event_log", fmt.Sprintf("the oldest event that is not delivered is %s old",
			open.Round(time.Minute)), "Look at the webhook, and whether event-delivery runs")
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// writes reports whether some role may write, or events are recorded.
func (c *checker) writes() bool {
	for _, t := range c.source.Tables {
		if len(t.InsertPermissions)+len(t.UpdatePermissions)+len(t.DeletePermissions)+len(t.EventTriggers) > 0 {
			return true
		}
	}
	return false
}

func (c *checker) hasEventTriggers() bool {
	for _, t := range c.source.Tables {
		if len(t.EventTriggers) > 0 {
			return true
		}
	}
	return false
}

func (c *checker) functions() {
	used := map[catalog.Name]bool{}
	for _, f := range c.source.Functions {
		used[f.Function] = true
	}
	for _, t := range c.source.Tables {
		for _, f := range t.ComputedFields {
			used[f.Definition.Function] = true
		}
	}
	found := map[catalog.Name]bool{}
	for _, f := range c.facts.Functions {
		found[f.Name] = true
		if used[f.Name] && !f.Execute {
			c.add(Error, "function-right", f.Identifier, c.facts.Server.User+" may not call the function",
				fmt.Sprintf("GRANT EXECUTE ON FUNCTION %s TO %s", f.Identifier, c.user()))
		}
	}
	for name := range used {
		if !found[name] {
			c.add(Error, "function-missing", c.display(name), "the database has no such function", "")
		}
	}
}

// user is the engine's user as statements spell it.
func (c *checker) user() string {
	return `"` + strings.ReplaceAll(c.facts.Server.User, `"`, `""`) + `"`
}

// defaultPool is the bound of the connections to a source that doesn't name one.
const defaultPool = 50

// connections compares the bounds of servers with those of the pools of all sources on them.
func connections(patients []*Patient) []Finding {
	sum, names := map[string]int{}, map[string][]string{}
	for _, p := range patients {
		if p.Facts == nil || p.Facts.Server.MaxConnections == 0 {
			continue
		}
		limit := defaultPool
		if p.Pool > 0 {
			limit = p.Pool
		}
		sum[p.Facts.Server.Identity] += limit
		names[p.Facts.Server.Identity] = append(names[p.Facts.Server.Identity], p.Source.Name)
	}
	var list []Finding
	told := map[string]bool{}
	for _, p := range patients {
		if p.Facts == nil {
			continue
		}
		server := &p.Facts.Server
		if pools := sum[server.Identity]; pools > server.MaxConnections && !told[server.Identity] {
			told[server.Identity] = true
			list = append(list, Finding{
				Code: "connections", Severity: Warning, Source: p.Source.Name,
				Message: fmt.Sprintf("the server allows %d connections, the pools of %s up to %d, in each process that "+
					"connects", server.MaxConnections, strings.Join(names[server.Identity], ", "), pools),
				Remedy: "Lower pool_settings.max_connections, or raise max_connections of the server",
			})
		}
	}
	return list
}
