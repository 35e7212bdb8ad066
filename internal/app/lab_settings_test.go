package app_test

import "onlyonce/internal/app"

// labEnvironment sets what is to be set about the lab, to something else than [defaultLab].
func labEnvironment() map[string]string { return map[string]string{"LAB": "0"} }

func defaultLab() app.LabConfig { return app.LabConfig{Lab: true} }
