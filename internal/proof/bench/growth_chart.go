package bench

import (
	"fmt"
	"math"
	"strings"
)

// loadChart draws p50 and p99 of creates as each dimension grows, and below them the rates and the memory. All panels have one
// axis, which is logarithmic.
func (r Report) loadChart() string {
	const panel, height, top, left = 365.0, 150.0, 62.0, 60.0
	least, most := math.Inf(1), 0.0
	for _, p := range r.Growth {
		least, most = min(least, p.P50.Median), max(most, p.P99.Median)
	}
	at := func(millis float64) float64 { return height * (1 - math.Log(millis/least)/math.Log(most/least)) }
	var b strings.Builder
	for n, d := range dimensions() {
		x0, y0 := left+panel*float64(n%2), top+(height+105)*float64(n/2)
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" font-weight="600">%s</text>`+"\n", x0, y0-14, d.of)
		var p50, p99 []string
		for i, level := range d.levels {
			p, ok := r.point(d.of, level)
			if !ok {
				continue
			}
			x := x0 + 10 + float64(i)*(panel-80)/float64(len(d.levels)-1)
			for _, line := range []struct {
				class  string
				points *[]string
				millis float64
				label  float64 // how far below the point
			}{{"ours", &p50, p.P50.Median, 15}, {"base", &p99, p.P99.Median, -7}} {
				y := y0 + at(line.millis)
				*line.points = append(*line.points, fmt.Sprintf("%.1f,%.1f", x, y))
				fmt.Fprintf(&b, `<circle class="%s" cx="%.1f" cy="%.1f" r="3.5"/>`, line.class, x, y)
				fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" font-size="10.5" text-anchor="middle">%s</text>`,
					x, y+line.label, amount(line.millis))
			}
			for row, text := range []string{thousands(level), amount(p.Rate.Median) + "/s", amount(p.Memory.Median) + " MB"} {
				fmt.Fprintf(&b, `<text class="quiet" x="%.1f" y="%.0f" font-size="10.5" text-anchor="middle">%s</text>`+"\n",
					x, y0+height+30+14*float64(row), text)
			}
		}
		fmt.Fprintf(&b, `<polyline class="spread" fill="none" points="%s"/>`, strings.Join(p50, " "))
		fmt.Fprintf(&b, `<polyline class="spread" fill="none" points="%s"/>`+"\n", strings.Join(p99, " "))
	}
	const title = "Creates under load: p50 (dark) and p99 (light) in ms, the rate, and the memory of the server"
	return chart(title, top+2*(height+105)-20, b.String())
}

func (r Report) point(of string, at int) (Point, bool) {
	for _, p := range r.Growth {
		if p.Of == of && p.At == at {
			return p, true
		}
	}
	return Point{}, false
}
