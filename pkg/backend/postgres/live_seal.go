package postgres

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"slices"
	"strconv"
	"sync"

	"queryengine/pkg/ir"
)

// The JSON of subscriptions is made by the database, which doesn't have the keys. It marks the ids
// and cursors that are to be sealed, and they are sealed when the result has arrived.

// sealPrefix begins the texts that are to be encrypted. Rows can't contain it, because it can't be
// guessed.
var sealPrefix = sync.OnceValue(func() string { return "seal:" + rand.Text() + ":" })

// sealMark begins a text that is to be sealed.
func (r *renderer) sealMark(seal ir.Sealer) string {
	if r.live == nil {
		r.Fail("only JSON of subscriptions is sealed behind the database")
	}
	i := slices.IndexFunc(r.seals, func(s ir.Sealer) bool { return s.Name() == seal.Name() })
	if i < 0 {
		i = len(r.seals)
		r.seals = append(r.seals, seal)
	}
	return sealPrefix() + strconv.Itoa(i) + ":"
}

var errSealMark = errors.New("malformed text to be sealed")

// seal are the roots of a result with everything sealed that is marked.
func (s *liveStatement) seal(roots [][]byte) ([][]byte, error) {
	if len(s.seals) == 0 {
		return roots, nil
	}
	out := make([][]byte, len(roots))
	var err error
	for i := range roots {
		if out[i], err = s.sealRoot(roots[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *liveStatement) sealRoot(json []byte) ([]byte, error) {
	var out, text, sealed []byte
	prefix := []byte(`"` + sealPrefix())
	for {
		before, marked, found := bytes.Cut(json, prefix)
		if out == nil && !found {
			return json, nil
		}
		out = append(out, before...)
		if !found {
			return out, nil
		}
		index, marked, _ := bytes.Cut(marked, []byte(":"))
		encoded, rest, closed := bytes.Cut(marked, []byte(`"`))
		i, err := strconv.Atoi(string(index))
		if err != nil || i < 0 || i >= len(s.seals) || !closed {
			return nil, errSealMark
		}
		if text, err = base64.StdEncoding.AppendDecode(text[:0], encoded); err != nil {
			return nil, errSealMark
		}
		sealed = s.seals[i].Seal(sealed[:0], text)
		out = append(out, '"')
		out = base64.StdEncoding.AppendEncode(out, sealed)
		out = append(out, '"')
		json = rest
	}
}
