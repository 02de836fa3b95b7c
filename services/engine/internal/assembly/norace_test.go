//go:build !race

package assembly

const raceDetector = false
