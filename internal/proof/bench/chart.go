package bench

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// A chart is 760 wide, and as high as its rows. Its colors follow the browser's scheme, light or dark.
const (
	chartWidth = 760.0
	labelWidth = 330.0
	plotWidth  = chartWidth - labelWidth - 90 // beside it the value of a bar
	chartHead  = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f"
  font-family="system-ui, sans-serif" font-size="12.5" role="img">
<title>%s</title>
<style>
  .ground { fill: #fff } text { fill: #1c2321 } .quiet { fill: #5c6663 } .grid { stroke: #d9dedb }
  .limit { stroke: #a33; stroke-dasharray: 4 3 }
  .ours { fill: #0f5f6b } .base { fill: #b4bdb9 } .spread { stroke: #0f5f6b; stroke-width: 2; opacity: .4 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #111615 } text { fill: #e6ebe9 } .quiet { fill: #9aa5a1 } .grid { stroke: #2c3432 } .limit { stroke: #e88 }
    .ours { fill: #6fc5d1 } .base { fill: #55605c } .spread { stroke: #6fc5d1 }
  }
</style>
<rect class="ground" width="100%%" height="100%%"/>
<text x="16" y="24" font-weight="600">%s</text>
`
)

func chart(title string, height float64, content string) string {
	return fmt.Sprintf(chartHead, chartWidth, height, title, title) + content + "</svg>\n"
}

// ratesChart draws the creates a second, beside the floor and the usual transaction.
func (r Report) ratesChart() string {
	var b strings.Builder
	const row, gap = 20.0, 12.0
	var most float64
	for _, f := range r.Figures {
		if strings.HasPrefix(f.Name, createRate) {
			most = max(most, f.Ours.Median, f.Base.Median)
		}
	}
	y := 40.0
	add := func(class, label string, rate float64) {
		b.WriteString(bar(y, row, class, label, rate/most, amount(rate)+"/s"))
		y += row
	}
	for _, connections := range []string{"1 connection", "16 connections", "64 connections"} {
		floor, _ := r.figure(createRate + ", " + connections)
		usual, _ := r.figure(createRate + ", beside the usual, " + connections)
		add("base", connections+": floor, in SQL, no HTTP", floor.Base.Median)
		add("ours", "Onlyonce, over HTTP", floor.Ours.Median)
		add("base", "usual check, then insert, over HTTP", usual.Base.Median)
		y += gap
	}
	return chart("Creates a second", y, b.String())
}

// bar is one of a height, with its label before it, and its value behind it.
func bar(y, height float64, class, label string, part float64, value string) string {
	width := part * plotWidth
	return fmt.Sprintf(`<text x="%.0f" y="%.0f" text-anchor="end">%s</text>`, labelWidth-8, y+height-6, html.EscapeString(label)) +
		fmt.Sprintf(`<rect class="%s" x="%.0f" y="%.0f" width="%.1f" height="%.0f" rx="2"/>`, class, labelWidth, y+2, width, height-4) +
		fmt.Sprintf(`<text x="%.1f" y="%.0f">%s</text>`+"\n", labelWidth+width+6, y+height-6, html.EscapeString(value))
}

// createRate is what the names of the figures of creates a second begin with.
const createRate = "create over HTTP"

// growthChart draws the p99 of requests in a large database by that in a small one, those that grow most: the median of the turns, with
// the least and the most. The axis is logarithmic, from a quarter to four times.
func (r Report) growthChart() string {
	const shown = 40
	const measured = " rows in every table: p99"
	grown := slices.DeleteFunc(slices.Clone(r.Figures), func(f Figure) bool { return !strings.Contains(f.Name, measured) })
	slices.SortStableFunc(grown, func(a, b Figure) int { return cmp.Compare(b.Ratio.Median, a.Ratio.Median) })
	var b strings.Builder
	at := func(ratio float64) float64 {
		return labelWidth + (math.Log2(min(max(ratio, 0.25), 4))+2)/4*plotWidth
	}
	const row, top = 17.0, 62.0
	y := top
	for _, f := range grown[:min(shown, len(grown))] {
		name, _, _ := strings.Cut(f.Name, measured)
		name = name[:strings.LastIndex(name, ", ")] // how many rows
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" text-anchor="end">%s</text>`, labelWidth-8, y+row-5, html.EscapeString(name))
		fmt.Fprintf(&b, `<line class="spread" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`,
			at(f.Ratio.Min), at(f.Ratio.Max), y+row/2, y+row/2)
		fmt.Fprintf(&b, `<circle class="ours" cx="%.1f" cy="%.1f" r="4"/>`, at(f.Ratio.Median), y+row/2)
		fmt.Fprintf(&b, `<text class="quiet" x="%.0f" y="%.0f">%.2f</text>`+"\n", labelWidth+plotWidth+12, y+row-5, f.Ratio.Median)
		y += row
	}
	var grid strings.Builder
	for _, tick := range []struct {
		ratio        float64
		label, class string
	}{{0.25, "¼", "grid"}, {0.5, "½", "grid"}, {1, "equal", "grid"}, {1.5, "1.5", "limit"}, {2, "2×", "grid"}, {4, "4×", "grid"}} {
		fmt.Fprintf(&grid, `<line class="%s" x1="%.1f" x2="%.1f" y1="%.0f" y2="%.0f"/>`,
			tick.class, at(tick.ratio), at(tick.ratio), top-4, y)
		fmt.Fprintf(&grid, `<text class="quiet" x="%.1f" y="%.0f" text-anchor="middle" font-size="11">%s</text>`+"\n",
			at(tick.ratio), top-10, tick.label)
	}
	title := fmt.Sprintf("p99 with 1,000,000 rows in every table, as a multiple of that with 1,000: the %d that grow most", shown)
	return chart(title, y+10, grid.String()+b.String())
}
