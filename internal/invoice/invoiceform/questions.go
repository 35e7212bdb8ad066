package invoiceform

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/value/typed"
	"onlyonce/internal/web"
)

// Doubt is a question about a value: the problem in a sentence, or "", the label of the button that confirms the value, and the button's
// value, which confirms only this one.
type Doubt struct {
	Answer, Problem, Confirm string
	// Amount is set if the question is about the field amount, and not about a date.
	Amount bool
}

// dateField is the name of the button that confirms a value, most often a date.
const dateField = "answer_date"

// AskAbout makes a command's form ask once about a value that is probably mistyped or has an effect that is easily missed. pointer is the
// JSON Pointer of the date.
func AskAbout[C any](command web.Command[C], pointer string, unusual func(*http.Request, C) (Doubt, error)) web.Command[C] {
	read := command.Form
	command.Form = func(r *http.Request) (C, error) {
		draft, err := read(r)
		if err != nil {
			return draft, err
		}
		is, err := unusual(r, draft)
		if errors.Is(err, record.ErrNotFound) { // the operation returns this error, after looking for a repeat
			return draft, nil
		}
		if err != nil || is.Problem == "" || r.PostForm.Get(dateField) == is.Answer {
			return draft, err
		}
		field, what := pointer, "date"
		if is.Amount {
			field, what = "/amount", "amount"
		}
		return draft, &conflict.Error{
			Kind: &invoice.Unusual, Title: is.Problem, Text: "Nothing was saved yet. Change the " + what + ", or confirm it.",
			Field: field, Blame: "Check this " + what + ".",
			Buttons: []conflict.Button{{Text: is.Confirm, Field: dateField, Value: is.Answer}},
		}
	}
	return command
}

// ReadNumbers parses typed numbers of lines; programs send plain decimals. An ambiguous number stays unchanged, and is in questions at
// its pointer.
func ReadNumbers(lines []invoice.LineInput, currency string) (questions invalid.Error) {
	decimals := int32(2)
	if c, known := money.ParseCurrency(currency); known {
		decimals = c.Decimals()
	}
	for i := range lines {
		pointer := "/lines/" + strconv.Itoa(i)
		ReadNumber(&questions, pointer+"/quantity", &lines[i].Quantity, 2)
		ReadNumber(&questions, pointer+"/unit_price", &lines[i].UnitPrice, decimals)
		if discount := &lines[i].Discount; strings.HasSuffix(strings.TrimSpace(*discount), "%") {
			*discount = typed.Percent(*discount) + "%"
		} else {
			ReadAmount(&questions, pointer+"/discount", discount, decimals)
		}
	}
	return questions
}

// ReadNumber parses a typed number in place. An ambiguous number stays unchanged, and is in questions.
func ReadNumber(questions *invalid.Error, pointer string, value *string, decimals int32) {
	plain, ambiguous := typed.Number(*value, decimals)
	if ambiguous {
		whole, decimal := typed.Readings(plain)
		questions.Fields = append(questions.Fields, invalid.Field{
			Pointer: pointer, Message: "“" + plain + "” can be " + whole + " or " + decimal + ". Enter the one that you mean.",
			Readings: [2]string{whole, decimal},
		})
	}
	*value = plain
}

// ReadAmount is [ReadNumber] for an amount. An ambiguous one that may have more decimals than its currency is parsed as that number, whose
// error is clearer than a question.
func ReadAmount(questions *invalid.Error, pointer string, value *string, decimals int32) {
	plain, ambiguous := typed.Number(*value, decimals)
	point := strings.Replace(plain, ",", ".", 1)
	if number, err := money.ParseDecimal(point); ambiguous && err == nil && money.Scale(number) > decimals {
		*value = point
		return
	}
	ReadNumber(questions, pointer, value, decimals)
}

// WithQuestions merges questions into err, replacing other errors at the same pointers.
func WithQuestions(err error, questions invalid.Error) error {
	wrong, ok := errors.AsType[*invalid.Error](err)
	switch {
	case err == nil:
		return questions.Err()
	case !ok:
		return err
	}
	for _, asked := range questions.Fields {
		i := slices.IndexFunc(wrong.Fields, func(f invalid.Field) bool { return f.Pointer == asked.Pointer })
		if i < 0 {
			wrong.Fields = append(wrong.Fields, asked)
		} else {
			wrong.Fields[i] = asked
		}
	}
	return wrong
}

// AYearOff returns the difference if a day is more than a year from today, or "".
func AYearOff(today, day date.Date) string {
	switch {
	case today.AddMonths(12).Before(day):
		return "more than a year from now"
	case day.Before(today.AddMonths(-12)):
		return "more than a year ago"
	default:
		return ""
	}
}

// UnusualMoney returns the question about the day of a payment or the like, if it isn't in the past year.
func UnusualMoney(what string, day, today date.Date) Doubt {
	is := Doubt{Answer: day.String(), Confirm: "Record with this date"}
	when := AYearOff(today, day)
	if today.Before(day) {
		when = "in the future"
	}
	if when != "" {
		is.Problem = "The " + what + " is dated " + day.Display() + ", which is " + when + "."
	}
	return is
}

// AmountAsTyped makes the form of a command accept a typed amount, in the currency of the record in its path.
func AmountAsTyped[C any, P web.Entity](command web.Command[C], of *web.Mounted[P], currency func(P) money.Currency) web.Command[C] {
	read := command.Form
	command.Form = func(r *http.Request) (none C, err error) {
		amount := r.PostForm.Get("amount")
		if plain, ambiguous := typed.Number(amount, 2); plain == amount && !ambiguous {
			return read(r)
		}
		found, err := of.Find(r)
		if err != nil {
			return none, err
		}
		var questions invalid.Error
		ReadAmount(&questions, "/amount", &amount, currency(found).Decimals())
		r.PostForm.Set("amount", amount)
		command, err := read(r)
		return command, WithQuestions(err, questions)
	}
	return command
}
