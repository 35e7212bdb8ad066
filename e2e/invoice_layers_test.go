package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// layer is one of this app's three layers, with a way to remove it.
type layer struct {
	name string
	sql  string
	take func(*visitor)
	all  bool // for repeats from different pages no other layer helps, so that all incidents are tried without this layer
}

func layers() []layer {
	return []layer{
		{name: "the form lock", take: func(v *visitor) { v.blockScript("submit-guard") }},
		{name: "the intent", take: func(v *visitor) { v.wire.forget() }, all: true},
		{name: "the unique number", sql: `ALTER TABLE invoices DROP CONSTRAINT invoices_number_once_per_year`},
	}
}

// TestEachLayerCarriesWeight removes one layer at a time and tries an incident or two from each family. The incidents that the
// layer is for have a different outcome. Without the intent each repeat gets a new key, and only the question about likely repeats
// is left. The results are the table in e2e/invoice_layers.md.
func TestEachLayerCarriesWeight(t *testing.T) {
	onlyHere(t, "it takes the layers of the app away")
	t.Parallel()
	tried := []string{
		"somebody clicks twice", "somebody goes back and sends again", "somebody duplicates the tab and sends both",
		"the connection breaks after the commit, and the browser sends again by itself", "a balancer sends the form twice",
		"somebody goes back and sends again, without JavaScript",
	}
	const oneNumber = "two people take one number at the same instant"
	found := map[string][]string{}
	var names []string
	for _, gone := range layers() {
		names = append(names, gone.name)
		app := thisApp(t)
		if gone.sql != "" {
			_, err := app.own.db.Exec(t.Context(), gone.sql)
			app.own.check(err, "take "+gone.name+" away")
		}
		for _, one := range incidents() {
			switch at := slices.Index(tried, one.name); {
			case at >= 2 && !gone.all:
				found[one.name] = append(found[one.name], "–")
			case at >= 0:
				t.Run(gone.name+"/"+one.name, func(t *testing.T) {
					found[one.name] = append(found[one.name], gone.without(t, app, one))
				})
			}
		}
		t.Run(gone.name+"/"+oneNumber, func(t *testing.T) {
			people := gone.takeOneNumber(t, app)
			n := people[0].session.records.invoices(people[0].number(1))
			found[oneNumber] = append(found[oneNumber], marked(verdict{records: n, told: true}.String()))
		})
	}
	var text strings.Builder
	fmt.Fprintf(&text, "| incident | without %s |\n|---|%s\n", strings.Join(names, " | without "), strings.Repeat("---|", len(names)))
	for _, name := range append(tried, oneNumber) {
		fmt.Fprintf(&text, "| %s | %s |\n", name, strings.Join(found[name], " | "))
	}
	page := must.Read(t, "invoice_layers.md")
	assert.Thatf(t, strings.Contains(page, "<!-- begin layers -->\n"+text.String()+"<!-- end layers -->"),
		"e2e/invoice_layers.md does not have this table:\n%s", text.String())
}

// without returns the outcome of an incident, and the number of forms that the app got if it differs from that with all layers.
func (gone layer) without(t *testing.T, app *target, one incident) string {
	t.Helper()
	v := window(t, app, one)
	if gone.take != nil {
		gone.take(v)
	}
	v.log.forget()
	v.plays(one)
	found := v.judge(one).String()
	if n := len(v.log.seen()); n != len(outcomeOf(one.name).attempts) {
		found = fmt.Sprintf("%s, of %d forms", found, n)
	}
	return marked(found)
}

// marked makes a bad outcome bold.
func marked(found string) string {
	if found == "one record" {
		return found
	}
	return "**" + found + "**"
}

// takeOneNumber has two people send forms with the same number at the same instant.
func (gone layer) takeOneNumber(t *testing.T, app *target) []*visitor {
	t.Helper()
	people := []*visitor{window(t, app, incident{}), window(t, app, incident{})}
	for _, p := range people {
		if gone.take != nil {
			gone.take(p)
		}
		p.openForm()
		p.fill(fieldNumber, p.number(1))
		p.wire.hold(beforeTheApp)
		p.send()
	}
	for _, p := range people {
		p.wire.release()
	}
	for _, p := range people {
		p.settle()
	}
	return people
}

// forget replaces the key of each post by a new one from now on.
func (w *wire) forget() { w.locked(func() { w.forgets = true }) }
