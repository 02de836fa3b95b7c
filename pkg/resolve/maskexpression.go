package resolve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// A mask may be an expression on columns of the row: literals, casts, operators and functions of a fixed list, in the syntax of SQL. It is
// parsed and typed here, so it has neither sub-selects nor functions that do anything but compute, and it fails for no row. Its texts
// reach the database as parameters.

// maskType is what an expression is of: a family of types, or one of these.
type maskType = backend.MaskFamily

const (
	maskText    = backend.MaskText
	maskNumber  = backend.MaskNumber
	maskTime    = backend.MaskTime
	maskBoolean = backend.MaskBoolean

	maskOther   maskType = "other"
	maskUnknown maskType = "null" // NULL alone
)

func (d definitionParser) maskTypeOf(t catalog.Type) backend.MaskType {
	if known, ok := d.table.Source.Dialect.Tables().MaskTypes[t.Name]; ok && !t.IsArray() {
		return known
	}
	return backend.MaskType{Family: maskOther}
}

// Parameters of functions that take no value of a family.
const (
	maskCount maskType = "count" // a literal from 0 to maxMaskCount
	maskPlace maskType = "place" // a literal that may be negative
	maskField maskType = "field" // a literal from 1 to maxMaskCount
	maskUnit  maskType = "unit"  // the name of a unit of time, as a literal
	maskSame  maskType = "same"  // of the type of the first argument
	maskAny   maskType = "any"
)

// maxMaskCount bounds how much longer a function can make a text.
const maxMaskCount = 1000

// maskFunction is a function that expressions may call. The last parameter of a variadic one may be repeated, and optional ones be left out.
type maskFunction struct {
	params   []maskType
	optional int
	variadic bool
	result   maskType
}

var maskFunctions = map[string]maskFunction{
	"left":       {params: []maskType{maskText, maskPlace}, result: maskText},
	"right":      {params: []maskType{maskText, maskPlace}, result: maskText},
	"substr":     {params: []maskType{maskText, maskPlace, maskCount}, optional: 1, result: maskText},
	"upper":      {params: []maskType{maskText}, result: maskText},
	"lower":      {params: []maskType{maskText}, result: maskText},
	"initcap":    {params: []maskType{maskText}, result: maskText},
	"reverse":    {params: []maskType{maskText}, result: maskText},
	"btrim":      {params: []maskType{maskText, maskText}, optional: 1, result: maskText},
	"replace":    {params: []maskType{maskText, maskText, maskText}, result: maskText},
	"lpad":       {params: []maskType{maskText, maskCount, maskText}, optional: 1, result: maskText},
	"rpad":       {params: []maskType{maskText, maskCount, maskText}, optional: 1, result: maskText},
	"repeat":     {params: []maskType{maskText, maskCount}, result: maskText},
	"split_part": {params: []maskType{maskText, maskText, maskField}, result: maskText},
	"md5":        {params: []maskType{maskText}, result: maskText},
	"concat":     {params: []maskType{maskAny}, variadic: true, result: maskText},
	"length":     {params: []maskType{maskText}, result: maskNumber},
	"strpos":     {params: []maskType{maskText, maskText}, result: maskNumber},
	"round":      {params: []maskType{maskNumber, maskPlace}, optional: 1, result: maskNumber},
	"trunc":      {params: []maskType{maskNumber, maskPlace}, optional: 1, result: maskNumber},
	"floor":      {params: []maskType{maskNumber}, result: maskNumber},
	"ceil":       {params: []maskType{maskNumber}, result: maskNumber},
	"abs":        {params: []maskType{maskNumber}, result: maskNumber},
	"date_trunc": {params: []maskType{maskUnit, maskTime}, result: maskTime},
	"coalesce":   {params: []maskType{maskAny, maskSame}, variadic: true, result: maskSame},
	"nullif":     {params: []maskType{maskAny, maskSame}, result: maskSame},
}

var maskUnits = []string{"second", "minute", "hour", "day", "week", "month", "quarter", "year", "decade", "century"}

// maxMaskLength and maxMaskDepth bound expressions.
const (
	maxMaskLength = 1000
	maxMaskDepth  = 20
)

// maskExpression parses an expression for a column.
func (d definitionParser) maskExpression(c *Column, text string) ([]ir.MaskPart, error) {
	if d.table.Source.Dialect.Tables().MaskTypes == nil {
		return nil, apierror.Newf(apierror.NotSupported, "sources of kind %q have no expressions as masks", d.table.Source.Kind)
	}
	if len(text) > maxMaskLength {
		return nil, apierror.Newf(apierror.ParseFailed, "an expression has at most %d bytes", maxMaskLength)
	}
	p := maskParser{definition: d, text: text}
	e, err := p.whole()
	if err != nil {
		return nil, apierror.Newf(apierror.ParseFailed, "in the mask %q: %s", text, err)
	}
	want := d.maskTypeOf(c.Type)
	switch {
	case want.Family == maskOther || c.Enum != nil:
		return nil, apierror.Newf(apierror.NotSupported, "columns of type %s have no expressions as masks", c.Type.Name)
	case e.of != want.Family && e.of != maskUnknown:
		return nil, apierror.Newf(apierror.ValidationFailed, "the mask %q is of type %s; column %q is of type %s", text, e.of, c.Name, c.Type.Name)
	}
	return e.as(c.Type, want.Bits).parts, nil
}

// as casts a value to the type of a column. A whole number that is too large for it becomes the largest one, so that no cast fails.
func (v maskValue) as(t catalog.Type, bits int) maskValue {
	if bits > 0 && v.of == maskNumber {
		most, least := strconv.FormatUint(1<<(bits-1)-1, 10), strconv.FormatInt(-1<<(bits-1), 10)
		v = maskSQL(v.of, "CASE WHEN (", v, ") > "+most+" THEN "+most+" WHEN (", v, ") < "+least+" THEN "+least+" ELSE (", v, ") END")
	}
	if v.of == maskText {
		return v
	}
	return maskSQL(v.of, "(", v, ")::"+t.Name)
}

// maskValue is a part of an expression.
type maskValue struct {
	of    maskType
	parts []ir.MaskPart
	// literal is the text of a literal.
	literal   string
	isLiteral bool
}

func maskSQL(of maskType, list ...any) maskValue {
	v := maskValue{of: of}
	for _, item := range list {
		switch item := item.(type) {
		case string:
			v.parts = append(v.parts, ir.MaskPart{Text: item})
		case maskValue:
			v.parts = append(v.parts, item.parts...)
		}
	}
	return v
}

// maskParser reads an expression.
type maskParser struct {
	definition definitionParser
	text       string
	at         int // behind the current token
	token      string
	kind       tokenKind
	depth      int
}

type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenName // a quoted one
	tokenText
	tokenNumber
	tokenSign
)

func (p *maskParser) whole() (maskValue, error) {
	if err := p.next(); err != nil {
		return maskValue{}, err
	}
	e, err := p.expression()
	if err == nil && p.kind != tokenEnd {
		err = fmt.Errorf("unexpected %q", p.token)
	}
	return e, err
}

// next reads a token.
func (p *maskParser) next() error {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	rest := p.text[p.at:]
	if rest == "" {
		p.kind, p.token = tokenEnd, ""
		return nil
	}
	end := func(kind tokenKind, n int) error {
		p.kind, p.token = kind, rest[:n]
		p.at += n
		return nil
	}
	switch b := rest[0]; {
	case b == '\'' || b == '"':
		return p.quoted(b)
	case b >= '0' && b <= '9':
		return end(tokenNumber, lengthOf(rest, func(b byte) bool { return b == '.' || b >= '0' && b <= '9' }))
	case isLetter(b):
		return end(tokenWord, lengthOf(rest, func(b byte) bool { return isLetter(b) || b >= '0' && b <= '9' }))
	case strings.HasPrefix(rest, "||"), strings.HasPrefix(rest, "::"):
		return end(tokenSign, 2)
	case strings.IndexByte("(),+-*", b) >= 0:
		return end(tokenSign, 1)
	}
	return fmt.Errorf("unexpected character at byte %d", p.at+1)
}

func isLetter(b byte) bool { return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

func lengthOf(text string, part func(byte) bool) int {
	n := 0
	for n < len(text) && part(text[n]) {
		n++
	}
	return n
}

// quoted reads a text or a name, in which a doubled quote stands for one.
func (p *maskParser) quoted(quote byte) error {
	p.kind = tokenText
	if quote == '"' {
		p.kind = tokenName
	}
	var b strings.Builder
	for i := p.at + 1; i < len(p.text); i++ {
		switch {
		case p.text[i] != quote:
			b.WriteByte(p.text[i])
		case i+1 < len(p.text) && p.text[i+1] == quote:
			b.WriteByte(quote)
			i++
		default:
			p.token, p.at = b.String(), i+1
			return nil
		}
	}
	return fmt.Errorf("the quote at byte %d has no end", p.at+1)
}

func (p *maskParser) is(sign string) bool { return p.kind == tokenSign && p.token == sign }

func (p *maskParser) expect(sign string) error {
	if !p.is(sign) {
		return fmt.Errorf("expected %q", sign)
	}
	return p.next()
}

// maskOperators are by their precedence, from the lowest one on.
var maskOperators = [][]string{{"||"}, {"+", "-"}, {"*"}}

func (p *maskParser) expression() (maskValue, error) {
	if p.depth++; p.depth > maxMaskDepth {
		return maskValue{}, fmt.Errorf("it is nested more than %d levels deep", maxMaskDepth)
	}
	defer func() { p.depth-- }()
	return p.operation(0)
}

func (p *maskParser) operation(level int) (maskValue, error) {
	if level == len(maskOperators) {
		return p.cast()
	}
	left, err := p.operation(level + 1)
	for err == nil && p.kind == tokenSign && slices.Contains(maskOperators[level], p.token) {
		sign := p.token
		if err = p.next(); err != nil {
			break
		}
		var right maskValue
		if right, err = p.operation(level + 1); err == nil {
			left, err = operate(sign, left, right)
		}
	}
	return left, err
}

func operate(sign string, left, right maskValue) (maskValue, error) {
	if sign == "||" {
		for _, v := range []maskValue{left, right} {
			if v.of != maskText {
				return maskValue{}, fmt.Errorf("|| takes texts, not %s: cast it with ::text", v.of)
			}
		}
		return maskSQL(maskText, "(", left, " || ", right, ")"), nil
	}
	if left.of != maskNumber || right.of != maskNumber {
		return maskValue{}, fmt.Errorf("%s takes numbers", sign)
	}
	return maskSQL(maskNumber, "((", left, ")::numeric "+sign+" (", right, ")::numeric)"), nil
}

// cast reads a value and what it is cast to. Values are cast to text, and dates and times to dates: no such cast fails.
func (p *maskParser) cast() (maskValue, error) {
	v, err := p.primary()
	for err == nil && p.is("::") {
		if err = p.next(); err != nil {
			break
		}
		to := strings.ToLower(p.token)
		switch {
		case p.kind == tokenWord && to == "text":
			v = maskSQL(maskText, "(", v, ")::text")
		case p.kind == tokenWord && to == "date" && v.of == maskTime:
			v = maskSQL(maskTime, "(", v, ")::date")
		default:
			return v, fmt.Errorf("%s can't be cast to %q", v.of, p.token)
		}
		err = p.next()
	}
	return v, err
}

func (p *maskParser) primary() (maskValue, error) {
	kind, token := p.kind, p.token
	if err := p.next(); err != nil {
		return maskValue{}, err
	}
	switch kind {
	case tokenText:
		value := ir.Literal{Text: token, Type: p.definition.table.Source.Dialect.Builtin(backend.TypeText)}
		return maskValue{of: maskText, parts: []ir.MaskPart{{Value: value}}, literal: token, isLiteral: true}, nil
	case tokenNumber:
		if _, err := strconv.ParseFloat(token, 64); err != nil || len(token) > 30 {
			return maskValue{}, fmt.Errorf("%q is no number", token)
		}
		v := maskSQL(maskNumber, token)
		v.literal, v.isLiteral = token, true
		return v, nil
	case tokenName:
		return p.column(token)
	case tokenWord:
		return p.word(token)
	case tokenSign:
		switch token {
		case "-":
			v, err := p.primary()
			if err == nil && v.of != maskNumber {
				err = fmt.Errorf("- takes a number")
			}
			minus := maskSQL(maskNumber, "(-", v, ")")
			minus.literal, minus.isLiteral = "-"+v.literal, v.isLiteral
			return minus, err
		case "(":
			v, err := p.expression()
			if err == nil {
				err = p.expect(")")
			}
			return v, err
		}
	}
	return maskValue{}, fmt.Errorf("expected a value")
}

func (p *maskParser) word(word string) (maskValue, error) {
	if p.is("(") {
		return p.call(strings.ToLower(word))
	}
	switch strings.ToLower(word) {
	case "null":
		return maskSQL(maskUnknown, "NULL"), nil
	case "true", "false":
		return maskSQL(maskBoolean, strings.ToLower(word)), nil
	}
	return p.column(strings.ToLower(word)) // as PostgreSQL reads names without quotes
}

func (p *maskParser) column(name string) (maskValue, error) {
	c := p.definition.table.Column(name)
	if c == nil {
		return maskValue{}, fmt.Errorf("column %q does not exist", name)
	}
	p.definition.tracker.needType(columnID(p.definition.table, name))
	return maskValue{of: p.definition.maskTypeOf(c.Type).Family, parts: []ir.MaskPart{{Column: &ir.Column{Name: c.Name, Type: c.Type}}}}, nil
}

func (p *maskParser) call(name string) (maskValue, error) {
	f, known := maskFunctions[name]
	if !known {
		return maskValue{}, fmt.Errorf("there is no function %q", name)
	}
	if err := p.next(); err != nil {
		return maskValue{}, err
	}
	var args []maskValue
	for !p.is(")") {
		if len(args) > 0 {
			if err := p.expect(","); err != nil {
				return maskValue{}, err
			}
		}
		arg, err := p.expression()
		if err != nil {
			return maskValue{}, err
		}
		args = append(args, arg)
	}
	if err := p.next(); err != nil {
		return maskValue{}, err
	}
	return f.call(name, args)
}

func (f maskFunction) call(name string, args []maskValue) (maskValue, error) {
	if len(args) < len(f.params)-f.optional || len(args) > len(f.params) && !f.variadic {
		return maskValue{}, fmt.Errorf("%s doesn't take %d arguments", name, len(args))
	}
	result := f.result
	list := []any{name + "("}
	for i, arg := range args {
		text, err := maskArgument(f.params[min(i, len(f.params)-1)], arg, args[0])
		if err != nil {
			return maskValue{}, fmt.Errorf("argument %d of %s: %w", i+1, name, err)
		}
		if i > 0 {
			list = append(list, ", ")
		}
		list = append(list, text...)
	}
	if result == maskSame {
		result = args[0].of
	}
	return maskSQL(result, append(list, ")")...), nil
}

// maskArgument is the SQL of an argument for a parameter of a type.
func maskArgument(t maskType, arg, first maskValue) ([]any, error) {
	switch t {
	case maskAny:
		return []any{arg}, nil
	case maskSame:
		if arg.of != first.of {
			return nil, fmt.Errorf("it is of type %s, and the first one of type %s", arg.of, first.of)
		}
		return []any{arg}, nil
	case maskUnit:
		if !arg.isLiteral || !slices.Contains(maskUnits, arg.literal) {
			return nil, fmt.Errorf("expected one of '%s'", strings.Join(maskUnits, "', '"))
		}
		return []any{"'" + arg.literal + "'"}, nil
	case maskCount, maskPlace, maskField:
		n, err := strconv.Atoi(arg.literal)
		least := map[maskType]int{maskPlace: -maxMaskCount, maskField: 1}[t]
		if err != nil || arg.of != maskNumber || n < least || n > maxMaskCount {
			return nil, fmt.Errorf("expected a whole number from %d to %d", least, maxMaskCount)
		}
		return []any{strconv.Itoa(n)}, nil
	case maskNumber:
		if arg.of == t {
			return []any{"(", arg, ")::numeric"}, nil
		}
	case maskText:
		if arg.of == t {
			return []any{"(", arg, ")::text"}, nil
		}
	case arg.of:
		return []any{arg}, nil
	}
	return nil, fmt.Errorf("expected a %s", t)
}
