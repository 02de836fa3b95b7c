package postgres

import (
	"strings"

	"queryengine/pkg/apierror"
)

// dumpOptions are the options of pg_dump that select the content of a dump, and whether they take a
// value. All others are refused: those that choose the server would send the password of the source
// there, those of the output write files of this server.
var dumpOptions = map[string]bool{
	"data-only": false, "large-objects": false, "blobs": false, "no-large-objects": false, "no-blobs": false,
	"clean": false, "create": false, "schema-only": false, "statistics-only": false,
	"no-owner": false, "no-privileges": false, "no-acl": false, "no-comments": false, "no-data": false, "no-policies": false,
	"no-publications": false, "no-schema": false, "no-security-labels": false, "no-statistics": false,
	"no-subscriptions": false, "no-sync": false, "no-table-access-method": false, "no-tablespaces": false,
	"no-toast-compression": false, "no-unlogged-table-data": false,
	"column-inserts": false, "attribute-inserts": false, "disable-dollar-quoting": false, "disable-triggers": false,
	"enable-row-security": false, "if-exists": false, "inserts": false, "load-via-partition-root": false,
	"on-conflict-do-nothing": false, "quote-all-identifiers": false, "sequence-data": false, "statistics": false,
	"serializable-deferrable": false, "strict-names": false, "use-set-session-authorization": false,
	"verbose": false,

	"extension": true, "exclude-extension": true, "schema": true, "exclude-schema": true, "table": true, "exclude-table": true,
	"table-and-children": true, "exclude-table-and-children": true,
	"exclude-table-data": true, "exclude-table-data-and-children": true, "include-foreign-data": true,
	"extra-float-digits": true, "lock-wait-timeout": true, "role": true, "rows-per-insert": true, "section": true,
	"snapshot": true, "superuser": true,
}

// shortDumpOptions are the letters that stand for some of them.
var shortDumpOptions = map[byte]string{
	'a': "data-only", 'b': "blobs", 'B': "no-blobs", 'c': "clean", 'C': "create", 'e': "extension", 'n': "schema",
	'N': "exclude-schema", 'O': "no-owner", 's': "schema-only", 'S': "superuser", 't': "table", 'T': "exclude-table",
	'v': "verbose", 'x': "no-privileges",
}

// checkedDumpOptions reads arguments as pg_dump does, and writes them so that each is one option
// with its value: nothing is left that could be read in another way. The path of an error is the
// place in the list opts, as requests call it.
func checkedDumpOptions(arguments []string) ([]string, error) {
	var checked []string
	for i := 0; i < len(arguments); i++ {
		at, argument := i, arguments[i]
		value := func() (string, error) {
			if i+1 == len(arguments) {
				return "", apierror.Newf(apierror.BadRequest, "the option %s of pg_dump needs a value", argument)
			}
			i++
			return arguments[i], nil
		}
		options, err := dumpOption(argument, value)
		if err != nil {
			return nil, apierror.At(err, "opts", at)
		}
		checked = append(checked, options...)
	}
	return checked, nil
}

// dumpOption reads one argument: a long option, or letters. next takes the argument after it.
func dumpOption(argument string, next func() (string, error)) ([]string, error) {
	if name, isLong := strings.CutPrefix(argument, "--"); isLong {
		name, given, hasValue := strings.Cut(name, "=")
		takesValue, known := dumpOptions[name]
		switch {
		case !known || hasValue && !takesValue:
			return nil, refusedDumpOption("--" + name)
		case !takesValue:
			return []string{"--" + name}, nil
		case !hasValue:
			var err error
			if given, err = next(); err != nil {
				return nil, err
			}
		}
		return []string{"--" + name + "=" + given}, nil
	}
	letters, isShort := strings.CutPrefix(argument, "-")
	if !isShort || letters == "" {
		return nil, apierror.Newf(apierror.NotSupported, "only options of pg_dump are allowed, not %q", argument)
	}
	var options []string
	for n := range len(letters) {
		name, known := shortDumpOptions[letters[n]]
		switch {
		case !known:
			return nil, refusedDumpOption("-" + letters[n:n+1])
		case !dumpOptions[name]:
			options = append(options, "--"+name)
			continue
		}
		value := letters[n+1:]
		if value == "" {
			var err error
			if value, err = next(); err != nil {
				return nil, err
			}
		}
		return append(options, "--"+name+"="+value), nil
	}
	return options, nil
}

func refusedDumpOption(option string) error {
	return apierror.Newf(apierror.NotSupported, "the option %s of pg_dump is not allowed", option)
}
