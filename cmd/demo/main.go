// Command demo is the server with the lab, in which visitors of the demo remove layers of protection. `make run` starts it.
package main

import (
	"onlyonce/internal/app"
	"onlyonce/internal/command"
	"onlyonce/internal/lab/labapp"
	"onlyonce/internal/site"
)

func main() {
	command.Main(app.Site{Mount: site.Mount, Rooms: site.Rooms(), Extras: []app.OpenExtra{labapp.Open("")}})
}
