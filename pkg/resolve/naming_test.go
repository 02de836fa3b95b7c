package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/resolve"
)

func rootNames(r *resolve.RootFields) []string {
	return []string{
		r.Select.Name, r.SelectByPK.Name, r.SelectAggregate.Name, r.SelectStream.Name, r.Insert.Name, r.InsertOne.Name,
		r.Update.Name, r.UpdateByPK.Name, r.UpdateMany.Name, r.Delete.Name, r.DeleteByPK.Name,
	}
}

func TestRootFieldNames(t *testing.T) {
	t.Parallel()
	graphQL := options()
	graphQL.NamingConventionEnabled, graphQL.DefaultNamingConvention = true, "graphql-default"
	disabled := options()
	disabled.DefaultNamingConvention = "graphql-default"
	const wrapped = `"customization":{"root_fields":{"prefix":"shop_","suffix":"_x","namespace":"shop"},"type_names":{"prefix":"S","suffix":"T"}},`
	plain := []string{
		"gift_card", "gift_card_by_pk", "gift_card_aggregate", "gift_card_stream", "insert_gift_card", "insert_gift_card_one",
		"update_gift_card", "update_gift_card_by_pk", "update_gift_card_many", "delete_gift_card", "delete_gift_card_by_pk",
	}
	for name, c := range map[string]struct {
		keys, table string
		o           resolve.Options
		want        []string
	}{
		"default":                  {"", `{"table":"gift_card"}`, options(), plain},
		"convention not enabled":   {"", `{"table":"gift_card"}`, disabled, plain},
		"convention of the source": {`"customization":{"naming_convention":"engine-default"},`, `{"table":"gift_card"}`, graphQL, plain},
		"other schema": {"", `{"table":{"schema":"old","name":"gift"}}`, options(), []string{
			"old_gift", "old_gift_by_pk", "old_gift_aggregate", "old_gift_stream", "insert_old_gift", "insert_old_gift_one",
			"update_old_gift", "update_old_gift_by_pk", "update_old_gift_many", "delete_old_gift", "delete_old_gift_by_pk",
		}},
		"custom": {"", `{"table":"gift_card","configuration":{"custom_name":"Gift","custom_root_fields":{"select":"gifts","insert_one":{"name":"give"}}}}`, options(), []string{
			"gifts", "Gift_by_pk", "Gift_aggregate", "Gift_stream", "insert_Gift", "give",
			"update_Gift", "update_Gift_by_pk", "update_Gift_many", "delete_Gift", "delete_Gift_by_pk",
		}},
		"wrapped": {wrapped, `{"table":"gift_card","configuration":{"custom_root_fields":{"select":"gifts"}}}`, options(), []string{
			"shop_gifts_x", "shop_gift_card_by_pk_x", "shop_gift_card_aggregate_x", "shop_gift_card_stream_x", "shop_insert_gift_card_x", "shop_insert_gift_card_one_x",
			"shop_update_gift_card_x", "shop_update_gift_card_by_pk_x", "shop_update_gift_card_many_x", "shop_delete_gift_card_x", "shop_delete_gift_card_by_pk_x",
		}},
		"graphql-default": {"", `{"table":"gift_card"}`, graphQL, []string{
			"giftCard", "giftCardByPk", "giftCardAggregate", "giftCardStream", "insertGiftCard", "insertGiftCardOne",
			"updateGiftCard", "updateGiftCardByPk", "updateGiftCardMany", "deleteGiftCard", "deleteGiftCardByPk",
		}},
		"graphql-default with a custom name": {"", `{"table":"gift","configuration":{"custom_name":"gift_card"}}`, graphQL, []string{
			"gift_card", "gift_cardByPk", "gift_cardAggregate", "gift_cardStream", "insertGift_card", "insertGift_cardOne",
			"updateGift_card", "updateGift_cardByPk", "updateGift_cardMany", "deleteGift_card", "deleteGift_cardByPk",
		}},
		"graphql-default wrapped": {wrapped, `{"table":"gift_card","configuration":{"custom_root_fields":{"select":"gifts"}}}`, graphQL, []string{
			"shop_Gifts_X", "shop_GiftCardByPk_X", "shop_GiftCardAggregate_X", "shop_GiftCardStream_X", "shop_InsertGiftCard_X", "shop_InsertGiftCardOne_X",
			"shop_UpdateGiftCard_X", "shop_UpdateGiftCardByPk_X", "shop_UpdateGiftCardMany_X", "shop_DeleteGiftCard_X", "shop_DeleteGiftCardByPk_X",
		}},
	} {
		db := shop()
		for _, n := range []string{"gift_card", "gift", "old.gift"} {
			db.Tables[parseName(n)] = catalogTable(n, "id int4!")
		}
		s := resolve.Build(documentWith(t, c.keys, c.table), map[string]*catalog.Source{"default": db}, nil, nil, c.o)
		require.Len(t, s.Sources[0].Tables, 1, name)
		got := s.Sources[0].Tables[0]
		require.Equal(t, c.want, rootNames(got.RootFields), name)
		if c.keys == wrapped {
			require.Equal(t, "shop", got.Source.Namespace)
		}
	}
}

func TestATableWithoutAGraphQLNameIsInvisible(t *testing.T) {
	t.Parallel()
	db := shop()
	db.Tables[public("gift card")] = catalogTable("gift card", "id int4!, sold at date, sold_at date")
	s := build(document(t, `{"table":"gift card"}`), db)
	gift := table(s, "gift card")
	require.Empty(t, gift.Name)
	require.Empty(t, gift.RootFields.Select.Name)
	require.Empty(t, s.Inconsistencies())

	s = build(document(t, `{"table":"gift card","configuration":{"custom_name":"gift"}}`), db)
	require.Equal(t, "gift", table(s, "gift card").RootFields.Select.Name)
}

// TestDescriptionsWithoutTheDatabase: comments of the database are left out, those of the metadata stay.
func TestDescriptionsWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	db, secret := shop(), "not for clients"
	db.Tables[public("album")].Comment = &secret
	for _, c := range db.Tables[public("album")].Columns {
		c.Comment = &secret
	}
	for _, overloads := range db.Functions {
		for _, f := range overloads {
			f.Comment = &secret
		}
	}
	o := options()
	o.HideDatabaseComments = true
	s := resolve.Build(everything(t), map[string]*catalog.Source{"default": db}, nil, nil, o)
	album := table(s, "album")
	require.Equal(t, `columns and relationships of "album"`, *album.Description)
	for _, c := range album.Columns {
		require.Nil(t, c.Description, c.Name)
	}
	require.Equal(t, `A computed field, executes function "album_label"`, album.ComputedField("label").Description)
	mine := table(resolve.Build(document(t, `{"table":"album","configuration":{"comment":"mine","column_config":{"title":{"comment":"its name"}}}}`),
		map[string]*catalog.Source{"default": db}, nil, nil, o), "album")
	require.Equal(t, "mine", *mine.Description)
	require.Equal(t, "its name", *mine.Column("title").Description)
}

func TestDescriptions(t *testing.T) {
	t.Parallel()
	db := shop()
	comment := "records"
	db.Tables[public("album")].Comment = &comment
	db.Tables[public("album")].Column("title").Comment = &comment
	of := func(configuration string) *resolve.Table {
		return table(build(document(t, `{"table":"album","configuration":`+configuration+`}`, `{"table":{"schema":"archive","name":"album"}}`), db), "album")
	}
	album := of(`{"custom_root_fields":{"insert":{"comment":"mine"},"delete":{"name":"drop","comment":""}}}`)
	require.Equal(t, "records", *album.Description)
	require.Equal(t, "records", *album.Column("title").Description)
	require.Nil(t, album.Column("id").Description)
	r := album.RootFields
	for _, c := range []struct {
		field resolve.RootField
		want  string
	}{
		{r.Select, `fetch data from the table: "album"`},
		{r.SelectByPK, `fetch data from the table: "album" using primary key columns`},
		{r.SelectAggregate, `fetch aggregated fields from the table: "album"`},
		{r.SelectStream, `fetch data from the table in a streaming manner: "album"`},
		{r.Insert, `mine`},
		{r.InsertOne, `insert a single row into the table: "album"`},
		{r.Update, `update data of the table: "album"`},
		{r.UpdateByPK, `update single row of the table: "album"`},
		{r.UpdateMany, `update multiples rows of table: "album"`},
		{r.DeleteByPK, `delete single row from the table: "album"`},
	} {
		require.Equal(t, c.want, *c.field.Description())
	}
	require.Equal(t, "insert_album", r.Insert.Name)
	require.Nil(t, r.Delete.Description())
	require.Equal(t, "drop", r.Delete.Name)

	album = of(`{"comment":"mine","column_config":{"title":{"comment":"ours"}}}`)
	require.Equal(t, "mine", *album.Description)
	require.Equal(t, "ours", *album.Column("title").Description)
	album = of(`{"comment":"","column_config":{"title":{"comment":""}}}`)
	require.Nil(t, album.Description)
	require.Nil(t, album.Column("title").Description)

	archived := album.Source.Table(parseName("archive.album"))
	require.Equal(t, `columns and relationships of "archive.album"`, *archived.Description)
	require.Equal(t, `insert data into the table: "archive.album"`, *archived.RootFields.Insert.Description())
}

func TestColumnNames(t *testing.T) {
	t.Parallel()
	db := shop()
	db.Tables[public("gift")] = catalogTable("gift", "id int4!, sold_at date, list price numeric, _hidden_note text")
	fields := func(o resolve.Options, configuration string) []string {
		s := resolve.Build(document(t, `{"table":"gift","configuration":`+configuration+`}`), map[string]*catalog.Source{"default": db}, nil, nil, o)
		list := []string{}
		for _, c := range table(s, "gift").Columns {
			list = append(list, c.Field)
		}
		return list
	}
	graphQL := options()
	graphQL.NamingConventionEnabled, graphQL.DefaultNamingConvention = true, "graphql-default"
	require.Equal(t, []string{"id", "sold_at", "", "_hidden_note"}, fields(options(), `{}`))
	require.Equal(t, []string{"id", "soldAt", "", "_hiddenNote"}, fields(graphQL, `{}`))
	const custom = `{"column_config":{"sold_at":{"custom_name":"sold_On"}},"custom_column_names":{"list price":"price","sold_at":"x"}}`
	require.Equal(t, []string{"id", "sold_On", "price", "_hidden_note"}, fields(options(), custom))
	require.Equal(t, []string{"id", "sold_On", "price", "_hiddenNote"}, fields(graphQL, custom))
	// Two columns may swap their names.
	require.Equal(t, []string{"sold_at", "id", "", "_hidden_note"}, fields(options(), `{"column_config":{"id":{"custom_name":"sold_at"},"sold_at":{"custom_name":"id"}}}`))

	for configuration, want := range map[string]string{
		`{"column_config":{"x":{"custom_name":"y"}}}`:        `configuration was given for the column "x", but no such column exists`,
		`{"custom_column_names":{"x":"y"}}`:                  `configuration was given for the column "x", but no such column exists`,
		`{"column_config":{"sold_at":{"custom_name":"id"}}}`: `the definitions of columns "id" and "sold_at" are in conflict: they are mapped to the same field name, "id"`,
	} {
		s := build(document(t, `{"table":"gift","configuration":`+configuration+`}`), db)
		require.Equal(t, []string{want}, problems(s))
	}
}

func TestIsColumn(t *testing.T) {
	t.Parallel()
	s := build(document(t, `{"table":"album","configuration":{"column_config":{"id":{"custom_name":"AlbumId"}}}}`), shop())
	album := table(s, "album")
	require.Equal(t, "AlbumId", album.PrimaryKey[0].Field)
	require.Equal(t, "Int", album.Column("id").Scalar.Name)
	require.True(t, s.IsColumn("default", public("album"), "id"))
	require.False(t, s.IsColumn("default", public("album"), "AlbumId"))
	require.False(t, s.IsColumn("default", public("track"), "id"))
	require.False(t, s.IsColumn("other", public("album"), "id"))
}
