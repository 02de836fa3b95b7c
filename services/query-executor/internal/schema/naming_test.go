package schema

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

func TestNaming(t *testing.T) {
	t.Parallel()
	engine := naming{convention: resolve.ConventionEngine}
	graphql := naming{convention: resolve.ConventionGraphQL}
	affixed := naming{convention: resolve.ConventionGraphQL, affixes: metadata.Affixes{Prefix: "Shop", Suffix: "X"}}
	table, custom := base{name: "gift_card"}, base{name: "gift_card", custom: true}
	for _, c := range []struct{ engine, graphql, wantEngine, wantGraphQL string }{
		{engine.typeName(table, ""), graphql.typeName(table, ""), "gift_card", "GiftCard"},
		{engine.typeName(table, "bool_exp"), graphql.typeName(table, "bool_exp"), "gift_card_bool_exp", "GiftCardBoolExp"},
		{engine.typeName(custom, ""), graphql.typeName(custom, ""), "gift_card", "gift_card"},
		{engine.typeName(custom, "set_input"), graphql.typeName(custom, "set_input"), "gift_card_set_input", "gift_cardSetInput"},
		{engine.typeName(base{name: "_odd__name_"}, "x"), graphql.typeName(base{name: "_odd__name_"}, "x"), "_odd__name__x", "_OddNameX"},
		{engine.field("order_by"), graphql.field("order_by"), "order_by", "orderBy"},
		{engine.field("_is_null"), graphql.field("_is_null"), "_is_null", "_isNull"},
		{engine.field("_st_3d_d_within"), graphql.field("_st_3d_d_within"), "_st_3d_d_within", "_st3dDWithin"},
		{engine.field("_eq"), graphql.field("_eq"), "_eq", "_eq"},
		{engine.aggregateOf("gift_cards"), graphql.aggregateOf("gift_cards"), "gift_cards_aggregate", "giftCardsAggregate"},
		{engine.shared("timestamptz_comparison_exp"), graphql.shared("timestamptz_comparison_exp"), "timestamptz_comparison_exp", "TimestamptzComparisonExp"},
		{engine.shared("order_by"), graphql.shared("order_by"), "order_by", "OrderBy"},
		{engine.extended("Shop_enum", "comparison_exp"), graphql.extended("ShopEnum", "comparison_exp"), "Shop_enum_comparison_exp", "ShopEnumComparisonExp"},
		{engine.value("asc_nulls_first"), graphql.value("asc_nulls_first"), "asc_nulls_first", "ASC_NULLS_FIRST"},
	} {
		require.Equal(t, c.wantEngine, c.engine)
		require.Equal(t, c.wantGraphQL, c.graphql)
	}
	require.Equal(t, "ShopGiftCardOrderByX", affixed.typeName(table, "order_by"))
	require.Equal(t, "GiftCardAggregateBoolExp", affixed.plainTypeName(table, "aggregate_bool_exp"))
}
