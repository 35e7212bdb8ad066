package app

import (
	"context"
	"log/slog"

	"onlyonce/internal/people/business"
	"onlyonce/internal/people/peoplepages"
	"onlyonce/internal/room"
	"onlyonce/internal/web"
)

// Site has the pages, jobs and demo data of an app. The program passes it, so that a changed page does not compile this package again.
type Site struct {
	// Mount returns a function that mounts every resource, and more pages after them. people configures logins. sendsMail is set if there
	// is a mail server, and private if events may be delivered to addresses that are not on the public internet.
	Mount  func(people peoplepages.Config, sendsMail, private bool, more ...func(*web.Site)) func(*web.Site)
	Rooms  []room.Room
	Extras []OpenExtra // for the demo
}

// Copies returns the parts of all rooms for copies of a business.
func (s Site) Copies() (parts []business.Part) {
	for _, r := range s.Rooms {
		parts = append(parts, r.Copies)
	}
	return parts
}

// Routes returns the routes of the site for any settings. It needs no database.
func (s Site) Routes() ([]web.Route, error) {
	log := slog.New(slog.DiscardHandler)
	opened, err := openExtras(s.Extras, log)
	if err != nil {
		return nil, err
	}
	server, err := web.New(web.Config{Log: log, Mount: s.Mount(peoplepages.Config{}, false, false, pagesOf(opened)...)})
	if err != nil {
		return nil, err
	}
	return server.Routes, nil
}

// Extra is a part of the demo that only some programs have, with more pages. The app leaves it out without the demo, and once a tenant
// outside the demo has a user: an extra may start and kill servers on the same machine.
type Extra struct {
	Hint  string // a line of the banner, before the URL of Path
	Path  string // the first page
	Mount func(*web.Site)
	Close func(context.Context) error // ends the requests in flight that wait for the extra
}

// OpenExtra opens an extra, which logs to log. It starts nothing before the first request, because [Site.Routes] opens extras too.
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
