package metadata

import (
	"encoding/json"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
)

// QueryTags are comments that show in the database where a statement comes from.
type QueryTags struct {
	Disabled      bool   `json:"disabled"`
	Format        string `json:"format" meta:"default=standard"`
	OmitRequestID bool   `json:"omit_request_id" meta:"default=true"`
}

func (t *QueryTags) check() error {
	if checkWord(t.Format, tagsStandard, "sqlcommenter", "standard_prepended") == nil {
		return nil
	}
	return apierror.At(apierror.New(apierror.ParseFailed,
		"Not a valid query tags format value. Use either standard, sqlcommenter, or standard_prepended"), "format")
}

const tagsStandard = "standard"

// Tags are the query tags of the source: those of its settings, or the defaults.
func (s *Source) Tags() QueryTags {
	tags := QueryTags{Format: tagsStandard, OmitRequestID: true}
	switch {
	case !s.hasTags():
		return QueryTags{Disabled: true}
	case isNull(s.QueryTags):
		return tags
	}
	if err := decode(s.QueryTags, &tags); err != nil { // it was refused when it came
		return QueryTags{Disabled: true}
	}
	return tags
}

// hasTags reports whether statements in the source can have tags.
func (s *Source) hasTags() bool {
	k := KindNamed(s.Kind)
	return !s.IsForeign() && (k == nil || k.Can(Tags))
}

func (t *QueryTags) isDefault() bool {
	return *t == QueryTags{Format: tagsStandard, OmitRequestID: true}
}

// HealthCheck configures how often and by which statement a source is tested. Times are in seconds.
type HealthCheck struct {
	Test          HealthTest `json:"test"`
	Interval      int        `json:"interval" meta:"required"`
	Retries       int        `json:"retries"`
	RetryInterval int        `json:"retry_interval"`
	Timeout       int        `json:"timeout"`
}

// HealthTest is a statement that succeeds on a database in good health.
type HealthTest struct {
	SQL string `json:"sql"`
}

// UnmarshalJSON overrides the defaults with the given values.
func (h *HealthCheck) UnmarshalJSON(raw []byte) error {
	type fields HealthCheck
	*h = HealthCheck{Test: HealthTest{SQL: "SELECT 1"}, Retries: 3, RetryInterval: 10, Timeout: 10}
	return decode(raw, (*fields)(h))
}

// canonicalHealthCheck is the setting with its defaults, nil for none. An empty object is not none: it
// leaves the interval to the default.
func canonicalHealthCheck(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || isNull(raw) {
		return nil, nil
	}
	var h HealthCheck
	if err := decode(raw, &h); err != nil {
		return nil, err
	}
	return Encode(h)
}

// checkWord refuses a text that is none of words.
func checkWord(text string, words ...string) error {
	if slices.Contains(words, text) {
		return nil
	}
	return apierror.Newf(apierror.ParseFailed, "expected one of %s, but found %s", strings.Join(words, ", "), text)
}

// SetQueryTags are the arguments of set_query_tags.
type SetQueryTags struct {
	Source string `json:"source_name" meta:"required"`
	QueryTags
}

func (a *SetQueryTags) check() error { return a.QueryTags.check() }

// Apply replaces the query tags of the source.
func (a *SetQueryTags) Apply(v View) (*Result, error) {
	old, err := v.source(a.Source)
	if err != nil {
		return nil, err
	}
	if !old.hasTags() {
		return nil, apierror.Newf(apierror.NotSupported, "%s sources do not support query-tags yet", old.Kind)
	}
	source := *old
	if source.QueryTags, err = encodeSetting(&a.QueryTags); err != nil {
		return nil, err
	}
	return &Result{Document: v.Document.withSource(&source), Objects: []ObjectID{sourceID(a.Source)}}, nil
}
