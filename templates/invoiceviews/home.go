package invoiceviews

import "strconv"

// Home is the page with which people begin.
type Home struct {
	NewHref     string // of the form; "" for those who may not open it
	Standing    []Standing
	Currencies  []CurrencyCharts
	FailedMails []FailedMail // newest first
	// Overdue are the invoices that are late, the oldest first, Drafts those that are not issued, and Recent the newest.
	Overdue, Drafts, Recent []InvoiceRow
}

// FailedMail is an email about an invoice that has failed.
type FailedMail struct {
	Href, Number string // of the invoice
	To, Reason   string
}

// CurrencyCharts are the charts of one currency.
type CurrencyCharts struct {
	Currency     string // ISO 4217 code
	Ages, Months Chart
}

// Chart has bars of one series, or of two beside each other, an axis of amounts, and a table that says the same.
type Chart struct {
	Title  string   // "Open by age, EUR"
	Series []string // what each bar of a place is
	Ticks  []Tick   // of the axis, lowest first; 0 is one of them
	Places []Bars
}

// Tick is an amount on the axis of a chart.
type Tick struct {
	Amount int64 // minor units
	Text   string
}

// Bars stand at one place of a chart, one of each series.
type Bars struct {
	Short, Long string // below the bars, and in the table
	All         []Bar
}

// Bar is an amount of a chart. One below 0 hangs from the axis.
type Bar struct {
	Amount int64  // minor units
	Text   string // with its currency
	Short  string // for the drawing, such as "1.2k"
}

// The room of a chart, in the units of its drawing.
const (
	chartWidth  = 480
	chartTop    = 16  // above the bars
	chartHeight = 110 // of the bars, without their names
	axisWidth   = 52  // for amounts
)

func (c Chart) slot() int  { return (chartWidth - axisWidth) / len(c.Places) }
func (c Chart) width() int { return (c.slot() - c.slot()/3) / len(c.Series) }

// x is where the bar of a series begins, at the place i.
func (c Chart) x(i, series int) int { return axisWidth + i*c.slot() + c.slot()/6 + series*c.width() }
func (c Chart) middle(i int) string { return strconv.Itoa(axisWidth + i*c.slot() + c.slot()/2) }

// y is how far below the top an amount is.
func (c Chart) y(amount int64) int {
	low, high := float64(c.Ticks[0].Amount), float64(c.Ticks[len(c.Ticks)-1].Amount)
	return chartTop + int(chartHeight*(high-float64(amount))/(high-low))
}

// top and height are those of a bar. One of nothing is a line.
func (c Chart) top(b Bar) int { return min(c.y(0), c.y(b.Amount)) }
func (c Chart) height(b Bar) int {
	return max(1, c.y(0)-c.y(b.Amount), c.y(b.Amount)-c.y(0))
}

// named reports whether the name of a place fits below it: of many, every second one has one.
func (c Chart) named(i int) bool { return len(c.Places) <= 6 || (len(c.Places)-1-i)%2 == 0 }
