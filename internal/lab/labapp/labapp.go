// Package labapp adds the lab to the demo of a program.
package labapp

import (
	"log/slog"

	"onlyonce/internal/app"
	"onlyonce/internal/lab"
	"onlyonce/internal/lab/labpages"
	"onlyonce/internal/web"
)

// Open returns a function that opens a lab. The lab runs program as its servers, or this process's program if program is empty.
func Open(program string) app.OpenExtra {
	return func(log *slog.Logger) (app.Extra, error) {
		made, err := lab.New(lab.Config{Program: program, Log: log})
		if err != nil {
			return app.Extra{}, err
		}
		return app.Extra{
			Hint: "Try to break it", Path: "/lab", Mount: func(s *web.Site) { labpages.Mount(s, made) }, Close: made.Close,
		}, nil
	}
}
