package input

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParts(t *testing.T) {
	t.Parallel()
	a := jsonPlace{key: "a"}
	b := jsonPlace{key: "b", index: 1}
	shared := at(b)
	p := newParts([]jsonPart{
		{0, at(a)}, {0, &jsonPlace{shared, "", 1}}, {0, &jsonPlace{shared, "", 0}}, {0, shared}, // below one place
		{0, at(a)}, {0, at(b, jsonPlace{index: 1})}, // of another use of the variable
		{2, at(jsonPlace{index: 2})}, {1, at(a)},
	})
	found, err := p.Find([][]byte{[]byte(` {"a" : "x}" ,"b":[ {"c":1},2 ] , "c" : 3}`), nil, []byte(`[1, 2]`)})
	require.NoError(t, err)
	var texts []string
	for _, f := range found {
		texts = append(texts, strings.TrimSpace(string(f)))
	}
	require.Equal(t, []string{`"x}"`, "2", `{"c":1}`, `[ {"c":1},2 ]`, `"x}"`, "2", "", ""}, texts)
	require.Nil(t, found[6], "an item that isn't there")
	require.Nil(t, found[7], "a variable without a value")
}

// TestPartsAreFoundInOneWalk holds that what is found is found by reading the value once: a
// part costs what it takes up, not what all of the value does.
func TestPartsAreFoundInOneWalk(t *testing.T) {
	t.Parallel()
	const n = 50_000
	list := make([]jsonPart, n)
	above := at(jsonPlace{key: "list"})
	for i := range list {
		list[i] = jsonPart{0, &jsonPlace{above, "", i}}
	}
	value := []byte(`{"list":[` + strings.Repeat(`"x",`, n-1) + `"y"]}`)
	found, err := newParts(list).Find([][]byte{value})
	require.NoError(t, err)
	require.Equal(t, `"x"`, string(found[0]))
	require.Equal(t, `"y"`, string(found[n-1]))
	require.Nil(t, newParts(nil))
}
