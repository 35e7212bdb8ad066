// Command little runs one of the small servers, to try the incidents on:
//
//	go run ./e2e/servers/cmd/little "disabled button"
package main

import (
	"fmt"
	"net/http"
	"os"
	"time"

	"onlyonce/e2e/servers"
)

const addr = "127.0.0.1:8090" // as in e2e/apps/little.json

func main() {
	habit := servers.Usual
	for _, h := range servers.Habits() {
		if len(os.Args) == 3 && os.Args[2] == h.String() {
			habit = h
		}
	}
	for _, p := range servers.All() {
		if len(os.Args) > 1 && os.Args[1] == p.String() {
			fmt.Fprintln(os.Stderr, "http://"+addr+"/expenses/new")
			server := &http.Server{Addr: addr, Handler: servers.New(p, habit), ReadHeaderTimeout: time.Minute}
			fmt.Fprintln(os.Stderr, server.ListenAndServe())
			os.Exit(1)
		}
	}
	fmt.Fprintf(os.Stderr, "usage: little protection [habit]: one of %q, and one of %q\n", servers.All(), servers.Habits())
	os.Exit(2)
}
