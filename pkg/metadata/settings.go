package metadata

import (
	"encoding/json"

	"queryengine/pkg/apierror"
)

// setting is a part of the document that there is one of, in its typed form. The document holds its
// canonical JSON, nil where it is the default.
type setting interface {
	// isDefault reports whether the part can be left out.
	isDefault() bool
}

// canonicalSetting reads a part into s and returns it as documents hold it.
func canonicalSetting(raw json.RawMessage, s setting) (json.RawMessage, error) {
	if saysNothing(raw) {
		return nil, nil
	}
	if err := decode(raw, s); err != nil {
		return nil, err
	}
	return encodeSetting(s)
}

// DecodeSetting reads a part that may say nothing.
func DecodeSetting(raw json.RawMessage, into any) error {
	if saysNothing(raw) {
		return nil
	}
	return decode(raw, into)
}

func encodeSetting(s setting) (json.RawMessage, error) {
	if s.isDefault() {
		return nil, nil
	}
	return Encode(s)
}

// normaliseSettings checks the settings of an imported document.
func (d *Document) normaliseSettings() error {
	for _, part := range []struct {
		key   string
		raw   *json.RawMessage
		typed setting
	}{
		{"api_limits", &d.APILimits, &APILimits{}},
		{"metrics_config", &d.MetricsConfig, &MetricsConfig{}},
		{"document_rules", &d.DocumentRules, &DocumentRules{}},
		{"network", &d.Network, &Network{}},
		{"opentelemetry", &d.OpenTelemetry, &OpenTelemetry{}},
	} {
		raw, err := canonicalSetting(*part.raw, part.typed)
		if err != nil {
			return apierror.At(err, part.key)
		}
		*part.raw = raw
	}
	return nil
}

// changeSetting stores s in the place that part selects in a copy of the document.
func (v View) changeSetting(s setting, verdict Verdict, part func(*Document) *json.RawMessage) (*Result, error) {
	raw, err := encodeSetting(s)
	if err != nil {
		return nil, err
	}
	doc := *v.Document
	*part(&doc) = raw
	return &Result{Document: &doc, Verdict: verdict}, nil
}
