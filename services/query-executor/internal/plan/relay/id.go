package relay

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"queryengine/pkg/jsonwalk"
)

// nodeID is what a global id encodes: a table, and the JSON of the values of its primary key.
type nodeID struct {
	schema, table string
	key           [][]byte
}

// parseNodeID reads the text of a global id. Its errors are the reasons that clients see.
func parseNodeID(text []byte) (nodeID, error) {
	if err := checkJSON(text); err != nil {
		return nodeID{}, err
	}
	if k := jsonwalk.KindOf(text); k != jsonwalk.Array {
		return nodeID{}, fmt.Errorf("parsing [] failed, expected Array, but encountered %s", k)
	}
	var items [][]byte
	if err := jsonwalk.Items(text, func(_ int, v []byte) error {
		items = append(items, v)
		return nil
	}); err != nil {
		return nodeID{}, err
	}
	if len(items) == 0 {
		return nodeID{}, errors.New("unexpected GUID format, found empty list")
	}
	version, err := strconv.ParseFloat(string(items[0]), 64)
	switch {
	case jsonwalk.KindOf(items[0]) != jsonwalk.Number || err != nil:
		return nodeID{}, errors.New("unexpected GUID format, needs to start with a version number")
	case version != 1:
		return nodeID{}, errors.New("unsupported GUID version: " + decimal(version))
	case len(items) < 4 || jsonwalk.KindOf(items[1]) != jsonwalk.String || jsonwalk.KindOf(items[2]) != jsonwalk.String:
		return nodeID{}, errors.New("GUID version 1: expecting schema name, table name and at least one column value")
	}
	out := nodeID{key: items[3:]}
	if out.schema, err = jsonwalk.Text(items[1]); err == nil {
		out.table, err = jsonwalk.Text(items[2])
	}
	return out, err
}

// checkJSON refuses what isn't JSON, in the words of the wire format: it shows the text from
// the first byte that doesn't fit, and each byte as the character of its number.
func checkJSON(text []byte) error {
	var raw json.RawMessage
	err := json.Unmarshal(text, &raw)
	if err == nil {
		return nil
	}
	rest := strings.TrimLeft(string(text), " \t\r\n")
	if rest == "" {
		return errors.New("not enough input")
	}
	characters := make([]rune, len(rest))
	for i := range len(rest) {
		characters[i] = rune(rest[i])
	}
	return fmt.Errorf("Failed reading: not a valid json value at '%s'", string(characters)) //nolint:revive,staticcheck // as on the wire
}

// decimal spells a version as the wire format does: with a point, and with an exponent when
// it is large or small.
func decimal(f float64) string {
	if a := math.Abs(f); a != 0 && (a < 0.1 || a >= 1e7) {
		text := strconv.FormatFloat(f, 'e', -1, 64)
		digits, exponent, _ := strings.Cut(text, "e")
		if !strings.Contains(digits, ".") {
			digits += ".0"
		}
		n, _ := strconv.Atoi(exponent)
		return digits + "e" + strconv.Itoa(n)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// decodeBase64 passes over everything that isn't base64, and over an incomplete end.
func decodeBase64(text string) []byte {
	kept := strings.Map(func(c rune) rune {
		switch {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '+', c == '/':
			return c
		}
		return -1
	}, text)
	if len(kept)%4 == 1 {
		kept = kept[:len(kept)-1]
	}
	decoded, _ := base64.RawStdEncoding.DecodeString(kept) // it holds nothing else any more
	return decoded
}
