// Command demo is the server with the lab, in which visitors of the demo remove layers of protection. `make run` starts it.
package main

import (
	"onlyonce/internal/command"
	"onlyonce/internal/lab/labapp"
)

func main() { command.Main(labapp.Open("")) }
