package scaffold

import (
	"cmp"
	"fmt"
	"strconv"

	"onlyonce/internal/value/typed"
)

// Sample is a field of the form with its values in the commands of the tests.
type Sample struct {
	Field Field
	Name  Name // in the form
	// Command is the value of the first record, Valid that of a valid change, and Other that of another record.
	Command, Valid, Other string
	// Invalid is refused, as a Go expression.
	Invalid string
	// Taken and Free are additional values of a unique field.
	Taken, Free string
	// Example is the value in the documentation.
	Example string
	// First is the value of a record that others refer to; "" for the other record's.
	First string
}

// Samples returns the samples of all fields. References and files come first, because the tests change the last field: a reference needs a
// record, and a file is never in a form.
func (r Resource) Samples() (all []Sample) {
	for _, f := range r.Has("ref") {
		all = append(all, Sample{
			Field: f, Name: f.Column(), Command: "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80", Other: "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80",
			Invalid: `"nobody"`, Example: "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80",
		})
	}
	for _, f := range r.Has("file") {
		all = append(all, f.samples()...)
	}
	for _, f := range r.Fields {
		if f.Type != "ref" && f.Type != "file" {
			all = append(all, f.samples()...)
		}
	}
	return all
}

func (f Field) samples() []Sample {
	label := f.Name.Label()
	if f.Type == "longtext" {
		label += ":\n-"
	}
	values := f.kind.samples
	invalid := cmp.Or(f.kind.invalid, "much")
	switch f.Type {
	case "text", "longtext":
		values = [7]string{" one", " two", " three", " four", " five", " A", " seven"}
		for i := range values {
			values[i] = label + values[i]
		}
		if f.Most < len(values[2]) {
			values = [7]string{"a", "b", "c", "", "", "a", "d"}
		}
		if invalid = "a\u202eb"; f.Required() {
			invalid = " "
		}
	case "file":
		values = [7]string{"one", "two", "three", "", "", "one"}
		invalid = "<html>"
	case "bool":
		invalid = ""
	case "integer", "decimal":
		if f.Ranged() {
			values = f.numbers()
		}
	case "currency":
		values, invalid = [7]string{"EUR", "USD", "EUR", "", "", "EUR"}, "nobody"
	case "choice":
		values = [7]string{f.Choices[0], f.Choices[1], f.Choices[1], "", "", f.Choices[0]}
	}
	s := Sample{Field: f, Name: f.Name, Command: values[0], Valid: values[1], Other: values[2], Taken: values[3], Free: values[4]}
	if s.Example, s.First = values[5], values[6]; invalid != "" {
		s.Invalid = strconv.QuoteToASCII(invalid)
	}
	if f.Ruled && !f.varies() { // the commands agree in it
		s.Other = s.Command
	}
	if f.Type != "money" {
		return []Sample{s}
	}
	return []Sample{s, {Field: f, Name: f.Currency, Command: "EUR", Valid: "USD", Other: "EUR", Invalid: `"nobody"`, Example: "EUR"}}
}

// IsText reports whether the field is one of [Resource.Texts].
func (s Sample) IsText() bool { return s.Field.kind.text }

// Go returns the name of a sample's field in Go.
func (s Sample) Go() string {
	if s.Field.Type == "ref" {
		return s.Field.Name.Go() + "ID"
	}
	return s.Name.Go()
}

// Typed returns a value as a Go expression in a form of the tests.
func (s Sample) Typed(value string) string {
	if s.Field.Type == "file" {
		return fmt.Sprintf("sitetest.FileValue(%q, %q)", value+".txt", value)
	}
	return strconv.Quote(value)
}

// Refused returns the invalid value as a Go expression in a form of the tests.
func (s Sample) Refused() string {
	if s.Field.Type == "file" {
		return fmt.Sprintf("sitetest.FileValue(%q, %s)", s.Command+".txt", s.Invalid)
	}
	return s.Invalid
}

// Wrong returns the invalid value as a Go expression in the input of the API.
func (s Sample) Wrong() string {
	if s.Field.Type == "file" {
		return fmt.Sprintf("file.Input{Name: %q, Content: []byte(%s)}", s.Command+".txt", s.Invalid)
	}
	return s.Invalid
}

// Literal returns a value as a Go literal in the input of the API.
func (s Sample) Literal(value string) string {
	switch s.Field.Type {
	case "file":
		return fmt.Sprintf("file.Input{Name: %q, Content: []byte(%q)}", value+".txt", value)
	case "bool":
		return value
	case "timestamp":
		return strconv.Quote(typed.UTC(value))
	default:
		return strconv.Quote(value)
	}
}

// Pointer returns the JSON Pointer of a field that can be invalid.
func (s Sample) Pointer() string {
	if s.Invalid == "" {
		return ""
	}
	return fmt.Sprintf("/%s", s.Name)
}

// LabelSample returns the sample of the label.
func (r Resource) LabelSample() Sample { return r.Label().samples()[0] }
