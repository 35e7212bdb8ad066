package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
)

// sameKey lets 64 callers send one key at the same moment, each on a connection of its own that is open
// already, and compares the time until the last answer with that of one create. What the callers themselves
// cost shows at a handler that does nothing.
func (b *bench) sameKey(ctx context.Context) error {
	const callers = 64
	s, err := b.populated(ctx, "samekey", few)
	if err != nil {
		return err
	}
	server, db := s.service, s.database
	defer server.stop()
	usual, err := b.start(ctx, b.usual, b.path("usual-samekey.log"), "DATABASE_URL="+db.url(), "TENANT="+acme)
	if err != nil {
		return err
	}
	defer usual.stop()

	crowd := make([]*http.Client, callers)
	for i := range crowd {
		crowd[i] = &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}, Timeout: time.Minute}
	}
	var together, one, empty []float64
	// The first rounds only open connections and prepare statements.
	const warm = 5
	for round := range warm + 10*b.Rounds {
		all, err := burst(ctx, server.origin+invoicesPath, crowd)
		if err != nil {
			return err
		}
		single, err := burst(ctx, server.origin+invoicesPath, crowd[:1])
		if err != nil {
			return err
		}
		nothing, err := burst(ctx, usual.origin+"/empty", crowd)
		if err != nil {
			return err
		}
		if round >= warm {
			together, one, empty = append(together, all), append(one, single), append(empty, nothing)
		}
	}
	made, err := value[int](ctx, db.admin(), `SELECT count(*) FROM intents JOIN invoices ON id = record_id WHERE key LIKE 'burst-%'`)
	if err != nil {
		return err
	}
	if want := 2 * (warm + 10*b.Rounds); made != want {
		return fmt.Errorf("%d keys made %d invoices", want, made)
	}
	b.add(
		against("64 callers of one key, until all are answered", millis, together, "one create", one).atMost(3),
		against("64 callers of an empty handler, until all are answered", millis, empty, "one create", one).
			noting("the callers' own cost"),
	)
	return nil
}

// burst sends one new key with all clients at once. It returns the milliseconds until the last answer, and
// an error if the answers differ.
func burst(ctx context.Context, url string, clients []*http.Client) (float64, error) {
	key := "burst-" + uuid.NewString()
	number := key[:min(len(key), 40)]
	answers, errs := make([]string, len(clients)), make([]error, len(clients))
	gate := make(chan struct{})
	var ready, done sync.WaitGroup
	for i, client := range clients {
		ready.Add(1)
		done.Go(func() {
			request, err := apiPost(ctx, url, key, apiInvoice(number, regularEmail, "Design "+number)) // like those that wrk sends
			ready.Done()
			<-gate
			if err == nil {
				answers[i], err = ask(client, request)
			}
			errs[i] = err
		})
	}
	ready.Wait()
	began := time.Now()
	close(gate)
	done.Wait()
	took := float64(time.Since(began).Microseconds()) / 1e3
	for i, answer := range answers {
		if errs[i] == nil && answer != answers[0] {
			errs[i] = fmt.Errorf("one key, two answers:\n%s\n%s", answers[0], answer)
		}
	}
	return took, errors.Join(errs...)
}

// ask returns the body of a success.
func ask(client *http.Client, request *http.Request) (string, error) {
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return "", fmt.Errorf("%s: %s", response.Status, body)
	}
	return string(body), nil
}
