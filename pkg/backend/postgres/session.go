package postgres

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/session"
)

// SessionSettings are what every transaction of a request sets, so that policies of the database can tell who asks.
type SessionSettings struct {
	// Set are settings by name: a session variable, or else a text.
	Set map[string]string `json:"set,omitempty"`
	// Role is the database role of all roles but admin: a session variable, or else a name; or an object of these by role, in which "*"
	// stands for the others.
	Role json.RawMessage `json:"role,omitempty"`
}

const (
	// maxSessionSettings bounds what is sent with each transaction.
	maxSessionSettings = 50
	// otherRoles stands for the roles that have no database role of their own.
	otherRoles = "*"
	// loginRole is the role that a connection was opened with.
	loginRole = "none"
)

// settingName matches names that PostgreSQL gives no meaning: those of extensions and applications.
var settingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)+$`)

// UnmarshalJSON refuses keys that mean nothing, which elsewhere is a warning: without the role that was meant, requests would have that of
// the connection.
func (s *SessionSettings) UnmarshalJSON(raw []byte) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return apierror.New(apierror.ParseFailed, "expected an object with set and role")
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if key != "set" && key != "role" {
			return apierror.At(apierror.New(apierror.ParseFailed, "unknown key: expected set or role"), key)
		}
	}
	type plain SessionSettings
	if err := json.Unmarshal(raw, (*plain)(s)); err != nil {
		return apierror.New(apierror.ParseFailed, "expected an object with set, an object of texts, and role")
	}
	return s.Check()
}

// Check checks the names.
func (s *SessionSettings) Check() error {
	if len(s.Set) > maxSessionSettings {
		return apierror.At(apierror.Newf(apierror.ParseFailed, "at most %d settings are supported", maxSessionSettings), "set")
	}
	known := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(s.Set)) {
		lower := strings.ToLower(name) // to PostgreSQL it is the same
		if known[lower] {
			return apierror.At(apierror.New(apierror.ParseFailed, "the setting is there already, in other letters"), "set", name)
		}
		known[lower] = true
		if !settingName.MatchString(name) || len(name) > 63 {
			return apierror.At(apierror.New(apierror.ParseFailed, "expected the name of a setting with a dot, such as app.user"), "set", name)
		}
		if strings.HasPrefix(lower, "engine.") {
			return apierror.At(apierror.New(apierror.ParseFailed, "settings that begin with engine. are the engine's own"), "set", name)
		}
	}
	_, err := s.roles()
	return apierror.At(err, "role")
}

// roles are the database roles by role, those of all others under otherRoles; nil for none.
func (s *SessionSettings) roles() (map[string]string, error) {
	if len(s.Role) == 0 {
		return nil, nil //nolint:nilnil // no roles
	}
	var one string
	if json.Unmarshal(s.Role, &one) == nil {
		return map[string]string{otherRoles: one}, checkDatabaseRole(one)
	}
	var roles map[string]string
	if json.Unmarshal(s.Role, &roles) != nil || len(roles) == 0 {
		return nil, apierror.New(apierror.ParseFailed, "expected the name of a database role, or an object of names by role")
	}
	for _, role := range slices.Sorted(maps.Keys(roles)) {
		if err := checkDatabaseRole(roles[role]); err != nil {
			return nil, apierror.At(err, role)
		}
	}
	return roles, nil
}

func checkDatabaseRole(name string) error {
	if name == "" {
		return apierror.New(apierror.ParseFailed, "the name of a database role can't be empty")
	}
	return nil
}

// sessionSettings are SessionSettings as they are applied: values by name, the role in the end. It doesn't change.
type sessionSettings struct {
	names []string
	// from are the values: a session variable where variable is true.
	from []settingValue
	// roles are nil where the role of the connection stays.
	roles map[string]settingValue
	// text is the same for equal settings.
	text string
	// sql is the command; also has what is added to one with a number of parameters.
	sql  string
	also []string
}

// settingValue is a session variable, or a text.
type settingValue struct {
	text     string
	variable bool
}

// settingValueOf reads a value of the configuration.
func settingValueOf(text string) settingValue {
	if name, ok := session.Reference(text); ok {
		return settingValue{name, true}
	}
	return settingValue{text: text}
}

// of is the value for a session, empty for a variable that it doesn't have: a value of a session before it would be a leak.
func (v settingValue) of(s *session.Session) string {
	if v.variable {
		return s.Variables[v.text]
	}
	return v.text
}

// maxAnnounced is the number of parameters that a command of wire.Announce has at most.
const maxAnnounced = 3

// newSessionSettings are checked settings, nil where nothing is set.
func newSessionSettings(c *SessionSettings) *sessionSettings {
	if c == nil {
		return nil
	}
	roles, err := c.roles()
	if err != nil || len(c.Set)+len(roles) == 0 {
		return nil
	}
	text, _ := json.Marshal(c) // texts always encode
	s := &sessionSettings{names: slices.Sorted(maps.Keys(c.Set)), text: string(text)}
	for _, name := range s.names {
		s.from = append(s.from, settingValueOf(c.Set[name]))
	}
	if roles != nil {
		s.roles = make(map[string]settingValue, len(roles))
		for role, name := range roles {
			s.roles[role] = settingValueOf(name)
		}
	}
	for n := range maxAnnounced + 1 {
		s.also = append(s.also, s.calls(n))
	}
	s.sql = "SELECT " + s.also[0]
	return s
}

// calls set everything by parameters behind the first n.
func (s *sessionSettings) calls(n int) string {
	names := s.names
	if s.roles != nil {
		names = append(slices.Clone(names), "role") // last: it may have fewer rights
	}
	calls := make([]string, len(names))
	for i, name := range names {
		calls[i] = "pg_catalog.set_config(" + quote.Literal(name) + ", $" + strconv.Itoa(n+i+1) + ", true)"
	}
	return strings.Join(calls, ", ")
}

// variables are the names of the session variables that the settings depend on.
func (s *sessionSettings) variables() []string {
	var names []string
	note := func(v settingValue) {
		if v.variable && !slices.Contains(names, v.text) {
			names = append(names, v.text)
		}
	}
	for _, v := range s.from {
		note(v)
	}
	for _, v := range s.roles {
		note(v)
	}
	if s.roles != nil {
		note(settingValue{session.RoleHeader, true})
	}
	slices.Sort(names)
	return names
}

// errNoSession is the error of a statement that must not run as the role of the connection.
var errNoSession = errors.New("a statement of this source needs a session")

// sources are the session variables that the values come from; empty, which is the session, for those that are written in the configuration, and
// for the role.
func (s *sessionSettings) sources() []string {
	names := make([]string, 0, len(s.from)+1)
	for _, v := range s.from {
		if !v.variable {
			v.text = ""
		}
		names = append(names, v.text)
	}
	if s.roles != nil {
		names = append(names, "")
	}
	return names
}

// values are what a session sets. The error is that of a role that has no database role.
func (s *sessionSettings) values(of *session.Session) ([][]byte, error) {
	if of == nil {
		return nil, errNoSession
	}
	values := make([][]byte, 0, len(s.from)+1)
	for _, v := range s.from {
		values = append(values, []byte(v.of(of)))
	}
	if s.roles == nil {
		return values, nil
	}
	role, err := s.role(of)
	return append(values, []byte(role)), err
}

// role is the database role of a session.
func (s *sessionSettings) role(of *session.Session) (string, error) {
	v, ok := s.roles[of.Role]
	if !ok && of.IsAdmin() {
		return loginRole, nil
	}
	if !ok {
		v, ok = s.roles[otherRoles]
	}
	name := v.of(of)
	switch {
	case !ok:
		return "", apierror.Newf(apierror.PermissionDenied, "role %q has no database role in this source", of.Role)
	case name == "":
		return "", apierror.Newf(apierror.NotFound, "missing session variable: %q", v.text)
	case v.variable && strings.EqualFold(name, loginRole):
		// To PostgreSQL it means the role of the connection, which policies may not apply to.
		return "", apierror.Newf(apierror.PermissionDenied, "session variable %q can't be %q", v.text, name)
	}
	return name, nil
}

// ahead is the command that sets values, and before them what another command sets, which may be zero.
func (s *sessionSettings) ahead(values [][]byte, after wire.Command) wire.Command {
	if after.SQL == "" {
		return wire.Command{SQL: s.sql, Values: values, OneRow: true}
	}
	after.SQL += ", " + s.also[len(after.Values)]
	after.Values = slices.Concat(after.Values, values)
	return after
}

// forSession is the command of a session; zero where nothing is set.
func (s *sessionSettings) forSession(of *session.Session) (wire.Command, error) {
	if s == nil {
		return wire.Command{}, nil
	}
	values, err := s.values(of)
	if err != nil {
		return wire.Command{}, err
	}
	return s.ahead(values, wire.Command{}), nil
}

// forMutation are the values that a transaction of a session sets; nil for nothing.
func (s *sessionSettings) forMutation(of *session.Session) ([][]byte, error) {
	if s == nil {
		return nil, nil
	}
	return s.values(of)
}

// sessionSettingsOf are the settings of a configuration, read as the whole configuration is when the source is opened; nil where nothing is set.
func sessionSettingsOf(configuration json.RawMessage) *sessionSettings {
	var c struct {
		Session *SessionSettings `json:"session"`
	}
	if json.Unmarshal(configuration, &c) != nil {
		return nil
	}
	return newSessionSettings(c.Session)
}

// DatabaseRoles are the database roles that requests take, as far as a configuration names them; policed is false where nothing is set.
func DatabaseRoles(configuration json.RawMessage) (roles []string, policed bool) {
	s := sessionSettingsOf(configuration)
	if s == nil {
		return nil, false
	}
	for _, v := range s.roles {
		if !v.variable && v.text != loginRole && !slices.Contains(roles, v.text) {
			roles = append(roles, v.text)
		}
	}
	slices.Sort(roles)
	return roles, true
}

// settled are the dialects of sources with settings for sessions: equal ones are one, so that plans are kept.
type settled struct {
	mu    sync.Mutex
	known map[settledKey]*Dialect
}

type settledKey struct {
	of       *Dialect
	settings string
}

// maxSettled bounds those that are kept.
const maxSettled = 1000

// with is a dialect with the settings of a configuration.
func (s *settled) with(d *Dialect, configuration json.RawMessage) *Dialect {
	settings := sessionSettingsOf(configuration)
	if settings == nil {
		return d
	}
	key := settledKey{d, settings.text}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.known[key]; known != nil {
		return known
	}
	if len(s.known) >= maxSettled {
		clear(s.known)
	}
	own := *d
	own.session = settings
	s.known[key] = &own
	return &own
}

// SessionSettings implements backend.SessionBound.
func (d *Dialect) SessionSettings() (settings string, variables []string) {
	if d.session == nil {
		return "", nil
	}
	return d.session.text, d.session.variables()
}

var _ backend.SessionBound = (*Dialect)(nil)
