package apierror

// Entries are all codes, by name.
func Entries() []Entry { return entries }
