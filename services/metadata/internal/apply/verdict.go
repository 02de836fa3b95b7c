package apply

import (
	"net/http"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

// judge refuses a change by the inconsistencies that it leads to.
func judge(before, after *State, verdict metadata.Verdict, named []metadata.ObjectID) error {
	found := fresh(before.Inconsistent, after.Inconsistent)
	switch verdict {
	case metadata.VerdictNone:
		return nil
	case metadata.VerdictConsistent:
		return refusal(http.StatusBadRequest, "cannot continue due to inconsistent metadata", after.Inconsistent)
	}
	if i := slices.IndexFunc(found, func(i metadata.Inconsistency) bool { return i.Refusal != "" }); i >= 0 {
		return apierror.New(apierror.Unexpected, found[i].Refusal)
	}
	invalid := slices.DeleteFunc(slices.Clone(found), func(i metadata.Inconsistency) bool { return !i.Invalid })
	if err := reasons(invalid, named); err != nil {
		return err
	}
	switch verdict {
	case metadata.VerdictNamed:
		if err := reasons(after.Inconsistent, named); err != nil {
			return err
		}
	case metadata.VerdictAny:
		return refusal(http.StatusInternalServerError, "cannot continue due to newly found inconsistent metadata", found)
	}
	return refusal(http.StatusBadRequest, "cannot continue due to new inconsistent metadata", found)
}

func refusal(status int, message string, because []metadata.Inconsistency) error {
	if len(because) == 0 {
		return nil
	}
	return apierror.New(apierror.Unexpected, message).WithStatus(status).WithInternal(because)
}

// reasons is the error of a request whose own objects are inconsistent.
func reasons(list []metadata.Inconsistency, named []metadata.ObjectID) error {
	var own []metadata.Inconsistency
	var texts []string
	for _, i := range list {
		if slices.ContainsFunc(i.IDs(), func(id metadata.ObjectID) bool { return slices.Contains(named, id) }) {
			if i.Unsupported != "" {
				return apierror.New(apierror.NotSupported, i.Unsupported)
			}
			own = append(own, i)
			texts = append(texts, i.Reason)
		}
	}
	if len(own) == 0 {
		return nil
	}
	err := apierror.New(apierror.InvalidConfiguration, strings.Join(texts, ", ")).WithInternal(own)
	if len(own) == 1 && own[0].Path != "" {
		err.Path = own[0].Path
	}
	return err
}

// fresh are the inconsistencies of objects that were consistent before, without those that
// only inform.
func fresh(before, after []metadata.Inconsistency) []metadata.Inconsistency {
	type object struct {
		id   metadata.ObjectID
		name string // what conflicts have instead of an ID is their reason
	}
	key := func(i metadata.Inconsistency) object {
		if len(i.Objects) > 0 || len(i.Conflicts) > 0 {
			return object{name: i.Reason}
		}
		return object{i.ID, i.Name}
	}
	known := make(map[object]bool, len(before))
	for _, i := range before {
		known[key(i)] = true
	}
	var found []metadata.Inconsistency
	for _, i := range after {
		if len(i.IDs()) > 0 && !known[key(i)] {
			found = append(found, i)
		}
	}
	return found
}
