package remoteschema

import (
	"slices"
	"strconv"
	"strings"
)

// repeated are the texts that a list holds more than once, in order.
func repeated(list []string) []string {
	seen := make(map[string]int, len(list))
	var twice []string
	for _, s := range list {
		if seen[s]++; seen[s] == 2 {
			twice = append(twice, s)
		}
	}
	slices.Sort(twice)
	return twice
}

// quoted are the texts in quotes.
func quoted(list []string, separator string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strconv.Quote(s)
	}
	return strings.Join(out, separator)
}

// conjunction joins quoted texts as in: "a", "b" and "c".
func conjunction(list []string) string {
	if n := len(list); n > 1 {
		return quoted(list[:n-1], ", ") + " and " + quoted(list[n-1:], "")
	}
	return quoted(list, "")
}
