package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"queryengine/pkg/session"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/gateway/internal/accesslog"
	"queryengine/services/gateway/internal/request"
)

// What HTTP caches may do with answers to GET requests. An answer is public only where its request had no credentials and the answer
// depends on nothing of the session but the role of such requests.

const (
	noStore      = "no-store"
	privateCheck = "private, no-cache"
)

// variesOn are the headers that decide which answer a request gets, besides the ones of tokens. Answers that depend on others, as session
// variables of callers with a secret, are checked each time.
var variesOn = []string{
	"Accept", "Accept-Encoding", "Authorization", "Cookie", "Origin", "X-Engine-Role", "X-Engine-Admin-Secret", "X-Engine-Access-Key",
}

// varyHeader is the header Vary of answers to GET requests, with the vendor's names of headers, too. It is one line, because nginx
// before 1.23 heeds the last line alone, and short, because nginx stores no answer whose line has more than 128 bytes.
func varyHeader(credentials []string) string {
	h := http.Header{}
	for _, name := range slices.Concat(variesOn, credentials) {
		h.Set(name, "")
	}
	session.VendorHeaders(h)
	return strings.Join(slices.Sorted(maps.Keys(h)), ",")
}

// caching is what is found out about the answer to a GET request while it is made.
type caching struct {
	// on is set for requests whose answers may be cached.
	on bool
	// maxAge is how many seconds the answer lives, 0 for one that has to be checked each time.
	maxAge int
	// key is what remembers that the answer is fresh, zero for nothing.
	key validatorKey
}

// mayCache begins the answer to a GET request. Until an executor answers, nothing may be kept.
func (x *exchange) mayCache() {
	if x.r.Method != http.MethodGet {
		return
	}
	x.caching.on = true
	h := x.w.Header()
	h.Set("Vary", x.api.vary)
	h.Set("Cache-Control", noStore)
}

// setCaching says what caches may do with an answer. age is Cache-Control of the executor, "" for an answer that isn't cached.
func (x *exchange) setCaching(head *queryv1.ExecuteHead, age string) {
	h := x.w.Header()
	seconds, _ := strconv.Atoi(strings.TrimPrefix(age, "max-age=")) // 0 for anything else
	if !x.expires.IsZero() {
		seconds = min(seconds, int(time.Until(x.expires).Seconds()))
	}
	switch {
	case h.Get("Set-Cookie") != "" || x.withoutCookies():
		h.Set("Cache-Control", noStore)
		x.caching.on = false
	case seconds <= 0 || x.session.Trusted || x.api.Authenticator.AsksWebhook(), head.GetRevalidate(),
		x.session.Anonymous && head.GetSessionBound():
		// Any header may decide what is answered.
		h.Set("Cache-Control", privateCheck)
	case x.session.Anonymous && !x.hasCredentials() && x.api.TLS.ClientCA == "":
		x.caching.maxAge = seconds
		h.Set("Cache-Control", "public, max-age="+strconv.Itoa(seconds))
	default:
		x.caching.maxAge = seconds
		h.Set("Cache-Control", "private, max-age="+strconv.Itoa(seconds))
	}
}

// hasCredentials reports whether a request has anything that could identify its sender.
func (x *exchange) hasCredentials() bool {
	for _, name := range slices.Concat([]string{"Authorization", "Cookie", "X-Engine-Admin-Secret", "X-Engine-Access-Key"}, x.api.CredentialHeaders) {
		if len(x.r.Header.Values(name)) > 0 {
			return true
		}
	}
	return false
}

// cookiesDropped marks the context of a request whose cookies were removed: a cache sees the request with them.
type cookiesDropped struct{}

func (x *exchange) withoutCookies() bool { return x.r.Context().Value(cookiesDropped{}) != nil }

// validate gives an answer that is whole its validator, and leaves out a body that the client has.
func (x *exchange) validate() {
	if !x.caching.on || x.failure != nil || x.stream.Started() || x.stream.Status() != http.StatusOK {
		return
	}
	sum := sha256.Sum256(x.stream.Held())
	tag := `W/"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"` // weak: the bytes differ by their encoding
	if x.caching.maxAge > 0 {
		x.api.validators.put(x.caching.key, validator{tag: tag, control: x.w.Header().Get("Cache-Control")})
	}
	x.w.Header().Set("ETag", tag)
	if matches(x.r.Header.Values("If-None-Match"), tag) {
		x.notModified()
	}
}

func (x *exchange) notModified() {
	x.w.Header().Del("Content-Type")
	x.stream.SetStatus(http.StatusNotModified)
	x.stream.Hold(x.stream.Held()[:0])
}

// matches reports whether a list of validators has a tag.
func matches(list []string, tag string) bool {
	opaque := strings.TrimPrefix(tag, "W/")
	for _, line := range list {
		for item := range strings.SplitSeq(line, ",") {
			if item = strings.TrimSpace(item); item == "*" || strings.TrimPrefix(item, "W/") == opaque {
				return true
			}
		}
	}
	return false
}

// answerKnown answers a request for an answer that its client has and that was made a moment ago, and reports whether it did. The request
// is held to the limits as any other.
func (x *exchange) answerKnown(r *request.GraphQL) (done bool, err error) {
	if !x.caching.on || x.session.Trusted || x.api.Authenticator.AsksWebhook() {
		return false, nil
	}
	current, err := x.api.current()
	if err != nil {
		return false, err
	}
	x.caching.key = x.keyOf(current.Version, r)
	asked := x.r.Header.Values("If-None-Match")
	if len(asked) == 0 || x.r.Header.Get("Cache-Control") != "" || x.r.Header.Get("Pragma") != "" || x.withoutCookies() {
		return false, nil
	}
	v, found := x.api.validators.get(x.caching.key)
	if !found || !matches(asked, v.tag) {
		return false, nil
	}
	nothing := func(context.Context) error { return nil }
	if err := x.api.limited(x.ctx, x.session, accesslog.ClientIP(x.r), r.OperationName, x.requestID, nothing); err != nil {
		return true, err
	}
	x.caching.on = false
	x.w.Header().Set("ETag", v.tag)
	x.w.Header().Set("Cache-Control", v.control)
	x.notModified()
	return true, nil
}

// validatorKey is the hash of all that an answer depends on but the data.
type validatorKey [sha256.Size]byte

func (x *exchange) keyOf(version int64, r *request.GraphQL) (key validatorKey) {
	s, h := x.session, sha256.New()
	text := func(s string) {
		_, _ = h.Write(strconv.AppendInt(nil, int64(len(s)), 10)) // never fails
		_, _ = h.Write([]byte{':'})
		_, _ = h.Write([]byte(s))
	}
	text(strconv.FormatInt(version, 10))
	text(strconv.FormatInt(x.expires.Unix(), 10))
	text(strconv.FormatBool(x.hasCredentials()))
	text(x.r.URL.Path)
	text(s.Role)
	text(strconv.FormatBool(s.BackendOnly))
	for _, name := range slices.Sorted(maps.Keys(s.Variables)) {
		text(name)
		text(s.Variables[name])
	}
	text("")
	text(r.Query)
	text(r.OperationName)
	text(string(r.Variables))
	h.Sum(key[:0])
	return key
}

// validators remember the validators of answers for a moment, so that clients that poll are answered without an executor.
type validators struct {
	now func() time.Time

	mu    sync.Mutex
	byKey map[validatorKey]validator
}

type validator struct {
	tag, control string
	made         time.Time
}

const (
	// rememberFor is how long it may take until a cleared answer is read again.
	rememberFor    = time.Second
	mostValidators = 10_000
)

func newValidators() *validators {
	return &validators{now: time.Now, byKey: map[validatorKey]validator{}}
}

func (v *validators) put(k validatorKey, made validator) {
	v.mu.Lock()
	defer v.mu.Unlock()
	made.made = v.now()
	if len(v.byKey) >= mostValidators {
		clear(v.byKey)
	}
	v.byKey[k] = made
}

func (v *validators) get(k validatorKey) (validator, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	found, ok := v.byKey[k]
	return found, ok && v.now().Sub(found.made) < rememberFor
}

// clear forgets all of them.
func (v *validators) clear() {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.byKey)
}
