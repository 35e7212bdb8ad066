package app

import (
	"github.com/google/uuid"

	"onlyonce/internal/lab"
)

// openLab makes the lab of the demo, unless there is data of people: they have not asked for servers that are killed beside it.
func (a *App) openLab(anyUser bool) (err error) {
	if !a.config.Lab || !a.config.Demo || anyUser {
		return nil
	}
	a.lab, err = lab.New(lab.Config{Program: a.config.LabProgram, Keep: a.config.LabKeep, Log: a.config.Log})
	return err
}

// LabDatabases are the addresses of the databases of a finished run of the lab, if LabKeep is set.
func (a *App) LabDatabases(run uuid.UUID) []string { return a.lab.Databases(run) }
