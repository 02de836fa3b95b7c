package resolve

// Role is an inherited role.
type Role struct {
	Name string
	// Parents in the order of the document; they may be inherited roles themselves.
	Parents []string
}
