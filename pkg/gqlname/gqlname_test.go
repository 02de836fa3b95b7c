package gqlname_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/gqlname"
)

func TestValid(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "Z", "_", "__typename", "a1", "gift_card", "_0"} {
		require.True(t, gqlname.Valid(name), name)
	}
	for _, name := range []string{"", "1a", "gift-card", "gift card", "größe", "a$", "a\n", "\xff"} {
		require.False(t, gqlname.Valid(name), name)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"":             nil,
		"___":          {"___"},
		"gift_card":    {"gift", "card"},
		"_gift__card_": {"_gift", "card"},
		"giftCard":     {"giftCard"},
	} {
		require.Equal(t, want, gqlname.Words(name), name)
	}
}

func TestFirstLetter(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]struct{ upper, lower string }{
		"":      {"", ""},
		"__":    {"__", "__"},
		"card":  {"Card", "card"},
		"CARD":  {"CARD", "cARD"},
		"_card": {"_Card", "_card"},
		"3d":    {"3d", "3d"},
		"über":  {"über", "über"},
	} {
		require.Equal(t, want.upper, gqlname.Upper(word), word)
		require.Equal(t, want.lower, gqlname.Lower(word), word)
	}
}
