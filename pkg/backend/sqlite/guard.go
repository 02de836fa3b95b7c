package sqlite

import (
	"errors"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
)

// SQLite calls guard for whatever a statement is going to do, when the statement is compiled. It
// refuses what leaves the file or breaks it, and keeps account of the tables that are written.
//
// SQLite's defensive mode would refuse some of that, too. The driver can't set it: SetDefensive forgets an
// argument, and SQLite writes a number to whatever address it finds in its place.
type guard struct {
	// mode is what texts may do at present.
	mode guardMode
	// denied is why the last statement was refused.
	denied string
	// writes gets the tables that the statement which is being compiled writes; nil for nowhere.
	writes *[]string
	// reads gets the tables that the statement which is being compiled reads; nil for nowhere.
	reads *[]string
	// written are the tables that were written since reset.
	written map[string]bool
}

// guardMode is what texts may do.
type guardMode uint8

const (
	// guardOwn is for statements of the engine.
	guardOwn guardMode = iota
	// guardText is for a text of run_sql in a transaction, which is not its to end.
	guardText
	// guardFreeText is for a text of run_sql without a transaction.
	guardFreeText
	// guardReadOnly is for a text of run_sql that must not write.
	guardReadOnly
)

// Why statements are refused.
const (
	deniedAttach      = "other databases can't be attached"
	deniedPragma      = "this PRAGMA isn't allowed here: "
	deniedTransaction = "the text runs in a transaction of its own: remove BEGIN, COMMIT and ROLLBACK, or set no_transaction"
	deniedPages       = "pages of the file can't be written"
	deniedWrite       = "attempt to write in a read-only transaction"
)

// Authorize implements sqlite.Authorizer.
func (g *guard) Authorize(a sqlite.Action) sqlite.AuthResult {
	if why := g.refuses(a); why != "" {
		g.denied = why
		return sqlite.AuthResultDeny
	}
	switch a.Type() {
	case sqlite.OpInsert, sqlite.OpUpdate, sqlite.OpDelete:
		add(g.writes, a.Table())
	case sqlite.OpRead:
		add(g.reads, a.Table())
	}
	return sqlite.AuthResultOK
}

func add(to *[]string, table string) {
	if to != nil && !slices.Contains(*to, table) {
		*to = append(*to, table)
	}
}

// refuses gives the reason against an action, empty when there is none.
func (g *guard) refuses(a sqlite.Action) string {
	switch a.Type() {
	case sqlite.OpAttach:
		// VACUUM attaches a database without a name for its own use.
		if g.mode != guardFreeText || a.File() != "" {
			return deniedAttach
		}
	case sqlite.OpDetach:
		if g.mode != guardFreeText {
			return deniedAttach
		}
	case sqlite.OpInsert, sqlite.OpUpdate, sqlite.OpDelete:
		if strings.EqualFold(a.Table(), "sqlite_dbpage") {
			return deniedPages
		}
	}
	switch g.mode {
	case guardText:
		switch a.Type() {
		case sqlite.OpTransaction:
			return deniedTransaction
		case sqlite.OpPragma:
			if forbiddenPragma(a) {
				return deniedPragma + a.Pragma()
			}
		}
	case guardFreeText:
		if a.Type() == sqlite.OpPragma && forbiddenPragma(a) {
			return deniedPragma + a.Pragma()
		}
	case guardReadOnly:
		switch a.Type() {
		case sqlite.OpSelect, sqlite.OpRead, sqlite.OpFunction, sqlite.OpRecursive:
		case sqlite.OpPragma:
			if !readingPragma(a) {
				return deniedPragma + a.Pragma()
			}
		default:
			return deniedWrite
		}
	}
	return ""
}

// forbiddenPragma reports whether a pragma reaches beyond the file, takes protection from it, or changes how
// it is written.
func forbiddenPragma(a sqlite.Action) bool {
	switch strings.ToLower(a.Pragma()) {
	case "data_store_directory", "temp_store_directory", "writable_schema", "trusted_schema", "mmap_size", "lock_proxy_file":
		return true
	case "journal_mode", "schema_version":
		return a.PragmaArg() != ""
	}
	return false
}

// readingPragma reports whether a pragma only shows something.
func readingPragma(a sqlite.Action) bool {
	switch strings.ToLower(a.Pragma()) {
	case "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list", "foreign_key_check",
		"integrity_check", "quick_check", "database_list", "collation_list", "function_list", "module_list", "pragma_list", "compile_options":
		return true
	case "user_version", "application_id", "schema_version", "data_version", "encoding", "page_count", "page_size", "freelist_count",
		"journal_mode", "foreign_keys", "auto_vacuum", "synchronous", "cache_size", "busy_timeout", "query_only", "journal_size_limit":
		return a.PragmaArg() == ""
	}
	return false
}

// record has the tables that are written go to a list until the function that it returns is called.
func (g *guard) record(to *[]string) func() {
	g.writes, g.denied = to, ""
	return func() { g.writes = nil }
}

// wrote notes tables that were written.
func (g *guard) wrote(tables []string) {
	for _, t := range tables {
		if g.written == nil {
			g.written = map[string]bool{}
		}
		g.written[t] = true
	}
}

// taken gives the tables that were written since the last call.
func (g *guard) taken() map[string]bool {
	written := g.written
	g.written = nil
	return written
}

// deniedError is the error of a statement that was refused.
type deniedError struct{ why string }

func (e deniedError) Error() string { return e.why }

// explain has an error of a statement say why it was refused, where it was.
func (g *guard) explain(err error) error {
	if g.denied != "" && sqlite.ErrCode(err).ToPrimary() == sqlite.ResultAuth {
		return deniedError{g.denied}
	}
	return err
}

// errSeveral is the error of a plan with more than one statement.
var errSeveral = errors.New("more than one statement")
