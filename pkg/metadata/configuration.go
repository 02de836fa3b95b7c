package metadata

import (
	"maps"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/gqlname"
)

// TableConfiguration customises names and descriptions.
type TableConfiguration struct {
	ColumnConfig      map[string]ColumnConfig    `json:"column_config"`
	Comment           *string                    `json:"comment,omitempty"`
	CustomColumnNames map[string]string          `json:"custom_column_names"`
	CustomName        string                     `json:"custom_name,omitempty"`
	CustomRootFields  map[string]CustomRootField `json:"custom_root_fields"`
}

// ColumnConfig customises one column.
type ColumnConfig struct {
	CustomName string  `json:"custom_name,omitempty"`
	Comment    *string `json:"comment,omitempty"`
}

// CustomRootField is a name, or a name and a comment; it encodes as a text without one.
type CustomRootField struct {
	Name    string
	Comment *string
}

// MarshalJSON writes the short form if it is sufficient.
func (f CustomRootField) MarshalJSON() ([]byte, error) {
	if f.Comment == nil {
		return Encode(f.Name)
	}
	var name *string
	if f.Name != "" {
		name = &f.Name
	}
	return Encode(struct {
		Name    *string `json:"name,omitempty"`
		Comment *string `json:"comment"`
	}{name, f.Comment})
}

// UnmarshalJSON reads null, a name, or {"name","comment"}.
func (f *CustomRootField) UnmarshalJSON(raw []byte) error {
	*f = CustomRootField{}
	switch JSONType(raw) {
	case "Null":
		return nil
	case "String":
		return decode(raw, &f.Name)
	}
	var fields struct {
		Name    string  `json:"name"`
		Comment *string `json:"comment"`
	}
	if err := decode(raw, &fields); err != nil {
		return err
	}
	f.Name, f.Comment = fields.Name, fields.Comment
	return nil
}

// rootFieldKeys are the root fields that may be customised, in the order of the documents.
var rootFieldKeys = [...]string{
	"select", "select_by_pk", "select_aggregate", "select_stream", "select_groups",
	"insert", "insert_one", "update", "update_by_pk", "update_many", "delete", "delete_by_pk",
}

// check merges the two forms of column names, of which column_config wins, and refuses
// names that can't be.
func (c *TableConfiguration) check() error {
	columns := make(map[string]ColumnConfig, len(c.ColumnConfig))
	for column, name := range c.CustomColumnNames {
		columns[column] = ColumnConfig{CustomName: name}
	}
	for column, config := range c.ColumnConfig {
		if config.CustomName == "" {
			config.CustomName = columns[column].CustomName
		}
		columns[column] = config
	}
	c.ColumnConfig = columns
	c.CustomColumnNames = make(map[string]string, len(columns))
	for _, column := range sortedKeys(columns) {
		name := columns[column].CustomName
		if name == "" {
			continue
		}
		if !gqlname.Valid(name) {
			return apierror.At(nameError(name), "column_config", column, "custom_name")
		}
		c.CustomColumnNames[column] = name
	}
	if c.CustomName != "" && !gqlname.Valid(c.CustomName) {
		return apierror.At(nameError(c.CustomName), "custom_name")
	}
	return apierror.At(c.checkRootFields(), "custom_root_fields")
}

func (c *TableConfiguration) checkRootFields() error {
	uses := map[string]int{}
	var repeated []string
	kept := make(map[string]CustomRootField, len(c.CustomRootFields))
	for _, key := range rootFieldKeys {
		f, ok := c.CustomRootFields[key]
		if !ok || f.Name == "" && f.Comment == nil {
			continue
		}
		kept[key] = f
		if f.Name == "" {
			continue
		}
		if !gqlname.Valid(f.Name) {
			return apierror.At(nameError(f.Name), key)
		}
		if uses[f.Name]++; uses[f.Name] == 2 {
			repeated = append(repeated, strconv.Quote(f.Name))
		}
	}
	c.CustomRootFields = kept
	if len(repeated) > 0 {
		return apierror.New(apierror.ParseFailed,
			"the following custom root field names are duplicated: "+strings.Join(repeated, " and "))
	}
	return nil
}

// normalised is nil for a configuration that configures nothing, else complete.
func (c *TableConfiguration) normalised() *TableConfiguration {
	if c == nil || len(c.ColumnConfig) == 0 && c.Comment == nil && len(c.CustomColumnNames) == 0 &&
		c.CustomName == "" && len(c.CustomRootFields) == 0 {
		return nil
	}
	return c
}

// withoutColumn forgets a column that was dropped.
func (c *TableConfiguration) withoutColumn(column string) *TableConfiguration {
	if c == nil {
		return nil
	}
	if _, ok := c.ColumnConfig[column]; !ok {
		return c
	}
	n := *c
	n.ColumnConfig = maps.Clone(c.ColumnConfig)
	n.CustomColumnNames = maps.Clone(c.CustomColumnNames)
	delete(n.ColumnConfig, column)
	delete(n.CustomColumnNames, column)
	return n.normalised()
}

func nameError(name string) error {
	return apierror.Newf(apierror.ParseFailed, "%q is not a valid GraphQL name; it has to match [_A-Za-z][_0-9A-Za-z]*", name)
}
