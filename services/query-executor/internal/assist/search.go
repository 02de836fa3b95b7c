package assist

import (
	"cmp"
	"slices"
	"strings"

	"queryengine/services/query-executor/internal/introspect"
	"queryengine/services/query-executor/internal/schema"
)

// Hit is a type or a field that fits a search.
type Hit struct {
	// Of is the type of a field, empty for a type.
	Of          string `json:"of,omitempty"`
	Name        string `json:"name"`
	Type        string `json:"type,omitempty"`
	Kind        string `json:"kind"`
	Description string `json:"description,omitempty"`
	// fits is how many words it fits.
	fits, score int
}

// mostWords is how many words of a search count: each is looked for in all of the schema.
const mostWords = 20

// longestDescription is how much of a description is shown, in bytes.
const longestDescription = 300

// Search returns what fits the words best among the root fields and the fields of objects, at most limit. What fits all words is
// alone; when nothing does, what fits most of them is. Each word counts by where it is: in the name, at its beginning, in the name
// of the field's type, or in the description.
func Search(role *schema.Role, text string, limit int) []Hit {
	words := strings.Fields(strings.ToLower(strings.NewReplacer("_", " ", ".", " ", "-", " ", ",", " ", "?", " ").Replace(text)))
	if telling := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return fillers[w] }); len(telling) > 0 {
		words = telling
	}
	words = words[:min(len(words), mostWords)]
	for i, w := range words {
		if len(w) > 3 {
			words[i] = strings.TrimSuffix(w, "s") // names may have either number
		}
	}
	hits := []Hit{}
	if len(words) == 0 {
		return hits
	}
	seen := map[string]bool{}
	for kind, root := range roots(role) {
		fields := root.Fields()
		for i := range fields {
			f := &fields[i]
			if fits, s := score(words, f.Name, "", f.Description()); fits > 0 {
				hits = append(hits, Hit{Name: f.Name, Kind: rootNames[kind], Type: f.Type.String(), Description: cut(f.Description()), fits: fits, score: 2*s + 1})
			}
			hits = searchType(hits, words, f.Type.Named, seen, true)
		}
	}
	most := 0
	for i := range hits {
		most = max(most, hits[i].fits)
	}
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.fits < most })
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Of, b.Of), cmp.Compare(a.Name, b.Name))
	})
	return hits[:min(limit, len(hits))]
}

// fillers are words of questions that say nothing of their subject. They would fit the comments of most types.
var fillers = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields("a about all an and any are at be by can did do does each find for from get give had has have how i in is it " +
		"many me much my of on or our tell that the their there these this to us was we were what when where which who why will with you your") {
		set[w] = true
	}
	return set
}()

var rootNames = [...]string{"query", "mutation"}

func roots(role *schema.Role) []*schema.Type {
	list := []*schema.Type{role.Query()}
	if m := role.Mutation(); m != nil {
		list = append(list, m)
	}
	return list
}

// searchType looks at an object, its fields and, below namespaces and aggregates, no further.
func searchType(hits []Hit, words []string, t *schema.Type, seen map[string]bool, deep bool) []Hit {
	if t.Kind != schema.Object || seen[t.Name] {
		return hits
	}
	seen[t.Name] = true
	if fits, s := score(words, t.Name, "", t.Description()); fits > 0 {
		hits = append(hits, Hit{Name: t.Name, Kind: "type", Description: cut(t.Description()), fits: fits, score: 2 * s})
	}
	fields := t.Fields()
	for i := range fields {
		f := &fields[i]
		if fits, s := score(words, f.Name, t.Name, f.Description()); fits > 0 {
			hits = append(hits, Hit{Of: t.Name, Name: f.Name, Kind: "field", Type: f.Type.String(), Description: cut(f.Description()), fits: fits, score: s})
		}
		if deep {
			hits = searchType(hits, words, f.Type.Named, seen, false)
		}
	}
	return hits
}

func cut(text string) string {
	if len(text) <= longestDescription {
		return text
	}
	return strings.ToValidUTF8(text[:longestDescription], "") + "..."
}

// score counts the words that a type or a field fits, at least one of them not only by the type that it is of, and adds up how well.
func score(words []string, name, of, description string) (fits, total int) {
	lower, parent, comment := strings.ToLower(name), strings.ToLower(of), ""
	own := false
	for _, w := range words {
		found := 0
		switch {
		case lower == w || lower == w+"s":
			found = 8
		case strings.HasPrefix(lower, w):
			found = 4
		case len(w) < 3: // in the middle of most words
		case strings.Contains(lower, w):
			found = 3
		default:
			if comment == "" && description != "" {
				comment = strings.ToLower(description)
			}
			if strings.Contains(comment, w) {
				found = 1
			}
		}
		own = own || found > 0
		if found == 0 && of != "" && strings.Contains(parent, w) {
			found = 2
		}
		if found > 0 {
			fits++
			total += found
		}
	}
	if !own {
		return 0, 0
	}
	return fits, total
}

// Describe is a type with its fields, and the types of their arguments, as GraphQL text; empty for a type that the role
// doesn't have.
func Describe(role *schema.Role, name string) string {
	t := find(role, name)
	for _, root := range roots(role) {
		if t != nil {
			break
		}
		if f := root.Field(name); f != nil { // assistants often take a root field for its type
			t = f.Type.Named
		}
	}
	if t == nil || strings.HasPrefix(t.Name, "__") || plainTypes[t.Name] != nil {
		return ""
	}
	return introspect.SDL(role, []*schema.Type{t})
}

// SDL is the whole schema of a role.
func SDL(role *schema.Role) string { return introspect.SDL(role, role.Enumerate()) }

// TableList is a page of the types of tables' rows.
type TableList struct {
	Tables []TableType `json:"tables"`
	// Next is the name after which the next page begins, empty for none.
	Next string `json:"next,omitempty"`
}

// TableType is the type of a table's rows, with the comment of the table.
type TableType struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// Tables lists the tables that the role sees in the order of their types' names, from the one after a name on, at most limit.
func Tables(role *schema.Role, after string, limit int) TableList {
	all := []TableType{}
	for _, t := range role.Enumerate() {
		if of := role.TableOf(t); of != nil && of.Type() == t && t.Name > after {
			all = append(all, TableType{t.Name, cut(t.Description())})
		}
	}
	slices.SortFunc(all, func(a, b TableType) int { return strings.Compare(a.Name, b.Name) })
	list := TableList{Tables: all[:min(limit, len(all))]}
	if limit < len(all) {
		list.Next = all[limit-1].Name
	}
	return list
}
