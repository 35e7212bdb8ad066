package scenario

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// junit is the part of JUnit's format that CI systems read.
type junit struct {
	XMLName xml.Name    `xml:"testsuites"`
	Suites  []testsuite `xml:"testsuite"`
}

type testsuite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Skipped  int        `xml:"skipped,attr"`
	Cases    []testcase `xml:"testcase"`
}

type testcase struct {
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	Time    string   `xml:"time,attr"`
	Failure *message `xml:"failure,omitempty"`
	Skipped *message `xml:"skipped,omitempty"`
}

type message struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes the results as JUnit's XML.
func JUnit(w io.Writer, chapters []Chapter) error {
	var all junit
	for _, c := range chapters {
		suite := testsuite{Name: c.Title, Tests: len(c.All()), Failures: c.Count(Failed), Skipped: c.Count(LeftOut)}
		for _, one := range c.All() {
			tried := testcase{Name: one.Test, Class: c.Title, Time: fmt.Sprintf("%.3f", one.Seconds)}
			switch one.Status {
			case Passed:
			case Failed:
				tried.Failure = &message{Message: "failed", Text: one.Output}
			case LeftOut:
				tried.Skipped = &message{Message: one.Reason}
			}
			suite.Cases = append(suite.Cases, tried)
		}
		all.Suites = append(all.Suites, suite)
	}
	_, err := io.WriteString(w, xml.Header)
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err = errors.Join(err, encoder.Encode(all)); err != nil {
		return fmt.Errorf("write JUnit's XML: %w", err)
	}
	return nil
}
