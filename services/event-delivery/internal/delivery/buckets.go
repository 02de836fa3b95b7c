package delivery

// WaitBuckets are the bounds of histograms of what may wait, in seconds.
func WaitBuckets() []float64 { return []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100} }

// CallBuckets are the bounds of histograms of calls of webhooks, in seconds.
func CallBuckets() []float64 { return []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10} }
