package invoiceviews

import "strconv"

// Home is the start page.
type Home struct {
	NewHref     string // the form; "" for those who may not open it
	Standing    []Standing
	Currencies  []CurrencyCharts // the charts of the first one are open
	FailedMails []FailedMail     // newest first
	// Overdue are the overdue invoices, oldest first, Drafts the ones not issued, and Recent the newest.
	Overdue, Drafts, Recent []InvoiceRow
}

// FailedMail is a failed email about an invoice.
type FailedMail struct {
	Href, Number string // the invoice's page and number
	To, Reason   string
}

// CurrencyCharts are the charts for a currency.
type CurrencyCharts struct {
	Currency     string // ISO 4217 code
	Ages, Months Chart
}

// Chart has a bar or a pair of bars at each place, an axis of amounts, and a table with the same data.
type Chart struct {
	Title  string   // "Open by age, EUR"
	Series []string // the name of each bar at a place
	Ticks  []Tick   // on the axis, lowest first, including 0
	Places []Bars
}

// Tick is an amount on the axis of a chart.
type Tick struct {
	Amount int64 // minor units
	Text   string
}

// Bars are the bars at a place of a chart, one of each series.
type Bars struct {
	Short, Long string // the labels below the bars and in the table
	All         []Bar
}

// Bar is an amount of a chart. A negative one is below the axis.
type Bar struct {
	Amount int64  // minor units
	Text   string // with its currency
	Short  string // in the drawing, such as "1.2k"
}

// The dimensions of a chart, in the units of its drawing.
const (
	chartWidth  = 480
	chartTop    = 16  // above the bars
	chartHeight = 110 // of the bars, without their labels
	axisWidth   = 52  // for amounts
)

func (c Chart) slot() int  { return (chartWidth - axisWidth) / len(c.Places) }
func (c Chart) width() int { return (c.slot() - c.slot()/3) / len(c.Series) }

// x returns the left side of the bar of a series at the place i.
func (c Chart) x(i, series int) int { return axisWidth + i*c.slot() + c.slot()/6 + series*c.width() }
func (c Chart) middle(i int) string { return strconv.Itoa(axisWidth + i*c.slot() + c.slot()/2) }

// y returns the vertical position of an amount, from the top.
func (c Chart) y(amount int64) int {
	low, high := float64(c.Ticks[0].Amount), float64(c.Ticks[len(c.Ticks)-1].Amount)
	return chartTop + int(chartHeight*(high-float64(amount))/(high-low))
}

// top and height return the position and size of a bar. An amount of 0 is a line.
func (c Chart) top(b Bar) int { return min(c.y(0), c.y(b.Amount)) }
func (c Chart) height(b Bar) int {
	return max(1, c.y(0)-c.y(b.Amount), c.y(b.Amount)-c.y(0))
}

// named reports whether a place has a label: every second place, if there are many.
func (c Chart) named(i int) bool { return len(c.Places) <= 6 || (len(c.Places)-1-i)%2 == 0 }
