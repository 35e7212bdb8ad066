package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/google/uuid"
	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/proof/browser"
)

// pages weighs the pages that people use most, as Chromium gets them over the wire: for the first time,
// and a second time with what it could keep.
func (b *bench) pages(ctx context.Context) (err error) {
	s, err := b.populated(ctx, "pages", few)
	if err != nil {
		return err
	}
	defer s.stop()
	cookie, err := logIn(ctx, s.origin)
	if err != nil {
		return err
	}
	id, err := value[uuid.UUID](ctx, s.admin(), `SELECT id FROM invoices WHERE tenant_id = $1 LIMIT 1`, acme)
	if err != nil {
		return err
	}
	chromium, stop, err := browser.Launch(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	for _, page := range []struct{ name, path string }{
		{"list", "/invoices"}, {"form", "/invoices/new"}, {"invoice", "/invoices/" + id.String()},
	} {
		var html, other, requests, shown, kept []float64
		for range b.Rounds {
			first, second, err := visit(chromium, s.origin, page.path, cookie)
			if err != nil {
				return fmt.Errorf("%s: %w", page.path, err)
			}
			html, other = append(html, first.HTML/1e3), append(other, first.Other/1e3)
			requests, shown = append(requests, first.Requests), append(shown, first.Loaded)
			kept = append(kept, second.Transferred)
		}
		shownAgain := "nothing but the HTML is sent again"
		if worst := spreadOf(kept).Max; worst > 0 {
			shownAgain = fmt.Sprintf("%.0f bytes are sent again", worst)
		}
		b.add(
			alone(page.name+" page: HTML, compressed", kilobytes, html...).atMost(12),
			alone(page.name+" page: all else, compressed", kilobytes, other...).atMost(25).noting(shownAgain),
			alone(page.name+" page: requests", count, requests...),
			alone(page.name+" page: loaded and laid out, empty cache", millis, shown...),
		)
	}
	return nil
}

// weight is what the browser says of one load of a page.
type weight struct {
	HTML        float64 `json:"html"`        // bytes of the page's body, compressed
	Other       float64 `json:"other"`       // bytes of all other bodies, compressed
	Transferred float64 `json:"transferred"` // bytes of all else that came over the wire, headers included
	Requests    float64 `json:"requests"`    // the page included
	Loaded      float64 `json:"loaded"`      // milliseconds from the start of navigation to the end of load
}

// visit loads a page twice in a browser that has never been there.
func visit(chromium playwright.Browser, origin, path, cookie string) (first, second weight, err error) {
	context, err := chromium.NewContext()
	if err != nil {
		return first, second, err
	}
	defer func() { err = errors.Join(err, context.Close()) }()
	name, session, _ := strings.Cut(cookie, "=")
	if err := context.AddCookies([]playwright.OptionalCookie{{Name: name, Value: session, URL: &origin}}); err != nil {
		return first, second, err
	}
	for _, w := range []*weight{&first, &second} {
		page, err := context.NewPage()
		if err != nil {
			return first, second, err
		}
		if _, err := page.Goto(origin + path); err != nil {
			return first, second, err
		}
		if *w, err = weigh(page); err != nil {
			return first, second, err
		}
		if err := page.Close(); err != nil {
			return first, second, err
		}
	}
	return first, second, nil
}

func weigh(page playwright.Page) (w weight, err error) {
	told, err := page.Evaluate(`() => {
		const [page] = performance.getEntriesByType('navigation')
		const rest = performance.getEntriesByType('resource')
		const sum = (key) => rest.reduce((total, r) => total + r[key], 0)
		return JSON.stringify({
			html: page.encodedBodySize, other: sum('encodedBodySize'), transferred: sum('transferSize'),
			requests: 1 + rest.length, loaded: page.loadEventEnd - page.startTime,
		})
	}`)
	if err != nil {
		return w, err
	}
	text, _ := told.(string)
	if err := json.Unmarshal([]byte(text), &w); err != nil {
		return w, fmt.Errorf("what the browser told: %w", err)
	}
	if w.HTML == 0 || w.Loaded == 0 || math.IsNaN(w.Loaded) {
		return w, fmt.Errorf("the browser told nothing about the page: %s", text)
	}
	return w, nil
}
