package web

import (
	"strings"
	"testing"
)

// TestCSVComputesNothing checks that a spreadsheet gets no formula, and that numbers stay numbers.
func TestCSVComputesNothing(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	err := writeCSV(&file, [][]string{
		{"name", "net"}, {"=1+1", "-12.50"}, {"+353 1", "0"}, {"-1-2", "-"}, {"@x", "\ty"}, {"＝A1", "a=b"}, {"Ada, \"the\nfirst\"", ""},
	})
	const want = "name,net\r\n'=1+1,-12.50\r\n'+353 1,0\r\n'-1-2,-\r\n'@x,'\ty\r\n'＝A1,a=b\r\n\"Ada, \"\"the\r\nfirst\"\"\",\r\n"
	if err != nil || file.String() != want {
		t.Errorf("%q, want %q: %v", file.String(), want, err)
	}
}
