package sitetest

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// event is an entry of a record's history, as the API shows it, or an event of the feed.
type event struct {
	At, Actor, Operation, What, Key string
	Changes                         []struct {
		Field    string
		From, To any
	}

	ID, Resource string // of the feed
	Effects      []struct{ What string }
}

// String returns the event in one line: its operation, sentence, key and changes.
func (e event) String() string {
	said := []string{e.Operation, e.What}
	if e.Key != "" {
		said = append(said, "under "+e.Key)
	}
	for _, c := range e.Changes {
		text := Encode([]any{c.From, c.To})
		if len(text) > 60 || e.Operation != "customer.restore" && strings.HasSuffix(c.Field, "_at") {
			text = "…"
		}
		said = append(said, c.Field+" "+text)
	}
	for _, effect := range e.Effects {
		said = append(said, "with "+effect.What)
	}
	return strings.Join(said, " ")
}

// Events reads the whole history of a record in pages of a size, forward and then back, and returns it as text.
func (b *Bundle) Events(api *Client, path string, limit int) (said []string) {
	b.Helper()
	type page struct {
		Events []event
		Next   string `json:"next_cursor"`
		Prev   string `json:"prev_cursor"`
	}
	read := func(cursor string) page {
		b.Helper()
		a := api.Get(fmt.Sprintf("%s/events?limit=%d&cursor=%s", path, limit, cursor))
		must.Thatf(b, a.Status == http.StatusOK, "%v", a)
		return Decode[page](b, a)
	}
	var forward, back []event
	p := read("")
	forward = slices.Clone(p.Events)
	for p.Next != "" {
		p = read(p.Next)
		forward = append(forward, p.Events...)
	}
	back = slices.Clone(p.Events)
	for p.Prev != "" {
		p = read(p.Prev)
		back = append(slices.Clone(p.Events), back...)
	}
	assert.Thatf(b, Encode(forward) == Encode(back), "forward %v\nback %v", forward, back)
	for i, e := range forward {
		assert.Thatf(b, e.Actor == "token test" && e.At != "" && (i <= 0 || e.At <= forward[i-1].At), "%d: %+v", i, e)
		said = append(said, e.String())
	}
	return said
}

// Feed reads the events of a tenant after a place, in pages of a size, and returns each as text, and the place after which it goes on.
func (b *Bundle) Feed(program *Client, after string, limit int) (said []string, _ string) {
	b.Helper()
	ids := map[string]bool{}
	for more := true; more; {
		p := Decode[struct {
			Events []event
			After  string
			More   bool
		}](b, program.Get(fmt.Sprintf("/api/v1/events?limit=%d&after=%s", limit, after)).Want(b, http.StatusOK))
		must.Thatf(b, !p.More || p.After != after, "the page after %s leads to itself", after)
		for _, e := range p.Events {
			assert.Thatf(b, e.Actor == "token test" && e.At != "" && !ids[e.ID], "%+v", e)
			ids[e.ID] = true
			said = append(said, e.Resource+" "+e.String())
		}
		after, more = p.After, p.More
	}
	return said, after
}

// History returns the entries on the page of a record, without the actor and time at their ends.
func (b *Bundle) History(person *Client, path string) (entries []string) {
	b.Helper()
	ends := regexp.MustCompile(` token test, \d+ \w+ \d{4}, \d\d:\d\d UTC$`)
	p := b.Page(person.Get(strings.TrimPrefix(path, "/api/v1")))
	for _, section := range Elements(p.Root, "section") {
		if class, _ := Attr(section, "class"); !strings.Contains(class, "history") {
			continue
		}
		for _, item := range Elements(section, "li") {
			entry := Text(item)
			assert.Thatf(b, ends.MatchString(entry), "%q does not say who did it and when", entry)
			entries = append(entries, ends.ReplaceAllString(entry, ""))
		}
	}
	return entries
}
