package backendtest

import (
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"strings"
)

// tokens are the tokens of a JSON text, with numbers cut to the digits that all kinds give.
func tokens(text string) ([]json.Token, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var list []json.Token
	for {
		token, err := d.Token()
		switch number, is := token.(json.Number); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, err
		case is:
			token = digits(number)
		}
		list = append(list, token)
	}
}

// digits is a number in one form for all that are equal, with at most 15 digits.
func digits(n json.Number) json.Number {
	f, _, err := big.ParseFloat(n.String(), 10, 200, big.ToNearestEven)
	if err != nil || f.IsInt() && !strings.ContainsAny(n.String(), ".eE") {
		return n
	}
	return json.Number(f.Text('g', 15))
}

// withTexts is a JSON text whose numbers are texts, cut to the digits that all kinds give, including numbers that were texts.
func withTexts(text string) (string, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return "", err
	}
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for key := range v {
				v[key] = walk(v[key])
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case json.Number:
			return plain(v.String())
		case string:
			return plain(v)
		}
		return v
	}
	raw, err := json.Marshal(walk(value))
	return string(raw), err
}

// plain is a number in one form for all that are equal; any other text is as it was.
func plain(text string) string {
	f, _, err := big.ParseFloat(text, 10, 200, big.ToNearestEven)
	if err != nil {
		return text
	}
	return f.Text('g', 15)
}
