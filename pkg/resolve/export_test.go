package resolve

// CheckPermission finds the definition errors of a permission of a role: a pointer to one of metadata.SelectPermission,
// InsertPermission, UpdatePermission and DeletePermission. The path of the error is relative to the permission.
func CheckPermission(t *Table, role string, permission any) error {
	_, err := parseDefinition(t, role, permission, &tracker{})
	return err
}
