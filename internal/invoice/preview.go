package invoice

import (
	"onlyonce/internal/invalid"
	"onlyonce/internal/value/money"
)

// Preview is what can be said of an input's amounts before it is valid, ready to show; "" is unknown.
type Preview struct {
	Lines                []string
	Subtotal, Tax, Total string
}

// Preview computes the amounts of the lines that are valid, and the totals if all of them are.
func (in Input) Preview() Preview {
	p := Preview{Lines: make([]string, len(in.Lines))}
	currency, known := money.ParseCurrency(in.Currency)
	if !known {
		return p
	}
	var lines []Line
	for i, typed := range in.Lines {
		var problems invalid.Error
		typed.Description = "-" // amounts do not depend on it
		line := typed.draft("", currency, &problems)
		if problems.Err() == nil {
			lines = append(lines, line)
			p.Lines[i] = currency.Display(line.Net)
		}
	}
	if len(lines) < len(in.Lines) {
		return p
	}
	if totals, err := TotalsOf(lines); err == nil {
		p.Subtotal, p.Tax, p.Total = currency.Display(totals.Subtotal), currency.Display(totals.Tax), currency.Display(totals.Total)
	}
	return p
}
