// Package inventory lists what parties share, and holds the list to the code by its tests.
package inventory
