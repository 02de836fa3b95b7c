// Package testlong sets the sizes of random tests, soaks and chaos: small by default, for every run of all tests, and
// full with ENGINE_TEST_LONG=1 (make test-long).
package testlong

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

const (
	// Variable asks for the long form of tests, unless it is empty.
	Variable = "ENGINE_TEST_LONG"
	// SeedVariable is the seed to repeat.
	SeedVariable = "ENGINE_TEST_SEED"
)

// Long reports whether tests run in their long form.
func Long() bool { return os.Getenv(Variable) != "" }

// Of is one value by default and another in the long form.
func Of[T any](short, long T) T {
	if Long() {
		return long
	}
	return short
}

// Seed is what a random test makes its choices by: the given one, any in the long form, or the one to repeat. A test that fails prints
// how to repeat it.
func Seed(t testing.TB, seed uint64) uint64 {
	t.Helper()
	if s := os.Getenv(SeedVariable); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("%s: %v", SeedVariable, err)
		}
	} else if Long() {
		seed = rand.Uint64() //nolint:gosec // no secret
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s=%d repeats the choices of %s", SeedVariable, seed, t.Name())
		}
	})
	return seed
}
