package app

import (
	"cmp"
	"context"

	"onlyonce/internal/lab"
	"onlyonce/internal/lab/labpages"
	"onlyonce/internal/web"
)

// LabConfig is the configuration of the demo's lab.
type LabConfig struct {
	Lab        bool   // LAB
	LabProgram string // the server that the lab starts; this program if empty
}

func labPart() part {
	return part{start: startLab, pages: func(s *web.Site) { labpages.Mount(s, &lab.Lab{}) }, settings: []setting{
		{"LAB", "1", "", "0 switches off the lab of the demo, which starts a PostgreSQL and servers of its own\n" +
			"(there is none without the demo, or once a tenant of your own has a user)",
			func(c *Config, value string) error { return parseYes(&c.Lab, value) }},
	}}
}

// startLab starts the lab of the demo, unless there is real data: the lab starts and kills servers on the same machine.
func startLab(_ context.Context, a *App) error {
	c := a.config
	if !c.Lab || !c.Demo || a.anyUser {
		return nil
	}
	made, err := lab.New(lab.Config{Program: c.LabProgram, Log: c.Log})
	if err != nil {
		return err
	}
	a.hurries = append(a.hurries, made.Close) // each watcher of a run is a request in flight
	a.pages = append(a.pages, func(s *web.Site) { labpages.Mount(s, made) })
	a.hints = append(a.hints, "Try to break it: "+cmp.Or(c.PublicURL, a.URL())+"/lab")
	return nil
}
