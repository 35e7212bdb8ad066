// Command little runs one of the small servers at a free port, and writes its description to e2e/report/little.json, to try the incidents
// on. Run it in the repository:
//
//	go run ./e2e/servers/cmd/little "disabled button"
package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"onlyonce/e2e/servers"
)

func main() {
	habit := servers.Usual
	for _, h := range servers.Habits() {
		if len(os.Args) == 3 && os.Args[2] == h.String() {
			habit = h
		}
	}
	for _, p := range servers.All() {
		if len(os.Args) > 1 && os.Args[1] == p.String() {
			fmt.Fprintln(os.Stderr, serve(servers.New(p, habit)))
			os.Exit(1)
		}
	}
	fmt.Fprintf(os.Stderr, "usage: little protection [habit]: one of %q, and one of %q\n", servers.All(), servers.Habits())
	os.Exit(2)
}

// serve runs a server, after it has written its description.
func serve(app http.Handler) error {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	address := "http://" + listener.Addr().String()
	described, err := os.ReadFile("e2e/apps/little.json")
	if err == nil {
		err = os.MkdirAll("e2e/report", 0o750)
	}
	if err == nil {
		described = bytes.Replace(described, []byte("http://127.0.0.1:8090"), []byte(address), 1)
		err = os.WriteFile("e2e/report/little.json", described, 0o600) //nolint:gosec // the address has no path
	}
	if err != nil {
		return fmt.Errorf("write the description: %w", err)
	}
	fmt.Fprintln(os.Stderr, address+"/expenses/new")
	server := &http.Server{Handler: app, ReadHeaderTimeout: time.Minute}
	return server.Serve(listener) //nolint:wrapcheck // it is for people
}
