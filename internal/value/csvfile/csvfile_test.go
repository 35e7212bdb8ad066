package csvfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/value/csvfile"
)

// read returns the rows of a file as "line:field|field", with its error at the end.
func read(content string) (csvfile.Format, string) {
	f := csvfile.Detect([]byte(content))
	var all []string
	for r := csvfile.NewReader(strings.NewReader(content), f); ; {
		fields, line, err := r.Next()
		if errors.Is(err, io.EOF) {
			return f, strings.Join(all, "\n")
		}
		if err != nil {
			return f, strings.Join(append(all, err.Error()), "\n")
		}
		all = append(all, fmt.Sprint(line, ":", strings.Join(fields, "|")))
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	const noText = "This is no text. Save the table as CSV in UTF-8."
	const notClosed = "A field begins with a quotation mark that isn't closed, or has text after it."
	for name, c := range map[string]struct {
		content   string
		encoding  csvfile.Encoding
		separator csvfile.Separator
		rows      string
	}{
		"comma":            {"a,b\r\nc,d\r\n", csvfile.UTF8, csvfile.Comma, "1:a|b\n2:c|d"},
		"no last line end": {"a,b\nc,d", csvfile.UTF8, csvfile.Comma, "1:a|b\n2:c|d"},
		"mark":             {"\uFEFFname;b\nÄ;d", csvfile.UTF8Marked, csvfile.Semicolon, "1:name|b\n2:Ä|d"},
		"quoted after the mark": {
			"\uFEFFname,b\n\"a\nb\",\"say \"\"hi\"\"\"\nx", csvfile.UTF8Marked, csvfile.Comma, "1:name|b\n2:a\nb|say \"hi\"\n4:x",
		},
		"Latin-1":           {"name;city\nM\xfcller;K\xf6ln \x80", csvfile.Windows1252, csvfile.Semicolon, "1:name|city\n2:Müller|Köln €"},
		"tab":               {"a, b\tc\td, e\n1\t2", csvfile.UTF8, csvfile.Tab, "1:a, b|c|d, e\n2:1|2"},
		"one column":        {"name\nAda", csvfile.UTF8, csvfile.Comma, "1:name\n2:Ada"},
		"separators quoted": {"\"a;b;c\",d\n1,2", csvfile.UTF8, csvfile.Comma, "1:a;b;c|d\n2:1|2"},
		"unequal lengths":   {"a,b\n1\n1,2,3", csvfile.UTF8, csvfile.Comma, "1:a|b\n2:1\n3:1|2|3"},
		"empty lines":       {"\n\na,b\n\n , \n1,2\n,\n", csvfile.UTF8, csvfile.Comma, "3:a|b\n6:1|2"},
		"empty":             {"", csvfile.UTF8, csvfile.Comma, ""},
		"spaces":            {" a ,b\u00a0\n", csvfile.UTF8, csvfile.Comma, "1:a|b"},
		"defused formulas":  {"a,b,c\n'=1,'+49,'t Hooft", csvfile.UTF8, csvfile.Comma, "1:a|b|c\n2:=1|+49|'t Hooft"},
		"NUL":               {"a,b\n1,\x002", csvfile.UTF8, csvfile.Comma, "1:a|b\nline 2: " + noText},
		"UTF-16":            {"\xff\xfea\x00,\x00b\x00", csvfile.Windows1252, csvfile.Comma, "line 1: " + noText},
		"huge": {
			"a\n1\n" + strings.Repeat("x", csvfile.MaxField+1), csvfile.UTF8, csvfile.Comma,
			"1:a\n2:1\nline 3: A field has more than 10000 characters. Is a quotation mark missing?",
		},
		"not closed": {"a\n1\n\"2\n3\n", csvfile.UTF8, csvfile.Comma, "1:a\n2:1\nline 3: " + notClosed},
		"text after": {"a,b\n\"1\"2,3", csvfile.UTF8, csvfile.Comma, "1:a|b\nline 2: " + notClosed},
		"quote inside": {
			"a\n12\" disk", csvfile.UTF8, csvfile.Comma,
			"1:a\nline 2: A quotation mark is inside a field. Put the field in quotation marks, and write that one twice.",
		},
	} {
		f, rows := read(c.content)
		assert.Equal(t, f, csvfile.Format{Encoding: c.encoding, Separator: c.separator}, name)
		assert.Equal(t, rows, c.rows, name)
	}
}

// TestWrite reads its own output. An encoding without a character replaces it.
func TestWrite(t *testing.T) {
	t.Parallel()
	for _, encoding := range []csvfile.Encoding{csvfile.UTF8, csvfile.UTF8Marked, csvfile.Windows1252} {
		for _, separator := range []csvfile.Separator{csvfile.Comma, csvfile.Semicolon, csvfile.Tab} {
			var file bytes.Buffer
			f := csvfile.Format{Encoding: encoding, Separator: separator}
			w, err := csvfile.NewWriter(&file, f)
			must.OK(t, err)
			must.OK(t, w.Write([]string{"Größe", "b"}))
			must.OK(t, w.Write([]string{"=1+1\n\"x\"", "a;b,c\td Ł"}))
			must.OK(t, w.Close())
			got, rows := read(file.String())
			lacking := "Ł"
			if encoding == csvfile.Windows1252 {
				lacking = "?"
			}
			assert.Equal(t, got, f)
			assert.Equal(t, rows, "1:Größe|b\n2:=1+1\n\"x\"|a;b,c\td "+lacking)
			assert.Thatf(t, strings.Contains(file.String(), "'=1+1"), "a spreadsheet computes %q", file.String())
		}
	}
}
