package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// layer is one of the three that this app has, and how it is taken away.
type layer struct {
	name string
	sql  string
	take func(*visitor)
	all  bool // no other layer stops what comes from elsewhere than one page, so that all is tried without this one
}

func layers() []layer {
	return []layer{
		{name: "the form lock", take: func(v *visitor) { v.blockScript("submit-guard") }},
		{name: "the intent", take: func(v *visitor) { v.wire.forget() }, all: true},
		{name: "the unique number", sql: `ALTER TABLE invoices DROP CONSTRAINT invoices_number_once_per_year`},
	}
}

// TestEachLayerCarriesWeight takes one layer away at a time and tries an incident of each family, or two: the ones that the layer
// is for come out differently. Without the intent all repeats have keys of their own, and the question before what looks
// like a repeat is what is left. What comes out is the table in e2e/layers.md.
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
			found[oneNumber] = append(found[oneNumber], marked(verdict{records: n}.String()))
		})
	}
	var text strings.Builder
	fmt.Fprintf(&text, "| incident | without %s |\n|---|%s\n", strings.Join(names, " | without "), strings.Repeat("---|", len(names)))
	for _, name := range append(tried, oneNumber) {
		fmt.Fprintf(&text, "| %s | %s |\n", name, strings.Join(found[name], " | "))
	}
	page, err := os.ReadFile("layers.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "<!-- begin layers -->\n"+text.String()+"<!-- end layers -->") {
		t.Errorf("e2e/layers.md does not have this table:\n%s", text.String())
	}
}

// without returns what came of an incident, and how many forms the app got if that is not as many as with all layers.
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

// marked prints bold what is not as it has to be.
func marked(found string) string {
	if found == "one record" {
		return found
	}
	return "**" + found + "**"
}

// takeOneNumber has two people send forms with one number at the same instant.
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
func (w *wire) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forgets = true
}
