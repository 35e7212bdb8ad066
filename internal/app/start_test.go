package app_test

import (
	"net/http"
	"testing"
	"time"

	"onlyonce/internal/app"
	"onlyonce/internal/postgres/pgtest"
)

// TestWhoAnswersHasStarted: a replica of which a part cannot start, such as its metrics, answers nobody, although it has its
// address from the beginning.
func TestWhoAnswersHasStarted(t *testing.T) {
	t.Parallel()
	for what, prevent := range map[string]func(*app.Config){
		// begin invoices
		"jobs": func(c *app.Config) { c.MailSender = "no address" },
		// end invoices
		"metrics": func(c *app.Config) { c.MetricsAddr = c.Addr },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := &bundle{T: t, db: pgtest.New(t)}
			config := b.config()
			config.Demo, config.Addr = false, freeAddress(t)
			prevent(&config)
			ended, answered := make(chan struct{}), make(chan bool)
			go func() { answered <- anyAnswer("http://"+config.Addr+"/healthz", ended) }()
			err := tryStart(t.Context(), config)
			close(ended)
			if err == nil {
				t.Error("it started")
			}
			if <-answered {
				t.Errorf("it answered, and then did not start: %v", err)
			}
		})
	}
}

// anyAnswer asks until it is over, and says whether there was an answer.
func anyAnswer(url string, over <-chan struct{}) bool {
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		response, err := client.Get(url)
		if err == nil {
			_ = response.Body.Close()
			return true
		}
		select {
		case <-over:
			return false
		default:
		}
	}
}
