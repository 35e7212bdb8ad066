// Command apiverdict checks the handling of Idempotency-Key in an API that a file describes: see docs/verdicts/api.md. It exits
// with 0 if the API keeps all its claims, 1 if not, and 2 if the check itself failed. make, which runs it, exits with 2 in either
// case.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"time"

	"onlyonce/internal/proof/apiverdict"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code, err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "apiverdict:", err)
	}
	os.Exit(code)
}

func run(ctx context.Context) (code int, err error) {
	if len(os.Args) != 2 {
		return apiverdict.NoVerdict, errors.New("name the description of the API: apiverdict api.json")
	}
	d, err := apiverdict.Read(os.Args[1])
	if err != nil {
		return apiverdict.NoVerdict, err
	}
	table, code, err := apiverdict.Run(ctx, d, &http.Transport{MaxIdleConnsPerHost: 10, IdleConnTimeout: time.Second})
	fmt.Fprint(os.Stdout, table)
	return code, err
}
