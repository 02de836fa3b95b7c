package lexer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplitStatements(t *testing.T) {
	t.Parallel()
	atomic := "CREATE OR REPLACE FUNCTION f(a int) RETURNS int LANGUAGE sql BEGIN ATOMIC " +
		"SELECT 1; SELECT CASE WHEN a > 1 THEN 2 ELSE 3 END; END"
	for name, c := range map[string]struct {
		sql  string
		want []string
	}{
		"nothing":              {"", nil},
		"only separators":      {" ;; /* a; b */ ; -- c;\n ;", nil},
		"one":                  {"SELECT 1", []string{"SELECT 1"}},
		"two":                  {"SELECT 1; SELECT 2;", []string{"SELECT 1", " SELECT 2"}},
		"string":               {"SELECT ';', 'it''s;'; x", []string{"SELECT ';', 'it''s;'", " x"}},
		"plain backslash":      {`SELECT '\'; x`, []string{`SELECT '\'`, " x"}},
		"escape string":        {`SELECT E'\';', e'\\'; x`, []string{`SELECT E'\';', e'\\'`, " x"}},
		"escape continued":     {"SELECT E'a' -- no\n; x", []string{"SELECT E'a' -- no\n", " x"}},
		"escape in two parts":  {"SELECT E'a'\n --c\n 'b\\';'; x", []string{"SELECT E'a'\n --c\n 'b\\';'", " x"}},
		"word before a string": {`SELECT te'\'; x`, []string{`SELECT te'\'`, " x"}},
		"identifier":           {`SELECT "a;""b;"; x`, []string{`SELECT "a;""b;"`, " x"}},
		"line comment":         {"SELECT 1 -- ; '\n; x", []string{"SELECT 1 -- ; '\n", " x"}},
		"carriage return":      {"--a\rSELECT 1; x", []string{"--a\rSELECT 1", " x"}},
		"nested comment":       {"SELECT /* ; /* ' ; */ ; */ 1; x", []string{"SELECT /* ; /* ' ; */ ; */ 1", " x"}},
		"dollars":              {"SELECT $$;'$$, $a$ ; $b$ $$ $a$; x", []string{"SELECT $$;'$$, $a$ ; $b$ $$ $a$", " x"}},
		"dollar in a word":     {"SELECT a$b$; x$b$", []string{"SELECT a$b$", " x$b$"}},
		"parameter":            {"SELECT $1; $2$; x", []string{"SELECT $1", " $2$", " x"}},
		"parentheses": {"CREATE RULE r AS ON UPDATE TO t DO (SELECT 1; SELECT 2); x", []string{
			"CREATE RULE r AS ON UPDATE TO t DO (SELECT 1; SELECT 2)", " x",
		}},
		"atomic body":     {atomic + "; x", []string{atomic, " x"}},
		"begin elsewhere": {"BEGIN; SELECT 1; END; x", []string{"BEGIN", " SELECT 1", " END", " x"}},
		"unfinished":      {"SELECT 1; SELECT 'a; b", []string{"SELECT 1", " SELECT 'a; b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, Statements(c.sql))
		})
	}
}

func TestLeadingWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"ROLLBACK", "WORK", "TO"}, LeadingWords(" /* a */ rollback--\r work\fTO savepoint a", 3))
	require.Equal(t, []string{"SELECT"}, LeadingWords("select'a'", 3))
	require.Empty(t, LeadingWords("(commit)", 3))
}

// FuzzStatements: a part can't be split again, and the parts put together again are
// split alike.
func FuzzStatements(f *testing.F) {
	for _, seed := range []string{
		"SELECT 1; SELECT 2", "E'\\';'", "$a$;$a$", "/*/*;*/;*/", "--;\r;", "(;)", "E'a'\n'\\';'", "\x00;",
		"create function f() begin atomic;select case;end;end;", "\"a;", "$1$;$",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		parts := Statements(sql)
		for i, part := range parts {
			require.Contains(t, sql, part)
			require.Equal(t, []string{part}, Statements(part))
			if i < len(parts)-1 {
				parts[i] += "\n" // ends a line comment
			}
		}
		require.Equal(t, parts, Statements(strings.Join(parts, ";")))
	})
}
