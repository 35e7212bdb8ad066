// Command server is Onlyonce as it is released: the app, without the lab. `server --help` lists its commands.
package main

import "onlyonce/internal/command"

func main() { command.Main() }
