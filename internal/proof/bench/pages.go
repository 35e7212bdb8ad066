package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/proof/browser"
)

// pages loads pages in Chromium, with an empty cache and again, and an empty page from another server for comparison.
func (b *bench) pages(ctx context.Context) (err error) {
	ours, err := b.populate(ctx, "pages", few)
	if err != nil {
		return err
	}
	defer ours.stop()
	usual, err := b.startUsual(ctx, ours.url())
	if err != nil {
		return err
	}
	defer usual.stop()
	s, err := visitSite(ctx, ours.origin, ours.database, 1)
	if err != nil {
		return err
	}
	chromium, stop, err := browser.Launch(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	for _, page := range []struct{ name, path string }{
		{"invoice list", "/invoices"}, {"invoice form", "/invoices/new"}, {"invoice page", "/invoices/" + s.invoice},
	} {
		var bytes, bytesAgain, loaded, empty []float64
		for range b.Rounds {
			first, second, err := visit(chromium, s.origin, page.path, s.cookie)
			if err != nil {
				return fmt.Errorf("%s: %w", page.path, err)
			}
			nothing, _, err := visit(chromium, usual.origin, "/empty", s.cookie)
			if err != nil {
				return err
			}
			bytes, bytesAgain = append(bytes, first.Transferred/1e3), append(bytesAgain, second.Transferred/1e3)
			loaded, empty = append(loaded, first.Loaded), append(empty, nothing.Loaded)
		}
		b.add(
			against(page.name+" in Chromium, bytes of the second visit", kilobytes, bytesAgain, "of the first", bytes).atMost(0.5),
			against(page.name+" in Chromium, loaded", millis, loaded, "an empty page", empty),
		)
	}
	return nil
}

// weight is the cost of loading a page.
type weight struct {
	Transferred float64 `json:"transferred"` // bytes over the wire, headers included
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
	result, err := page.Evaluate(`() => {
		const [page] = performance.getEntriesByType('navigation')
		const rest = performance.getEntriesByType('resource')
		return JSON.stringify({
			transferred: rest.reduce((total, r) => total + r.transferSize, page.transferSize),
			loaded: page.loadEventEnd - page.startTime,
		})
	}`)
	if err != nil {
		return w, err
	}
	text, _ := result.(string)
	if err := json.Unmarshal([]byte(text), &w); err != nil {
		return w, fmt.Errorf("read the browser's times: %w", err)
	}
	if w.Transferred <= 0 || w.Loaded <= 0 {
		return w, fmt.Errorf("the browser has measured nothing: %s", text)
	}
	return w, nil
}
