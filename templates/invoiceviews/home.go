package invoiceviews

import "strconv"

// Home is the page with which people begin.
type Home struct {
	NewHref    string // of the form; "" for those who may not open it
	Standing   []Standing
	Currencies []CurrencyCharts
	// Overdue are the invoices that are late, the oldest first, Drafts those that are not issued, and Recent the newest.
	Overdue, Drafts, Recent []InvoiceRow
}

// CurrencyCharts are the charts of one currency.
type CurrencyCharts struct {
	Currency     string // ISO 4217 code
	Ages, Months Chart
}

// Chart has bars of one series, or of two beside each other, and a table that says the same.
type Chart struct {
	Title  string   // "Open by age, EUR"
	Series []string // what each bar of a place is
	Places []Bars
}

// Bars stand at one place of a chart, one of each series.
type Bars struct {
	Short, Long string // below the bars, and in the table
	All         []Bar
}

// Bar is an amount of a chart.
type Bar struct {
	Amount int64  // minor units
	Text   string // with its currency
}

// The room of a chart, in the units of its drawing.
const (
	chartWidth  = 480
	chartHeight = 110 // of the bars, without their names
)

func (c Chart) slot() int  { return chartWidth / len(c.Places) }
func (c Chart) width() int { return (c.slot() - c.slot()/3) / len(c.Series) }

// x is where the bar of a series begins, at the place i.
func (c Chart) x(i, series int) int { return i*c.slot() + c.slot()/6 + series*c.width() }
func (c Chart) middle(i int) string { return strconv.Itoa(i*c.slot() + c.slot()/2) }

// height is that of a bar of at least 0, in proportion to the largest of all.
func (c Chart) height(b Bar) int {
	largest := int64(1)
	for _, at := range c.Places {
		for _, other := range at.All {
			largest = max(largest, other.Amount)
		}
	}
	if b.Amount <= 0 {
		return 1
	}
	return max(2, int(float64(chartHeight-10)*float64(b.Amount)/float64(largest)))
}

// named reports whether the name of a place fits below it: of many, every second one has one.
func (c Chart) named(i int) bool { return len(c.Places) <= 6 || (len(c.Places)-1-i)%2 == 0 }
