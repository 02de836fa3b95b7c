package program

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/config"
)

// Report writes why a program ends: a line with its name for each error that is joined in err. A
// setting that several services of one process miss is reported once.
func Report(w io.Writer, name config.Service, err error) {
	for _, line := range lines(nil, err) {
		fmt.Fprintf(w, "%s: %s\n", name, line)
	}
}

// lines appends the lines of err that aren't in the list.
func lines(list []string, err error) []string {
	if several := parts(err); several != nil {
		for _, one := range several {
			list = lines(list, one)
		}
		return list
	}
	text := apierror.Detailed(err)
	if wrong := (*config.UsageError)(nil); errors.As(err, &wrong) {
		text += " (see --help)"
	}
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// parts are what errors.Join joined, nil for any other error. Errors that name several causes in
// one sentence have parts, too, and stay whole.
func parts(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error }) //nolint:errorlint // what err itself is
	if !ok {
		return nil
	}
	list := joined.Unwrap()
	if err.Error() != errors.Join(list...).Error() {
		return nil
	}
	return list
}
