package metadata

// RunSQL are the arguments of run_sql.
type RunSQL struct {
	SQL           string `json:"sql" meta:"required"`
	Source        string `json:"source" meta:"default=default"`
	Cascade       bool   `json:"cascade"`
	Check         *bool  `json:"check_metadata_consistency"`
	ReadOnly      bool   `json:"read_only"`
	NoTransaction bool   `json:"no_transaction"`
	DryRun        bool   `json:"dry_run"`
	// AllResults asks for the result of each statement, with at most MaxRows rows.
	AllResults bool `json:"all_results"`
	MaxRows    int  `json:"max_rows"`

	// changes is Kind.ChangesSchema of the kind.
	changes func(sql string) bool
}

func (a *RunSQL) ofKind(k *Kind) error {
	if k != nil {
		a.changes = k.ChangesSchema
	}
	return nil
}

// Modifies reports whether the text is checked for what it does to metadata.
func (a *RunSQL) Modifies() bool {
	switch {
	case a.ReadOnly:
		return false
	case a.Check != nil:
		return *a.Check
	}
	return a.changes != nil && a.changes(a.SQL)
}

// AsksDryRun reports whether the text is only to be tried: what it does is rolled back.
func (a *RunSQL) AsksDryRun() bool { return a.DryRun }

// InspectDatabase is bigquery_database_inspection.
type InspectDatabase struct {
	Source string `json:"source" meta:"required"`
}
