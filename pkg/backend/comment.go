package backend

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"queryengine/pkg/jsontext"
)

// Comment describes a statement in the activity of the database: which field of which operation it
// belongs to.
type Comment struct {
	Format CommentFormat
	Tags   []Tag
	// PerRequest has each run name its request (Args.RequestID) in front of the tags. No text
	// comes twice then, so none is kept prepared.
	PerRequest bool
}

// Tag is a name and a value. Names are the engine's own words; values may come from clients.
type Tag struct{ Name, Value string }

// CommentFormat is how a comment looks, and where it is.
type CommentFormat string

// The formats, as metadata spells them.
const (
	CommentStandard     CommentFormat = "standard"           // name=value, behind the statement
	CommentPrepended    CommentFormat = "standard_prepended" // the same in front of it
	CommentSQLCommenter CommentFormat = "sqlcommenter"       // name='value' by name, behind the statement
)

// requestTag is the name of the id of a request.
const requestTag = "request_id"

// maxTagValue bounds a value, in bytes.
const maxTagValue = 256

// Wrap adds the comment to a statement; request is the id of the request, empty for none.
func (c *Comment) Wrap(sql, request string) string {
	tags := c.Tags
	if request != "" {
		tags = append([]Tag{{requestTag, request}}, tags...)
	}
	if len(tags) == 0 {
		return sql
	}
	switch c.Format {
	case CommentPrepended:
		return standardComment(tags) + " " + sql
	case CommentSQLCommenter:
		return sql + " " + sqlCommenter(tags)
	default:
		return sql + " " + standardComment(tags)
	}
}

func standardComment(tags []Tag) string {
	texts := make([]string, len(tags))
	for i, t := range tags {
		texts[i] = t.Name + "=" + harmless(t.Value)
	}
	return "/* " + strings.Join(texts, ", ") + " */"
}

// sqlCommenter writes tags by the specification of that name.
func sqlCommenter(tags []Tag) string {
	sorted := slices.SortedFunc(slices.Values(tags), func(a, b Tag) int { return strings.Compare(a.Name, b.Name) })
	texts := make([]string, len(sorted))
	for i, t := range sorted {
		texts[i] = t.Name + "='" + strings.ReplaceAll(url.QueryEscape(jsontext.Cut(t.Value, maxTagValue)), "+", "%20") + "'"
	}
	return "/* " + strings.Join(texts, ",") + " */"
}

// harmless is a value that stays inside of a comment, whatever it is: comments of SQL nest, so
// it may neither end one nor begin one. What no statement may hold becomes a space.
func harmless(value string) string {
	value = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return ' '
		}
		return r
	}, jsontext.Cut(value, maxTagValue))
	for _, mark := range []string{"*/", "/*"} {
		for strings.Contains(value, mark) {
			value = strings.ReplaceAll(value, mark, mark[:1]+" "+mark[1:])
		}
	}
	return value
}
