package metadata

import (
	"encoding/json"
	"regexp"

	"queryengine/pkg/apierror"
)

// Federation is how a table takes part in a graph of Apollo Federation. Anything but Enable makes the schema one of version 2.
type Federation struct {
	Enable string `json:"enable" meta:"required"`
	// Link makes the schema one of version 2, without anything else.
	Link bool `json:"link"`
	// Resolvable is false where other subgraphs may name rows and not read them here; nil is true.
	Resolvable *bool `json:"resolvable"`
	// Shareable and Inaccessible are fields that other subgraphs have, too, and that the graph doesn't show.
	Shareable    []string `json:"shareable"`
	Inaccessible []string `json:"inaccessible"`
	// Tags are of the type, FieldTags of fields.
	Tags      []string            `json:"tags"`
	FieldTags map[string][]string `json:"field_tags"`
}

// Federated reports whether subgraphs of Apollo Federation may refer to rows of the table.
func (t *Table) Federated() bool { return t.Federation() != nil }

// Federation is the configuration of a table that takes part, nil for any other.
func (t *Table) Federation() *Federation {
	if t.ApolloFederation == nil {
		return nil
	}
	var f Federation
	if json.Unmarshal(t.ApolloFederation, &f) != nil || f.Enable != "v1" {
		return nil
	}
	return &f
}

// Version2 reports whether the configuration needs a schema of version 2.
func (f *Federation) Version2() bool {
	return f.Link || f.Resolvable != nil || len(f.Shareable)+len(f.Inaccessible)+len(f.Tags)+len(f.FieldTags) > 0
}

// tagName is what Apollo allows as a tag.
var tagName = regexp.MustCompile(`^[_A-Za-z][-/_0-9A-Za-z]{0,127}$`)

func (f *Federation) check() error {
	if f.Enable != "v1" {
		return apierror.At(apierror.New(apierror.ParseFailed,
			"enable takes the version of apollo federation. Supported value is v1 only. Invalid value: "+f.Enable), "enable")
	}
	lists := map[string][]string{"": f.Tags}
	for field, tags := range f.FieldTags {
		lists[field] = tags
	}
	for field, tags := range lists {
		for _, tag := range tags {
			if tagName.MatchString(tag) {
				continue
			}
			err := apierror.Newf(apierror.ParseFailed, "%q is no tag", tag)
			if field == "" {
				return apierror.At(err, "tags")
			}
			return apierror.At(err, "field_tags", field)
		}
	}
	return nil
}

// checkApolloFederation refuses what isn't a configuration of Apollo Federation.
func checkApolloFederation(raw json.RawMessage) error {
	if raw == nil || JSONType(raw) == "Null" {
		return nil
	}
	return apierror.At(decode(raw, &Federation{}), "apollo_federation_config")
}
