package app

import (
	"context"
	"log/slog"

	"onlyonce/internal/web"
)

// Extra is a part of the demo that only some programs have, with more pages. The app leaves it out without the demo, and once a tenant
// outside the demo has a user: an extra may start and kill servers on the same machine.
type Extra struct {
	Hint  string // a line of the banner, before the URL of Path
	Path  string // the first page
	Mount func(*web.Site)
	Close func(context.Context) error // ends the requests in flight that wait for the extra
}

// OpenExtra opens an extra, which logs to log. It starts nothing before the first request, because [Routes] opens extras too.
type OpenExtra func(log *slog.Logger) (Extra, error)

func openExtras(list []OpenExtra, log *slog.Logger) (opened []Extra, err error) {
	for _, open := range list {
		extra, err := open(log)
		if err != nil {
			return opened, err
		}
		opened = append(opened, extra)
	}
	return opened, nil
}

func pagesOf(extras []Extra) (pages []func(*web.Site)) {
	for _, extra := range extras {
		pages = append(pages, extra.Mount)
	}
	return pages
}
