package app

import (
	"log/slog"

	"onlyonce/internal/people/peoplepages"
	"onlyonce/internal/site"
	"onlyonce/internal/web"
)

// Routes returns the routes of the app and of extras for any settings. It needs no database.
func Routes(extras ...OpenExtra) ([]web.Route, error) {
	log := slog.New(slog.DiscardHandler)
	opened, err := openExtras(extras, log)
	if err != nil {
		return nil, err
	}
	server, err := web.New(web.Config{Log: log, Mount: site.Mount(peoplepages.Config{}, false, pagesOf(opened)...)})
	if err != nil {
		return nil, err
	}
	return server.Routes, nil
}
