package bench

import (
	_ "embed" // for the page
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// PeersReport is the outcome of [Peers].
type PeersReport struct {
	Report

	Peers  []peerName
	Races  []race
	Truths []truth
}

// peerName is a peer, as the page has it.
type peerName struct{ Name, What string }

//go:embed peers.md.tmpl
var peersPage string

// Publish writes the page and its chart into a directory of documents.
func (r PeersReport) Publish(docs string) error {
	page, err := template.New("peers").Funcs(template.FuncMap{"rate": r.rate}).Parse(peersPage)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := page.Execute(&text, r); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(docs, "peers.md"), []byte(text.String()), 0o644); err != nil { //nolint:gosec // documentation
		return err
	}
	return os.WriteFile(filepath.Join(docs, "peers-rates.svg"), []byte(r.chart()), 0o644) //nolint:gosec // documentation
}

// rate is what a peer reached in a race, and that as a ratio to the first peer, turn by turn.
func (r PeersReport) rate(in race, of peerName) string {
	first := r.Peers[0].Name
	if in.Rates[of.Name] == nil {
		return "-"
	}
	f := against("", perSecond, in.Rates[of.Name], first, in.Rates[first])
	if of.Name == first {
		return f.ours()
	}
	return f.ours() + ", " + f.ratio()
}

// chart draws the races as groups of bars.
func (r PeersReport) chart() string {
	const row, gap = 20.0, 26.0
	var b strings.Builder
	y := 40.0
	for _, in := range r.Races {
		var most float64
		for _, p := range r.Peers {
			most = max(most, spreadOf(in.Rates[p.Name]).Median)
		}
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" font-weight="600">%s</text>`+"\n", labelWidth, y+row-6, html.EscapeString(in.Name))
		y += row
		for n, p := range r.Peers {
			if in.Rates[p.Name] == nil {
				continue
			}
			class := "base"
			if n == 0 {
				class = "ours"
			}
			rate := spreadOf(in.Rates[p.Name]).Median
			b.WriteString(bar(y, row, class, p.Name, rate/most, amount(rate)+"/s"))
			y += row
		}
		y += gap - row
	}
	return chart("Requests a second: longer is faster", y, b.String())
}
