package backend_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
)

func TestCommentFormats(t *testing.T) {
	t.Parallel()
	tags := []backend.Tag{{Name: "field_name", Value: "books"}, {Name: "a", Value: "x y/z"}}
	for name, c := range map[string]struct {
		comment backend.Comment
		request string
		want    string
	}{
		"none":         {want: "SELECT 1"},
		"standard":     {backend.Comment{Format: backend.CommentStandard, Tags: tags}, "", "SELECT 1 /* field_name=books, a=x y/z */"},
		"prepended":    {backend.Comment{Format: backend.CommentPrepended, Tags: tags}, "", "/* field_name=books, a=x y/z */ SELECT 1"},
		"sqlcommenter": {backend.Comment{Format: backend.CommentSQLCommenter, Tags: tags}, "", "SELECT 1 /* a='x%20y%2Fz',field_name='books' */"},
		"request":      {backend.Comment{Format: backend.CommentStandard, Tags: tags}, "r-1", "SELECT 1 /* request_id=r-1, field_name=books, a=x y/z */"},
		"only request": {backend.Comment{Format: backend.CommentSQLCommenter}, "r-1", "SELECT 1 /* request_id='r-1' */"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, c.comment.Wrap("SELECT 1", c.request))
		})
	}
}

func TestCommentsCannotBeLeft(t *testing.T) {
	t.Parallel()
	inside := regexp.MustCompile(`^SELECT 1 /\* [^\x00-\x1f]* \*/$`)
	for _, value := range []string{
		`*/; DROP TABLE users; --`, `/*`, `/*/`, `*/*/*`, `**//**`, "\x00", "a\nb\r\n--", `'; SELECT 1; --`, "\xff*\xff/", "*\x00/", "$1",
		strings.Repeat("*/", 10_000), strings.Repeat("é", 10_000),
	} {
		for _, format := range []backend.CommentFormat{backend.CommentStandard, backend.CommentSQLCommenter} {
			c := backend.Comment{Format: format, Tags: []backend.Tag{{Name: "operation_name", Value: value}}}
			sql := c.Wrap("SELECT 1", "")
			require.Regexp(t, inside, sql)
			require.Equal(t, 1, strings.Count(sql, "/*"), sql)
			require.Equal(t, 1, strings.Count(sql, "*/"), sql)
			require.Less(t, len(sql), 3*256+50)
		}
	}
}
