package scaffold

import (
	"fmt"
	"slices"
	"strconv"
)

// Sample is a field of the form with its values in the commands of the tests.
type Sample struct {
	Field Field
	Name  Name // in the form
	// Command has a value and Valid another one; Other belongs to a record without a common unique value.
	Command, Valid, Other string
	// Invalid is refused, as a Go expression.
	Invalid string
	// Taken and Free are additional values of a unique field.
	Taken, Free string
	// Example is the value in the documentation.
	Example string
}

// Samples returns the samples of all fields, references first: the tests change the last field to any valid value.
func (r Resource) Samples() (all []Sample) {
	for _, f := range r.Has("ref") {
		all = append(all, Sample{
			Field: f, Name: f.Column(), Command: "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80", Other: "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80",
			Invalid: `"nobody"`, Example: "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80",
		})
	}
	for _, f := range r.Fields {
		if f.Type != "ref" {
			all = append(all, f.samples()...)
		}
	}
	return all
}

func (f Field) samples() []Sample {
	s := Sample{Field: f, Name: f.Name, Invalid: `"much"`}
	set := func(command, valid, other, taken, free, example string) []Sample {
		s.Command, s.Valid, s.Other, s.Taken, s.Free, s.Example = command, valid, other, taken, free, example
		return []Sample{s}
	}
	label := f.Name.Label()
	if f.Type == "longtext" {
		label += ":\n-"
	}
	switch f.Type {
	case "text", "longtext":
		if s.Invalid = `"a\u202eb"`; f.Required() {
			s.Invalid = `" "`
		}
		return set(label+" one", label+" two", label+" three", label+" four", label+" five", label+" A")
	case "integer":
		return set("1000", "2000", "7", "8", "9", "42")
	case "decimal":
		return set("2.5", "3.5", "1.5", "1.25", "1.75", "2.5")
	case "date":
		s.Invalid = `"tomorrow"`
		return set("2026-11-21", "2026-11-22", "2026-11-01", "2026-11-02", "2026-11-03", "2026-11-21")
	case "bool":
		s.Invalid = ""
		return set("true", "false", "true", "", "", "true")
	case "choice":
		s.Invalid = `"nothing of these"`
		return set(f.Choices[0], f.Choices[1], f.Choices[1], "", "", f.Choices[0])
	default: // money
		amount := set("50.00", "60.00", "70.00", "", "", "50.00")
		return append(amount, Sample{
			Field: f, Name: f.Currency, Command: "EUR", Valid: "USD", Other: "EUR", Invalid: `"nobody"`, Example: "EUR",
		})
	}
}

// IsText reports whether the field is one of [Resource.Texts].
func (s Sample) IsText() bool { return slices.Contains(texts, s.Field.Type) }

// Go returns the name of a sample's field in Go.
func (s Sample) Go() string {
	if s.Field.Type == "ref" {
		return s.Field.Name.Go() + "ID"
	}
	return s.Name.Go()
}

// Literal returns a value as a Go literal in the input of the API.
func (s Sample) Literal(value string) string {
	if s.Field.Type == "bool" {
		return value
	}
	return strconv.Quote(value)
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
