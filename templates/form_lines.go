package templates

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// LineTable describes the lines of a form: rows with the same controls. The form sends them in their order.
type LineTable struct {
	// Name is the member of the API that has the lines, such as "lines". One begins the names of the controls, such as "line" of
	// line_quantity, whose column has the name "quantity".
	Name, One string
	Label     string
	Hint      string // "" for none
	Columns   []Control
	// Most is the largest number of lines, and TooMany the message for more.
	Most    int
	TooMany string
	// Result is the label of a column that a script fills in; "" for none.
	Result string
}

// The name of the buttons that send a form to be shown again, and their values; RemoveLine is followed by a colon and the index of a line.
const (
	RedisplayField = "action"
	AddLine        = "add_line"
	RemoveLine     = "remove_line"
)

// Names returns the names of the controls.
func (t LineTable) Names() (names []string) {
	for _, c := range t.Columns {
		names = append(names, t.name(c))
	}
	return names
}

func (t LineTable) name(column Control) string { return t.One + "_" + column.Name }

// Control returns the id of the control of a column in the line at index, from 0.
func (t LineTable) Control(column string, index int) string {
	return t.One + "_" + column + "-" + strconv.Itoa(index)
}

// Lines returns the lines of a form, with a value for each column.
func (t LineTable) Lines(typed url.Values) [][]string {
	count := 0
	for _, name := range t.Names() {
		count = max(count, len(typed[name]))
	}
	lines := make([][]string, count)
	for i := range lines {
		lines[i] = make([]string, len(t.Columns))
		for n, name := range t.Names() {
			if i < len(typed[name]) {
				lines[i][n] = typed[name][i]
			}
		}
	}
	return lines
}

// SetLines replaces the lines of a form.
func (t LineTable) SetLines(typed url.Values, lines [][]string) {
	for n, name := range t.Names() {
		delete(typed, name)
		for _, line := range lines {
			typed[name] = append(typed[name], line[n])
		}
	}
}

// WithoutBlank returns the lines into which a person has typed something.
func (t LineTable) WithoutBlank(lines [][]string) [][]string {
	return slices.DeleteFunc(slices.Clone(lines), func(line []string) bool {
		for i, c := range t.Columns {
			if value := strings.TrimSpace(line[i]); value != "" && !c.filledIn() || c.Kind == YesOrNo && value == "true" {
				return false
			}
		}
		return true
	})
}

// Next returns a new line.
func (t LineTable) Next() (line []string) {
	for _, c := range t.Columns {
		line = append(line, c.Begins)
	}
	return line
}

// shown returns the lines that a form shows: at least one.
func (t LineTable) shown(typed url.Values) [][]string {
	lines := t.Lines(typed)
	if len(lines) == 0 {
		lines = append(lines, t.Next())
	}
	return lines
}

// filledIn returns the names of the controls that the form fills in, with spaces between them, for the script.
func (t LineTable) filledIn() string {
	var names []string
	for _, c := range t.Columns {
		if c.filledIn() {
			names = append(names, t.name(c))
		}
	}
	return strings.Join(names, " ")
}

// filledIn reports whether the form fills the control of a line in, so that its value doesn't make the line count.
func (c Control) filledIn() bool { return c.Begins != "" || c.Kind == YesOrNo }

// inLine returns the control of a column in a line. index is "new" in the template that the script copies and numbers.
func (t LineTable) inLine(f Form, c Control, index, value string) Input {
	id := t.name(c) + "-" + index
	in := c.typed(Input{ID: id, Name: t.name(c), Label: c.caption(), Value: value, Error: f.Wrong(id)})
	in.Readings = f.Errors.first(id).Readings
	in.Focus = f.Focus == id && !f.CameBack()
	return in
}

// headClass returns the class of the label above a column.
func (c Control) headClass() string {
	if c.Kind == Whole || c.Kind == Decimal || c.Kind == Percent {
		return "num"
	}
	return ""
}

// resultOf returns the result of the line at index; "" if it is unknown.
func resultOf(results []string, index int) string {
	if index < len(results) {
		return results[index]
	}
	return ""
}

// RecordLines are the lines of a record on its page, with a text for each column.
type RecordLines struct {
	Label   string
	Columns []Column
	Rows    [][]string
}
