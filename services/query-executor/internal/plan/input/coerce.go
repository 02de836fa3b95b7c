package input

import (
	"math"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/jsonwalk"
	"queryengine/services/query-executor/internal/schema"
)

// mode is how a JSON value becomes the text of an operand.
type mode uint8

const (
	modeValue  mode = iota // a value of the type
	modeList               // a list of values
	modeEnum               // a value of an enum table
	modeEnums              // a list of them
	modeLimit              // a non-negative 32-bit integer
	modeOffset             // a 64-bit integer
)

// Coercion turns JSON into the text of an operand. It is immutable.
type Coercion struct {
	mode mode
	// element is the type of a value, or of each value of a list.
	element catalog.Type
	// named is the GraphQL type of a value.
	named *schema.Type
	// Nullable takes null as NULL.
	Nullable bool
	dialect  backend.Dialect
}

// Of is the coercion of values of a type that is called named in GraphQL.
func Of(d backend.Dialect, t catalog.Type, named *schema.Type) Coercion {
	return Coercion{mode: modeValue, element: t, named: named, dialect: d}
}

// isList reports whether the operand is a list of values.
func (c *Coercion) isList() bool { return c.mode == modeList || c.mode == modeEnums }

// Apply gives the text for the database, nil for NULL. The path of an error is relative.
// literal reports whether json was spelt in the document.
func (c *Coercion) Apply(json []byte, literal bool) (text []byte, wrap ir.Wrap, err error) {
	return c.ApplyTo(nil, json, literal)
}

// ApplyTo is Apply for one of many values, whose texts are kept together.
func (c *Coercion) ApplyTo(texts *Arena, json []byte, literal bool) (text []byte, wrap ir.Wrap, err error) {
	kind := jsonwalk.KindOf(json)
	if json == nil {
		kind = jsonwalk.Null
	}
	if kind == jsonwalk.Null && c.Nullable {
		return nil, ir.WrapNone, nil
	}
	switch c.mode {
	case modeValue:
		if kind == jsonwalk.Null {
			return nil, "", c.unexpectedNull()
		}
		if c.named != nil && c.named.Element() != nil && kind != jsonwalk.String && kind != jsonwalk.Array {
			return nil, "", apierror.New(apierror.ParseFailed, "A string is expected for type: "+c.named.Name)
		}
		return c.parse(texts, json)
	case modeEnum:
		text, err = c.enumText(json, kind)
		return text, "", err
	case modeList, modeEnums:
		return c.list(texts, json, kind)
	case modeLimit:
		n, ok := WholeNumber(string(json), 32)
		if kind != jsonwalk.Number || !ok || n < 0 {
			return nil, "", c.mismatch("a non-negative 32-bit integer", json, literal)
		}
		return strconv.AppendInt(nil, n, 10), "", nil
	}
	if n, ok := offsetNumber(json, kind); ok {
		return strconv.AppendInt(nil, n, 10), "", nil
	}
	return nil, "", c.mismatch("a 32-bit integer, or a 64-bit integer represented as a string", json, literal)
}

// parse has the dialect read a value, or a list of values.
func (c *Coercion) parse(to *Arena, json []byte) ([]byte, ir.Wrap, error) {
	read := c.dialect.ParseInput
	if c.isList() {
		read = c.dialect.ParseList
	}
	in, err := read(c.element, json)
	if err != nil {
		return nil, "", err
	}
	return to.copy(in.Text), in.Wrap, nil
}

// list reads a list; a single value stands for a list of one.
func (c *Coercion) list(to *Arena, json []byte, kind jsonwalk.Kind) ([]byte, ir.Wrap, error) {
	switch kind {
	case jsonwalk.Null:
		return nil, "", apierror.New(apierror.ValidationFailed, "expected a list, but found null")
	case jsonwalk.Array:
	default:
		json = append(append([]byte{'['}, json...), ']')
	}
	if c.mode == modeEnums {
		texts, err := c.enumTexts(json)
		if err != nil {
			return nil, "", err
		}
		return c.parse(to, texts)
	}
	if err := c.refuseNulls(json); err != nil {
		return nil, "", err
	}
	return c.parse(to, json)
}

func (c *Coercion) refuseNulls(json []byte) error {
	return jsonwalk.Items(json, func(i int, v []byte) error {
		if jsonwalk.KindOf(v) == jsonwalk.Null {
			return apierror.At(c.unexpectedNull(), i)
		}
		return nil
	})
}

// enumTexts gives a list of values of an enum table as the database has them.
func (c *Coercion) enumTexts(json []byte) ([]byte, error) {
	texts := []byte{'['}
	err := jsonwalk.Items(json, func(i int, v []byte) error {
		text, err := c.enumText(v, jsonwalk.KindOf(v))
		if i > 0 {
			texts = append(texts, ',')
		}
		texts = jsontext.AppendString(texts, string(text))
		return apierror.At(err, i)
	})
	return append(texts, ']'), err
}

// enumText checks a value of an enum table, which is a string in JSON.
func (c *Coercion) enumText(json []byte, kind jsonwalk.Kind) ([]byte, error) {
	if kind != jsonwalk.String {
		return nil, c.mismatch("an enum value", json, false)
	}
	name, err := jsonwalk.Text(json)
	if err != nil {
		return nil, err
	}
	v := c.named.Value(name)
	if v == nil {
		return nil, apierror.New(apierror.ValidationFailed, UnknownEnumValue(c.named, name))
	}
	e, _ := v.Meaning.(schema.EnumValue)
	return []byte(e.Text), nil
}

func (c *Coercion) unexpectedNull() error {
	return apierror.Newf(apierror.ValidationFailed, "unexpected null value for type '%s'", c.named.Name)
}

func (c *Coercion) mismatch(expected string, json []byte, literal bool) error {
	k := JSON(json).Kind()
	if literal && k == Number {
		k = Int
		if strings.ContainsAny(string(json), ".eE") {
			k = Float
		}
	}
	return apierror.Newf(apierror.ValidationFailed, "expected %s for type '%s', but found %s", expected, c.named.Name, k)
}

// UnknownEnumValue is the error about a value that an enum doesn't have.
func UnknownEnumValue(t *schema.Type, name string) string {
	names := make([]string, 0, len(t.Values()))
	for _, v := range t.Values() {
		names = append(names, "'"+v.Name+"'")
	}
	return "expected one of the values [" + strings.Join(names, ", ") + "] for type '" + t.Name + "', but found '" + name + "'"
}

// WholeNumber reads an integer of so many bits, however it is spelt.
func WholeNumber(text string, bits int) (int64, bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, bits); err == nil {
		return n, true
	}
	const exact = 1 << 53
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > exact {
		return 0, false
	}
	n := int64(f)
	return n, n>>(bits-1) == 0 || n>>(bits-1) == -1
}

// offsetNumber reads a 64-bit integer, which may be spelt as a string.
func offsetNumber(json []byte, kind jsonwalk.Kind) (int64, bool) {
	switch kind {
	case jsonwalk.Number:
		return WholeNumber(string(json), 64)
	case jsonwalk.String:
		s, err := jsonwalk.Text(json)
		if err != nil {
			return 0, false
		}
		n, err := strconv.ParseInt(s, 10, 64)
		return n, err == nil
	}
	return 0, false
}
