package sqlite

import (
	"errors"
	"math"

	"zombiezen.com/go/sqlite"
)

// statistics are the aggregates that SQLite lacks, by the names that they have in schemas.
var statistics = map[string]func(s *deviation) (float64, bool){
	"var_pop":     func(s *deviation) (float64, bool) { return s.squares / s.count, s.count > 0 },
	"var_samp":    sampleVariance,
	"variance":    sampleVariance,
	"stddev_pop":  func(s *deviation) (float64, bool) { return math.Sqrt(s.squares / s.count), s.count > 0 },
	"stddev_samp": sampleDeviation,
	"stddev":      sampleDeviation,
}

func sampleVariance(s *deviation) (float64, bool) { return s.squares / (s.count - 1), s.count > 1 }

func sampleDeviation(s *deviation) (float64, bool) {
	variance, ok := sampleVariance(s)
	return math.Sqrt(variance), ok
}

// registerStatistics adds them to a connection.
func registerStatistics(c *sqlite.Conn) error {
	for name, result := range statistics {
		if err := c.CreateFunction(name, &sqlite.FunctionImpl{NArgs: 1, MakeAggregate: func(sqlite.Context) (sqlite.AggregateFunction, error) {
			return &deviation{result: result}, nil
		}}); err != nil {
			return err
		}
	}
	return nil
}

// deviation collects the mean of values and the sum of the squares of their distances from it, by
// Welford's algorithm.
type deviation struct {
	result               func(*deviation) (float64, bool)
	count, mean, squares float64
}

// Step adds a value, unless it is NULL.
func (s *deviation) Step(_ sqlite.Context, args []sqlite.Value) error {
	if args[0].Type() == sqlite.TypeNull {
		return nil
	}
	s.count++
	v := args[0].Float()
	distance := v - s.mean
	s.mean += distance / s.count
	s.squares += distance * (v - s.mean)
	return nil
}

// WindowInverse implements sqlite.AggregateFunction.
func (*deviation) WindowInverse(sqlite.Context, []sqlite.Value) error {
	return errors.New("this is no function of windows")
}

// WindowValue gives the result, NULL for too few values.
func (s *deviation) WindowValue(sqlite.Context) (sqlite.Value, error) {
	v, ok := s.result(s)
	if !ok {
		return sqlite.Value{}, nil
	}
	return sqlite.FloatValue(v), nil
}

// Finalize implements sqlite.AggregateFunction.
func (*deviation) Finalize(sqlite.Context) {}
