package oracle

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Differs describes where an answer differs from the right one, empty for nowhere.
func Differs(want any, answer []byte) string {
	var got struct{ Data any }
	if err := json.Unmarshal(answer, &got); err != nil {
		return err.Error()
	}
	return differs("data", want, got.Data)
}

func differs(path string, want, got any) string {
	different := func() string { return fmt.Sprintf("%s: %v, where %v is right", path, got, want) }
	switch want := want.(type) {
	case list:
		items, ok := got.([]any)
		if !ok {
			return different()
		}
		return differsList(path, want, items)
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok || len(object) != len(want) {
			return different()
		}
		for key, v := range want {
			if d := differs(path+"."+key, v, object[key]); d != "" {
				return d
			}
		}
		return ""
	case numberText:
		text, ok := got.(string)
		n, err := strconv.ParseFloat(text, 64)
		if !ok || err != nil {
			return different()
		}
		return differs(path, float64(want), n)
	case float64:
		n, ok := got.(float64)
		if !ok || math.Abs(n-want) > 1e-9*max(1, math.Abs(want)) {
			return different()
		}
		return ""
	case []any:
		items, ok := got.([]any)
		if !ok || len(items) != len(want) {
			return different()
		}
		for i := range want {
			if d := differs(fmt.Sprintf("%s[%d]", path, i), want[i], items[i]); d != "" {
				return d
			}
		}
		return ""
	}
	if want != got {
		return different()
	}
	return ""
}

// differsList compares a list, group after group. Within a group each wanted item takes the
// first one that is equal.
func differsList(path string, want list, got []any) string {
	n := 0
	for _, group := range want {
		n += len(group)
	}
	if len(got) != n {
		return fmt.Sprintf("%s has %d items, where %d are right: %v", path, len(got), n, got)
	}
	for _, group := range want {
		part := got[:len(group)]
		got = got[len(group):]
		taken := make([]bool, len(part))
		for _, item := range group {
			first := ""
			found := false
			for i := range part {
				if taken[i] {
					continue
				}
				d := differs(fmt.Sprintf("%s[%d]", path, i), item, part[i])
				if d == "" {
					taken[i], found = true, true
					break
				}
				if first == "" {
					first = d
				}
			}
			if !found {
				return first
			}
		}
	}
	return ""
}
