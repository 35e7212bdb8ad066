package app

import (
	"log/slog"

	"onlyonce/internal/site"
	"onlyonce/internal/value/secretkey"
	"onlyonce/internal/web"
)

// Routes returns the routes of all parts for any settings. It needs no database.
func Routes() ([]web.Route, error) {
	var more []func(*web.Site)
	for _, p := range parts() {
		if p.pages != nil {
			more = append(more, p.pages)
		}
	}
	server, err := web.New(web.Config{Log: slog.New(slog.DiscardHandler), Mount: site.Mount(0, secretkey.Key{}, false, more...)})
	if err != nil {
		return nil, err
	}
	return server.Routes, nil
}
