package invoiceroom_test

import (
	"net/http"
	"path"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/mailer"
	"onlyonce/internal/mailer/mailertest"
)

// TestBatchIsCarriedOut checks that the app issues and mails the invoices of a batch.
func TestBatchIsCarriedOut(t *testing.T) {
	s := mailertest.Start(t, nil, nil)
	b := mailing(t, s.URL)
	one, two := path.Base(b.draft("one", "Ada")), path.Base(b.draft("two", "Ada"))
	b.post("/api/v1/invoice-batches", "batch", `{"action": "issue", "invoices": ["`+one+`", "`+two+`"]}`, http.StatusCreated)
	for _, m := range b.settled(2) {
		assert.Equal(t, m.State, mailer.StateSent, m.Number)
	}
}
