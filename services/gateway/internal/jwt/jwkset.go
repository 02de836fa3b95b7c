package jwt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwk"
)

const (
	maxSetSize = 1 << 20 // bytes of a JWK set
	// The intervals are those of the requirements.
	leastInterval  = time.Second
	unknownExpiry  = time.Minute
	startRetries   = 5
	firstRetryWait = 200 * time.Millisecond
)

// errBadSet is an answer that trying again does not fix.
var errBadSet = errors.New("Error parsing JWK from url") //nolint:staticcheck // wire text

// Log lines for an answer whose expiry can't be read.
var (
	errBadCacheControl = errors.New("Failed parsing Cache-Control header from JWK response")                                     //nolint:staticcheck // wire text
	errBadExpires      = errors.New("Failed parsing Expires header from JWK response. Value of header is not a valid timestamp") //nolint:staticcheck // wire text
)

// fetched is a JWK set and when to fetch it next.
type fetched struct {
	keys []*key
	// interval until the next fetch; 0 when the answer has none, or none that can be read, which
	// unreadable marks.
	interval   time.Duration
	unreadable error
}

func fetch(ctx context.Context, client *http.Client, url string, enableEC bool, now func() time.Time) (*fetched, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("Error fetching JWK: %w", err) //nolint:staticcheck // wire text
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode/100 != 2 {
		return nil, fmt.Errorf("Non-2xx response on fetching JWK from: %s", url) //nolint:staticcheck // wire text
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxSetSize+1))
	if err == nil && len(body) > maxSetSize {
		err = errors.New("the set is too large")
	}
	if err != nil {
		return nil, fmt.Errorf("Error fetching JWK: %w", err) //nolint:staticcheck // wire text
	}
	keys, err := parseSet(body, enableEC)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errBadSet, url, err)
	}
	next := &fetched{keys: keys}
	next.interval, next.unreadable = interval(response.Header, now())
	return next, nil
}

// interval reads when the keys should be fetched again, 0 without such a header.
func interval(header http.Header, now time.Time) (time.Duration, error) {
	control := strings.ToLower(strings.Join(header.Values("Cache-Control"), ","))
	if control == "" {
		text := header.Get("Expires")
		if text == "" {
			return 0, nil
		}
		expires, err := http.ParseTime(text)
		if err != nil {
			return 0, errBadExpires
		}
		return max(expires.Sub(now), leastInterval), nil
	}
	var often, revalidate, unreadable bool
	age := time.Duration(-1)
	for directive := range strings.SplitSeq(control, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch name {
		case "no-cache", "no-store":
			often = true
		case "must-revalidate":
			revalidate = true
		case "max-age", "s-maxage":
			n, err := strconv.Atoi(strings.Trim(value, `"`))
			switch {
			case err != nil || n < 0:
				unreadable = true
			case age < 0:
				age = time.Duration(n) * time.Second
			}
		}
	}
	switch {
	case often:
		return leastInterval, nil
	case age >= 0:
		return max(age, leastInterval), nil
	case revalidate:
		return leastInterval, nil
	case unreadable:
		return 0, errBadCacheControl
	}
	return 0, nil
}

// parseSet reads the usable keys of a set. Real providers pad base64, use its other
// alphabet, and put zero bytes in front of numbers; all of it is put right first.
func parseSet(body []byte, enableEC bool) ([]*key, error) {
	var set struct {
		Keys []map[string]any `json:"keys"`
	}
	if err := json.Unmarshal(body, &set); err != nil {
		return nil, err
	}
	var keys []*key
	last := errors.New("the set holds no key for signatures")
	for _, raw := range set.Keys {
		if use, present := raw["use"]; present && use != "sig" && use != "enc" {
			continue
		}
		k, err := parseSetKey(raw, enableEC)
		if err != nil {
			last = err
			continue
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, last
	}
	return keys, nil
}

func parseSetKey(raw map[string]any, enableEC bool) (*key, error) {
	for _, name := range []string{"n", "e", "x", "y", "k"} {
		if text, ok := raw[name].(string); ok {
			raw[name] = normalBase64(text, name == "n" || name == "e")
		}
	}
	encoded, err := json.Marshal(raw)
	if err != nil {
		return nil, err
	}
	parsed, err := jwk.ParseKey(encoded)
	if err != nil {
		return nil, err
	}
	public, err := parsed.PublicKey()
	if err != nil {
		return nil, err
	}
	var material any
	if err := public.Raw(&material); err != nil {
		return nil, err
	}
	var k *key
	if secret, ok := material.([]byte); ok {
		k, err = sharedKey("HS256", secret)
	} else {
		k, err = asymmetric(material, enableEC)
	}
	if err != nil {
		return nil, err
	}
	k.id = parsed.KeyID()
	return k, nil
}
