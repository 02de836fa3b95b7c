package oracle

import "math"

// aggregateOf is an aggregate of values, or of pairs of values; NULL is passed over.
func aggregateOf(function string, lists ...[]any) any {
	var list, other []any
	for i, v := range lists[0] {
		if v == nil || len(lists) > 1 && lists[1][i] == nil {
			continue
		}
		list = append(list, v)
		if len(lists) > 1 {
			other = append(other, lists[1][i])
		}
	}
	if len(list) == 0 {
		return nil
	}
	switch function {
	case "min", "max":
		best := list[0]
		for _, v := range list {
			if c := compare(v, best); c < 0 && function == "min" || c > 0 && function == "max" {
				best = v
			}
		}
		return best
	case "bool_and", "bool_or":
		count := 0
		for _, v := range list {
			if v.(bool) {
				count++
			}
		}
		if function == "bool_and" {
			return count == len(list)
		}
		return count > 0
	case "sum":
		return sum(list)
	case "avg":
		return mean(list)
	}
	return spread(function, list, other)
}

func sum(list []any) float64 {
	total := 0.0
	for _, v := range list {
		total += v.(float64)
	}
	return total
}

func mean(list []any) float64 { return sum(list) / float64(len(list)) }

// products is the sum of the products of the distances from the means.
func products(a, b []any) float64 {
	total := 0.0
	for i := range a {
		total += (a[i].(float64) - mean(a)) * (b[i].(float64) - mean(b))
	}
	return total
}

// spread is one of the functions of variance.
func spread(function string, list, other []any) any {
	n := float64(len(list))
	switch function {
	case "var_pop":
		return products(list, list) / n
	case "stddev_pop":
		return math.Sqrt(products(list, list) / n)
	case "corr":
		if a, b := products(list, list), products(other, other); a > 0 && b > 0 {
			return products(list, other) / math.Sqrt(a*b)
		}
		return nil
	}
	if n < 2 {
		return nil
	}
	switch function {
	case "covar_samp":
		return products(list, other) / (n - 1)
	case "var_samp", "variance":
		return products(list, list) / (n - 1)
	}
	return math.Sqrt(products(list, list) / (n - 1)) // stddev, stddev_samp
}
