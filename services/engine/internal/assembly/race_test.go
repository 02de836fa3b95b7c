//go:build race

package assembly

const raceDetector = true
