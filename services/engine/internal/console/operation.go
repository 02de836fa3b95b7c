package console

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

// effect is what a request may do.
type effect struct {
	// modifies is set where the metadata may be changed.
	modifies bool
	// sql are the texts that run, but for those that only read or are tried.
	sql []statement
	// partial is set where a part of the texts may run and another may not.
	partial bool
}

type statement struct {
	source, text string
	// alone is set for one that runs in no transaction.
	alone bool
}

// examine finds out what a request may do. What the registry doesn't know is for the server, which may be another
// version, to say; it may change everything.
func examine(registry *metadata.Registry, api metadata.API, body json.RawMessage) effect {
	envelope, err := metadata.ParseEnvelope(body)
	if err != nil {
		return effect{modifies: true}
	}
	operation, err := registry.Operation(api, envelope)
	switch {
	case err != nil:
		return effect{modifies: true}
	case envelope.DryRun, operation.AsksDryRun():
		return effect{}
	}
	switch args := operation.Args.(type) {
	case *metadata.Bulk:
		whole := effect{}
		for _, element := range args.Requests {
			e := examine(registry, api, element)
			whole.modifies = whole.modifies || e.modifies
			whole.partial = whole.partial || e.partial || len(args.Requests) > 1 && len(e.sql) > 0 // another element may be refused after it
			whole.sql = append(whole.sql, e.sql...)
		}
		return whole
	case *metadata.RunSQL:
		if args.ReadOnly {
			return effect{}
		}
		// It may drop what the metadata refers to.
		return effect{modifies: true, sql: []statement{{args.Source, args.SQL, args.NoTransaction}}}
	}
	return effect{modifies: operation.Modifies()}
}

// choice is what a request asks for in its headers: whether its SQL becomes a migration, what that is called, and what takes
// it back, "" where that isn't known.
type choice struct{ mode, name, down string }

// The headers of a choice. The name and what takes it back are in percent-encoding.
const (
	modeHeader = "X-Engine-Migration"
	nameHeader = "X-Engine-Migration-Name"
	downHeader = "X-Engine-Migration-Down"
)

// The modes.
const (
	ofSchema = "schema" // SQL that changes the schema, which is usual
	always   = "always"
	never    = "never"
)

// changesSchema matches the words of SQL that changes the schema. One in a string or comment counts.
var changesSchema = regexp.MustCompile(`(?i)\b(?:create|create_\w+|alter|drop|comment\s+on|grant|revoke|security\s+label|import\s+foreign|sp_rename)\b`)

// migrates reports whether statements become migrations.
func (c choice) migrates(list []statement) bool {
	if len(list) == 0 || c.mode == never {
		return false
	}
	return c.mode == always || slices.ContainsFunc(list, func(s statement) bool { return changesSchema.MatchString(s.text) })
}

// check refuses statements that migrations can't have.
func (e effect) check() error {
	switch {
	case e.partial:
		return apierror.New(apierror.NotSupported, "SQL of which a part may fail can't become a migration, and was not run: send it by itself")
	case slices.ContainsFunc(e.sql, func(s statement) bool { return s.alone }):
		return apierror.New(apierror.NotSupported, "SQL that runs in no transaction can't become a migration, as those have one, and was not run: "+
			"choose to write none")
	}
	return nil
}

// usualWords bounds the name that a migration gets.
const usualWords = 3

var (
	comments = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/`)
	words    = regexp.MustCompile(`\w+`)
)

// usualName is the name of a migration that was given none: the first words of its text.
func usualName(text string) string {
	found := words.FindAllString(comments.ReplaceAllString(text, " "), usualWords)
	if len(found) == 0 {
		return "sql"
	}
	return strings.ToLower(strings.Join(found, "_"))
}

// usualDown is the text that takes a migration back, until you write it.
func usualDown(text string) string {
	var b strings.Builder
	b.WriteString("-- Write here what takes this back:\n")
	for line := range strings.Lines(text) {
		b.WriteString("-- " + strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}
