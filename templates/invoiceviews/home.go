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
	Currency   string // ISO 4217 code
	Ages, Paid Chart
}

// Chart is a row of bars, and its table.
type Chart struct {
	Title string // "Paid by month, EUR"
	Bars  []Bar
}

// Bar is an amount of a chart.
type Bar struct {
	Short, Long string // below the bar, and in the table
	Amount      string // with its currency
	Percent     int    // of the largest
}

// The room of a chart, in the units of its drawing.
const (
	chartWidth  = 480
	chartHeight = 110 // of the bars, without their names
)

func (c Chart) slot() int { return chartWidth / len(c.Bars) }

func (c Chart) x(i int) string      { return strconv.Itoa(i*c.slot() + c.slot()/6) }
func (c Chart) middle(i int) string { return strconv.Itoa(i*c.slot() + c.slot()/2) }
func (c Chart) width() string       { return strconv.Itoa(c.slot() - c.slot()/3) }

func (b Bar) height() int {
	if b.Percent == 0 {
		return 1
	}
	return max(2, b.Percent*(chartHeight-10)/100)
}

// named reports whether the name of a bar fits below it: of many, every second one has one.
func (c Chart) named(i int) bool { return len(c.Bars) <= 6 || (len(c.Bars)-1-i)%2 == 0 }
