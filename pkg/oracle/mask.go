package oracle

import (
	"crypto/sha256"
	"fmt"
	"math"
	"strings"
)

// mask is what is shown instead of values: by name, or a constant, or by an expression.
type mask struct {
	name       string
	constant   any
	expression *maskExpression
}

// maskExpression is SQL, with $ for the column, and what it makes of a value that isn't NULL.
type maskExpression struct {
	sql string
	of  func(v any) any
	// ofNull is what it makes of NULL.
	ofNull any
}

var maskExpressions = map[Kind][]*maskExpression{
	Text: {
		{sql: `left($, 1) || '…'`, of: func(v any) any { return firstOf(v) + "…" }},
		{sql: `coalesce(upper($), 'none')`, of: func(v any) any { return strings.ToUpper(v.(string)) }, ofNull: "none"}, //nolint:forcetypeassert // of the kind
		{sql: `concat('<', right($, 1), '>')`, of: func(v any) any { return "<" + lastOf(v) + ">" }, ofNull: "<>"},
	},
	Int: {
		{sql: `-abs($) * 2 + 1`, of: func(v any) any { return 1 - 2*math.Abs(v.(float64)) }}, //nolint:forcetypeassert // of the kind
		{sql: `coalesce($, 7) * 1000000000000`, of: func(v any) any { //nolint:forcetypeassert // of the kind
			return max(min(v.(float64)*1e12, math.MaxInt32), math.MinInt32)
		}, ofNull: float64(math.MaxInt32)},
	},
}

func firstOf(v any) string { return string([]rune(v.(string) + " ")[:min(1, len(v.(string)))]) } //nolint:forcetypeassert // of the kind

func lastOf(v any) string { //nolint:forcetypeassert // of the kind
	characters := []rune(v.(string))
	return string(characters[max(0, len(characters)-1):])
}

var maskNames = []string{"null", "redact", "hash", "last4", "email"}

func (k mask) shows(v any) any {
	if k.expression != nil {
		if v == nil {
			return k.expression.ofNull
		}
		return k.expression.of(v)
	}
	text, isText := v.(string)
	switch k.name {
	case "":
		return k.constant
	case "null":
		return nil
	case "redact":
		return "***"
	}
	if !isText {
		return nil
	}
	characters := []rune(text)
	switch at := strings.LastIndex(text, "@"); {
	case k.name == "hash":
		return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	case k.name == "last4" && len(characters) > 4:
		return "****" + string(characters[len(characters)-4:])
	case k.name == "last4":
		return "****"
	case at >= 0:
		return string(characters[:1]) + "***" + text[at:]
	}
	return "***"
}
