// Command server is Onlyonce as it is released: the app, without the lab. `server --help` lists its commands.
package main

import (
	"onlyonce/internal/app"
	"onlyonce/internal/command"
	"onlyonce/internal/site"
)

func main() { command.Main(app.Site{Mount: site.Mount, Rooms: site.Rooms()}) }
