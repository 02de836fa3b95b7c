package bench

import (
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
)

// Sizes of a chart, in pixels of its SVG.
const (
	chartLabels = 330 // width of the queries' names
	chartUnit   = 130 // width of a ratio of 1
	chartBar    = 7   // height of a bar
	chartRow    = 26  // height of a query
	chartHead   = 40  // height of the legend
)

// chartRatios are the throughputs of a query as parts of the hand-written handler's.
type chartRatios struct {
	query      string
	one, split float64
}

// readRatios reads the rows of a Markdown table that begin with a query, a ratio in one process and one of split
// services. Other lines are skipped.
func readRatios(page string) (all []chartRatios) {
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) < 3 {
			continue
		}
		one, err := strconv.ParseFloat(strings.TrimSpace(cells[1]), 64)
		split, err2 := strconv.ParseFloat(strings.TrimSpace(cells[2]), 64)
		if err == nil && err2 == nil {
			all = append(all, chartRatios{strings.TrimSpace(cells[0]), one, split})
		}
	}
	return all
}

// Chart draws the ratios in a Markdown page as SVG: horizontal bars, and a line at 1, the hand-written handler. Its colors
// suit light and dark pages.
func Chart(out io.Writer, page string) {
	all := readRatios(page)
	widest := 1.0
	for _, r := range all {
		widest = max(widest, r.one, r.split)
	}
	width, height := chartLabels+int(widest*chartUnit)+60, chartHead+len(all)*chartRow+10
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="Throughput compared with a hand-written handler">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 } .one { fill: #2f6fdb } .split { fill: #9db8e8 } .base { stroke: #6e7781 } .value { font-size: 10px }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .one { fill: #6ea3ff } .split { fill: #34588f } .base { stroke: #9198a1 } }
</style>
<rect class="one" x="%d" y="10" width="12" height="%d"/><text x="%d" y="18">one process</text>
<rect class="split" x="%d" y="10" width="12" height="%d"/><text x="%d" y="18">split services</text>
`, width, height, chartLabels, chartBar, chartLabels+18, chartLabels+130, chartBar, chartLabels+148)
	for i, r := range all {
		y := chartHead + i*chartRow
		fmt.Fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", chartLabels-10, y+chartBar+5, html.EscapeString(r.query))
		bar := func(class string, ratio float64, y int) {
			w := int(ratio * chartUnit)
			fmt.Fprintf(out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/><text class=\"value\" x=\"%d\" y=\"%d\">%.2f</text>\n",
				class, chartLabels, y, w, chartBar, chartLabels+w+5, y+chartBar, ratio)
		}
		bar("one", r.one, y)
		bar("split", r.split, y+chartBar+2)
	}
	x := chartLabels + chartUnit
	fmt.Fprintf(out, "<line class=\"base\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke-dasharray=\"3 3\"/>\n</svg>\n", x, chartHead-8, x, height-5)
}
