package input

import (
	"bytes"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/jsonwalk"
)

// List reads a list of values, each of them by parse, for dialects whose lists are bound as ListText. A string
// is handed on: it is a list in the form of session variables.
func List(list []byte, parse func(item []byte) (backend.Input, error)) (backend.Input, error) {
	list = bytes.TrimSpace(list)
	switch jsonwalk.KindOf(list) {
	case jsonwalk.Array:
	case jsonwalk.String:
		return Text(list)
	default:
		return backend.Input{}, Unexpected("[]", "Array", list)
	}
	texts := [][]byte{}
	err := jsonwalk.Items(list, func(i int, item []byte) error {
		if jsonwalk.KindOf(item) == jsonwalk.Null {
			texts = append(texts, nil)
			return nil
		}
		in, err := parse(item)
		if err != nil {
			return apierror.At(err, i)
		}
		texts = append(texts, []byte(in.Text))
		return nil
	})
	return backend.Input{Text: string(ListText(texts))}, err
}

// ListText is the text of a list: a JSON array of the texts of its values; nil is null.
func ListText(values [][]byte) []byte {
	size := 2
	for _, v := range values {
		size += len(v) + len(`"",`)
	}
	text := append(make([]byte, 0, size), '[')
	for i, v := range values {
		if i > 0 {
			text = append(text, ',')
		}
		if v == nil {
			text = append(text, "null"...)
		} else {
			text = answer.AppendString(text, v)
		}
	}
	return append(text, ']')
}

// ListValues are the texts of a list, which is that of ListText or an array as PostgreSQL writes it: session
// variables have that form. nil is NULL.
func ListValues(text []byte) ([][]byte, error) {
	text = bytes.TrimSpace(text)
	if bytes.HasPrefix(text, []byte("{")) {
		return arrayValues(text)
	}
	values := [][]byte{}
	if jsonwalk.KindOf(text) != jsonwalk.Array {
		return nil, apierror.Newf(apierror.DataException, "malformed array literal: %s", strconv.Quote(string(text)))
	}
	err := jsonwalk.Items(text, func(_ int, item []byte) error {
		v, err := ItemText(item)
		values = append(values, v)
		return err
	})
	if err != nil {
		return nil, apierror.Newf(apierror.DataException, "malformed array literal: %s", strconv.Quote(string(text)))
	}
	return values, nil
}

// ItemText is the text of a JSON value, nil of null.
func ItemText(item []byte) ([]byte, error) {
	switch jsonwalk.KindOf(item) {
	case jsonwalk.Null:
		return nil, nil
	case jsonwalk.String:
		s, err := jsonwalk.Text(item)
		return []byte(s), err
	}
	return bytes.TrimSpace(item), nil
}

// arrayValues are the elements of an array literal: {1,NULL,"a \"b\""}.
func arrayValues(text []byte) ([][]byte, error) {
	malformed := apierror.Newf(apierror.DataException, "malformed array literal: %s", strconv.Quote(string(text)))
	inner, ok := bytes.CutSuffix(text[1:], []byte("}"))
	if !ok {
		return nil, malformed
	}
	values := [][]byte{}
	if len(bytes.TrimSpace(inner)) == 0 {
		return values, nil
	}
	for rest := inner; ; {
		rest = bytes.TrimLeft(rest, " \t\n\r")
		element, quoted := []byte{}, len(rest) > 0 && rest[0] == '"'
		i := 0
		if quoted {
			i = 1
		}
	scan:
		for ; i < len(rest); i++ {
			c := rest[i]
			switch {
			case c == '\\' && i+1 < len(rest):
				i++
				element = append(element, rest[i])
			case quoted && c == '"', !quoted && c == ',':
				break scan
			case !quoted && (c == '{' || c == '}' || c == '"'):
				return nil, malformed
			default:
				element = append(element, c)
			}
		}
		if quoted {
			if i == len(rest) {
				return nil, malformed
			}
			i++
			for i < len(rest) && bytes.IndexByte([]byte(" \t\n\r"), rest[i]) >= 0 {
				i++
			}
		} else {
			element = bytes.TrimSpace(element)
			if len(element) == 0 {
				return nil, malformed
			}
			if strings.EqualFold(string(element), "null") {
				element = nil
			}
		}
		values = append(values, element)
		if i == len(rest) {
			return values, nil
		}
		if rest[i] != ',' {
			return nil, malformed
		}
		rest = rest[i+1:]
	}
}
