package resolve

// CheckPermission finds the definition errors of a permission of a role: a pointer to a
// metadata.Definition of a kind of permission. The path of the error is relative to the permission.
func CheckPermission(t *Table, role string, permission any) error {
	_, err := parseDefinition(t, role, permission, &tracker{})
	return err
}
