package invoice

import "onlyonce/internal/value/money"

// Preview has the amounts of an input that may be invalid, formatted for display; "" is unknown.
type Preview struct {
	Lines                []string
	Subtotal, Tax, Total string
}

// Preview computes the amounts of the valid lines, and the totals if all lines are valid.
func (in Input) Preview() Preview {
	currency, known := money.ParseCurrency(in.Currency)
	if !known {
		return Preview{Lines: make([]string, len(in.Lines))}
	}
	return PreviewOf(currency, in.Lines)
}

// PreviewOf is [Input.Preview] for lines in a currency, which may be withdrawn.
func PreviewOf(currency money.Currency, typed []LineInput) Preview {
	p := Preview{Lines: make([]string, len(typed))}
	var lines []Line
	for i, typed := range typed {
		typed.Description = "-" // amounts do not depend on it
		if line, err := typed.Line(currency); err == nil {
			lines = append(lines, line)
			p.Lines[i] = currency.Display(line.Net)
		}
	}
	if len(lines) < len(p.Lines) {
		return p
	}
	if totals, err := TotalsOf(lines); err == nil {
		p.Subtotal, p.Tax, p.Total = currency.Display(totals.Subtotal), currency.Display(totals.Tax), currency.Display(totals.Total)
	}
	return p
}
