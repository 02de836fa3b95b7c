package config

// Nearest is what of the known words was probably meant with one that is unknown, "" when none is
// like it.
func Nearest(word string, known []string) string {
	best, least := "", max(2, len(word)/3)+1
	for _, k := range known {
		if d := distance(word, k); d < least && d < len(k) {
			best, least = k, d
		}
	}
	return best
}

// DidYouMean is the end of an error about an unknown word, "" when no known one is like it.
func DidYouMean(word string, known []string) string {
	nearest := Nearest(word, known)
	if nearest == "" {
		return ""
	}
	return `; did you mean "` + nearest + `"?`
}

// distance is how many letters have to be put in, taken out, replaced or swapped with their
// neighbour to make b of a.
func distance(a, b string) int {
	before, previous, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range current {
		current[j] = j
	}
	for i := range len(a) {
		before, previous, current = previous, current, before
		current[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			current[j+1] = min(previous[j]+cost, previous[j+1]+1, current[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				current[j+1] = min(current[j+1], before[j-1]+1)
			}
		}
	}
	return current[len(b)]
}
