package app_test

import "onlyonce/internal/app"

// labEnvironment sets the settings of the lab to other values than [defaultLab].
func labEnvironment() map[string]string { return map[string]string{"LAB": "0"} }

func defaultLab() app.LabConfig { return app.LabConfig{Lab: true} }
