package config

import (
	"errors"
	"strings"
)

// ChangesReader is a user of NATS who may read the published changes of that name of a source.
type ChangesReader struct{ User, Source, Name string }

// parseReaders reads a list of USER=SOURCE/NAME.
func parseReaders(text string) ([]ChangesReader, error) {
	names, err := parseList(text)
	if err != nil {
		return nil, err
	}
	list := make([]ChangesReader, len(names))
	for i, item := range names {
		user, publication, _ := strings.Cut(item, "=")
		slash := strings.LastIndexByte(publication, '/')
		if !isUserName(user) || slash < 1 || slash == len(publication)-1 {
			return nil, errors.New("Only expecting list of comma separated USER=SOURCE/NAME, with users of small letters, digits and -") //nolint:staticcheck // begins like those of other settings
		}
		list[i] = ChangesReader{User: user, Source: publication[:slash], Name: publication[slash+1:]}
	}
	return list, nil
}

// isUserName reports whether a name can be that of a file and part of a subject.
func isUserName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
