package invoiceroom_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/mailer"
	"onlyonce/internal/mailer/mailertest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type bundle struct{ *apptest.Bundle }

// mailing returns a bundle whose app sends mails of a company to a mail server.
func mailing(t *testing.T, url string, settings ...func(*app.Config)) *bundle {
	t.Helper()
	return &bundle{apptest.Mailing(t, url, settings...)}
}

// draft creates an invoice that isn't overdue and returns its path in the API.
func (b *bundle) draft(key, customer string) string {
	b.Helper()
	return b.draftDue(key, customer, "2026-11-21", "2026-12-21")
}

func (b *bundle) draftDue(key, customer, issued, due string) string {
	b.Helper()
	person, err := json.Marshal(customer)
	must.OK(b, err)
	status, answer, err := apptest.Ask(apptest.CompanyToken, http.MethodPost, b.URL()+"/api/v1/invoices", key, `{
		"customer": {"email": "ada@example.com", "name": `+string(person)+`},
		"issue_date": "`+issued+`", "due_date": "`+due+`", "currency": "EUR", "notes": "key `+key+`",
		"lines": [{"description": "Design", "quantity": "2", "unit_price": "50.00", "tax_rate": "23"}]}`)
	var made struct {
		ID string `json:"id"`
	}
	if err := errors.Join(err, json.Unmarshal(answer, &made)); err != nil || status != http.StatusCreated {
		b.Fatalf("%d %s %v", status, answer, err)
	}
	return "/api/v1/invoices/" + made.ID
}

func (b *bundle) post(path, key, body string, want int) {
	b.Helper()
	status, answer, err := apptest.Ask(apptest.CompanyToken, http.MethodPost, b.URL()+path, key, body)
	must.Thatf(b, err == nil && status == want, "%s: %d %s %v", path, status, answer, err)
}

// mails returns the mails of the apptest.Company, newest first.
func (b *bundle) mails() (all []mail.Mail) {
	b.Helper()
	status, answer, err := apptest.Ask(apptest.CompanyToken, http.MethodGet, b.URL()+"/api/v1/outbox?limit=100", "", "")
	var list struct {
		Outbox []mail.Mail `json:"outbox"`
	}
	if err := errors.Join(err, json.Unmarshal(answer, &list)); err != nil || status != http.StatusOK {
		b.Fatalf("%d %s %v", status, answer, err)
	}
	return list.Outbox
}

// settled waits until n mails are sent or have failed.
func (b *bundle) settled(n int) []mail.Mail {
	b.Helper()
	must.Until(b, fmt.Sprintf("%d mails are settled", n), func() bool {
		settled := 0
		for _, m := range b.mails() {
			if m.State != mailer.StateQueued {
				settled++
			}
		}
		return settled == n
	})
	return b.mails()
}

// TestMailIsSent checks the subject, the open amount, the Message-ID, and that names add no headers.
func TestMailIsSent(t *testing.T) {
	s := mailertest.Start(t, nil, nil)
	b := mailing(t, s.URL)
	const hostile = "Acme \"Studio\"\r\nBcc: eve@example.com\r\n\r\n<b>, Ünï"
	must.Exec(t, b.DB.Admin(), `
		UPDATE settings SET name = $1, email = 'ada+bills@acme.example', account_holder = 'Acme', account_number = '12-34'`, hostile)
	invoice := b.draft("one", `Ada "A" <eve@example.com>, & <script>`)
	b.post(invoice+"/issue", "one", `{"message": "See you\nsoon."}`, http.StatusOK)
	sent := b.settled(1)[0]
	assert.Thatf(t, sent.State == mailer.StateSent && !sent.Kept && sent.Attempts == 1 && sent.Reason == "" && !sent.SentAt.IsZero(),
		"%+v", sent)
	must.Thatf(t, len(s.Messages()) == 1, "%d messages", len(s.Messages()))
	header := s.Messages()[0].Header
	if want := "<" + sent.ID.String() + "@example.com>"; header.Get("Message-Id") != want || "<"+sent.MessageID+">" != want {
		t.Errorf("Message-ID %s, want %s", header.Get("Message-Id"), want)
	}
	to, err := header.AddressList("To")
	assert.Thatf(t, err == nil && len(to) == 1 && to[0].Address == "ada@example.com", "to %v, %v", to, err)
	from, err := header.AddressList("From")
	assert.Thatf(t, err == nil && len(from) == 1 && from[0].Address == "app@example.com", "from %v, %v", from, err)
	reply, err := header.AddressList("Reply-To")
	assert.Thatf(t, err == nil && len(reply) == 1 && reply[0].Address == "ada+bills@acme.example", "reply to %v, %v", reply, err)
	_, smuggled := header["Bcc"]
	assert.Thatf(t, !smuggled, "a name has added a header: %v", header)
	body, err := io.ReadAll(s.Messages()[0].Body)
	assert.Thatf(t, err == nil && strings.Contains(string(body), "text/plain") && strings.Contains(string(body), "text/html") &&
		(!strings.Contains(string(body), "<script>") || strings.Contains(sent.Text, "<script>")), "%v\n%s", err, body)
	rest := sent.Text
	for _, want := range []string{
		"Here is our invoice 2026-0001 of 21 November 2026 for 123.00 EUR, due on 21 December 2026.",
		"- Design: 2 x 50.00 = 100.00 EUR", "Open: 123.00 EUR",
		"Due: 21 December 2026", "Account holder: Acme\nAccount number: 12-34\nReference: 2026-0001",
		"key one", "See you\nsoon.", "attached", "Kind regards,\nAcme",
	} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Errorf("%q is not in its place in\n%s", want, sent.Text)
			continue
		}
		rest = after
	}
}

// TestCopies checks that a mail to the customer has copies for the customer's further addresses, and a mail to another address has none.
func TestCopies(t *testing.T) {
	var access sync.Mutex
	received := map[string]int{}
	s := mailertest.Start(t, nil, func(to string) bool {
		access.Lock()
		defer access.Unlock()
		received[strings.ToLower(to)]++
		return true
	})
	b := mailing(t, s.URL)
	invoice := b.draft("one", "Ada")
	must.Exec(t, b.DB.Admin(), `UPDATE customers SET copies_to = 'boss@example.com, tax@example.org' WHERE email = 'ada@example.com'`)
	b.post(invoice+"/issue", "one", `{}`, http.StatusOK)
	b.post(invoice+"/send", "by hand", `{"recipient": "Ada@example.com"}`, http.StatusCreated)
	b.settled(2)
	must.Exec(t, b.DB.Admin(), `UPDATE customers SET copies_to = '' WHERE email = 'ada@example.com'`)
	b.post(invoice+"/send", "none left", `{}`, http.StatusCreated)
	b.settled(3)
	must.Exec(t, b.DB.Admin(), `UPDATE customers SET copies_to = 'boss@example.com' WHERE email = 'ada@example.com'`)
	b.post(invoice+"/send", "to another", `{"recipient": "grace@example.com"}`, http.StatusCreated)
	b.settled(4)
	access.Lock()
	defer access.Unlock()
	want := map[string]int{"ada@example.com": 3, "boss@example.com": 2, "tax@example.org": 2, "grace@example.com": 1}
	assert.Thatf(t, maps.Equal(received, want) && len(s.Messages()) == 4, "%v in %d messages", received, len(s.Messages()))
	assert.Equal(t, s.Messages()[0].Header.Get("Cc"), "<boss@example.com>, <tax@example.org>")
}

// TestMailIsSentOnce: the mail is sent once, however often the invoice is issued, under the same key or others. Sending it
// again on purpose is another mail.
func TestMailIsSentOnce(t *testing.T) {
	s := mailertest.Start(t, nil, nil)
	b := mailing(t, s.URL)
	invoice := b.draft("one", "Ada")
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			key := fmt.Sprint("click ", n/2)
			status, answer, err := apptest.Ask(apptest.CompanyToken, http.MethodPost, b.URL()+invoice+"/issue", key, "")
			assert.Thatf(t, err == nil && status == http.StatusOK, "%d %s %v", status, answer, err)
		})
	}
	all.Wait()
	b.settled(1)
	for range 5 {
		b.post(invoice+"/send", "again", `{"recipient": "office@example.com"}`, http.StatusCreated)
	}
	mails := b.settled(2)
	assert.Thatf(t, len(mails) == 2 && mails[0].Recipient == "office@example.com" && mails[0].MessageID != mails[1].MessageID, "%+v", mails)
	assert.Equal(t, len(s.Messages()), 2, "messages")
}

// TestMailIsTriedAgain after a temporary failure, and accepted once.
func TestMailIsTriedAgain(t *testing.T) {
	pgtest.Long(t)
	s := mailertest.Start(t, func(before int) error {
		if before < 2 {
			return errors.New("451 4.3.2 Come back later")
		}
		return nil
	}, nil)
	b := mailing(t, s.URL)
	b.post(b.draft("one", "Ada")+"/issue", "one", "", http.StatusOK)
	sent := b.settled(1)[0]
	assert.Thatf(t, sent.State == mailer.StateSent && sent.Attempts == 3 && len(s.Messages()) == 1 && sent.Reason == "",
		"%d messages, %+v", len(s.Messages()), sent)
	b.LogsNothingPersonal()
}

// TestMailIsGivenUp after the last attempt, with the reason.
func TestMailIsGivenUp(t *testing.T) {
	pgtest.Long(t)
	s := mailertest.Start(t, func(int) error { return errors.New("451 4.3.2 Come back later") }, nil)
	b := mailing(t, s.URL, func(c *app.Config) { c.MailRetry = time.Millisecond })
	b.post(b.draft("one", "Ada")+"/issue", "one", "", http.StatusOK)
	failed := b.settled(1)[0]
	assert.Thatf(t, failed.State == mailer.StateFailed && failed.Attempts == mailer.MaxAttempts &&
		failed.Reason == "Gave up after 10 attempts. The mail server didn't accept it: 451 4.3.2 Come back later.", "%+v", failed)
}

// TestMailIsRefused checks that a permanent refusal fails the mail at once, with the reason, and that it can be sent to another address.
func TestMailIsRefused(t *testing.T) {
	s := mailertest.Start(t, nil, func(to string) bool { return to != "ada@example.com" })
	b := mailing(t, s.URL)
	invoice := b.draft("one", "Ada")
	b.post(invoice+"/issue", "one", "", http.StatusOK)
	failed := b.settled(1)[0]
	assert.Thatf(t, failed.State == mailer.StateFailed && failed.Attempts == 1 &&
		failed.Reason == "The mail server refused it: 550 5.1.0 Requested action not taken: mailbox unavailable.", "%+v", failed)
	b.post(invoice+"/send", "again", `{"recipient": "grace@example.com"}`, http.StatusCreated)
	sent := b.settled(2)[0]
	assert.Thatf(t, sent.State == mailer.StateSent && len(s.Messages()) == 1, "%+v", sent)
	b.LogsNothingPersonal()
}

// TestMailServerHangs checks that an attempt is bounded, delays no other work, and lets the app stop.
func TestMailServerHangs(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must.OK(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	b := mailing(t, "smtp://"+listener.Addr().String()+"?tls=off", func(c *app.Config) {
		c.MailTimeout, c.MailRetry = 500*time.Millisecond, time.Hour
	})
	b.post(b.draft("one", "Ada")+"/issue", "one", "", http.StatusOK)
	conn, err := listener.Accept() // and never an answer
	must.OK(t, err)
	defer conn.Close()
	m := b.mails()[0]
	assert.Thatf(t, m.State == mailer.StateQueued && m.Reason == "", "the attempt is over already: %+v", m)
	b.post(b.draft("two", "Ada")+"/issue", "two", "", http.StatusOK) // while it hangs
	must.Until(b, "the attempt is over", func() bool {
		mails := b.mails()
		return mails[len(mails)-1].Reason == "The mail server didn't answer in time."
	})
	took, ok := b.Lines("mail")[0]["duration"].(float64)
	assert.Thatf(t, ok && time.Duration(took) <= 5*time.Second, "the attempt took %v", time.Duration(took))
}

// TestMailServerWithoutTLS gets neither a password nor a mail.
func TestMailServerWithoutTLS(t *testing.T) {
	s := mailertest.Start(t, nil, nil)
	host := strings.TrimSuffix(strings.TrimPrefix(s.URL, "smtp://"), "?tls=off")
	b := mailing(t, "smtp://ada:s3cret@"+host, func(c *app.Config) { c.MailRetry = time.Hour })
	b.post(b.draft("one", "Ada")+"/issue", "one", "", http.StatusOK)
	must.Until(b, "the attempt is over", func() bool {
		return b.mails()[0].Reason == "The mail server doesn't encrypt its connections (STARTTLS)."
	})
	m := b.mails()[0]
	assert.Thatf(t, m.State == mailer.StateQueued && len(s.Messages()) == 0 && !strings.Contains(b.Logs.String(), "s3cret"), "%+v", m)
}

// TestMailOfAVoidInvoice is not sent any more.
func TestMailOfAVoidInvoice(t *testing.T) {
	offered, answer := make(chan struct{}), make(chan struct{})
	s := mailertest.Start(t, func(before int) error {
		if before == 0 {
			close(offered)
			<-answer
			return errors.New("451 4.3.2 Come back later")
		}
		return nil
	}, nil)
	b := mailing(t, s.URL)
	invoice := b.draft("one", "Ada")
	b.post(invoice+"/issue", "one", "", http.StatusOK)
	<-offered
	b.post(invoice+"/void", "one", "", http.StatusOK)
	close(answer)
	failed := b.settled(1)[0]
	if failed.State != mailer.StateFailed || failed.Reason != "The invoice was voided before it could be sent." || len(s.Messages()) != 0 {
		t.Errorf("%+v", failed)
	}
}

// TestMailsOfTheDemoAreKept: the demo's customers are fictitious, so nothing is sent to them even with a mail server.
func TestMailsOfTheDemoAreKept(t *testing.T) {
	pgtest.Long(t)
	s := mailertest.Start(t, nil, nil)
	b := mailing(t, s.URL, func(c *app.Config) { c.Demo = true })
	admin := b.DB.Admin()
	must.Until(b, "all are kept", func() bool {
		var left, kept int
		err := admin.QueryRow(t.Context(), `
			SELECT count(*) FILTER (WHERE state = 'queued'), count(*) FILTER (WHERE kept AND body <> '') FROM mails`).Scan(&left, &kept)
		return err == nil && left == 0 && kept > 20
	})
	assert.Thatf(t, len(s.Messages()) == 0, "%d messages", len(s.Messages()))
}

// TestMailsWithoutAServer are kept, also through a connection pooler without prepared statements.
func TestMailsWithoutAServer(t *testing.T) {
	b := mailing(t, "smtp://nowhere.example.com", func(c *app.Config) {
		c.MailServer, c.MailSender = nil, ""
		c.DatabaseURL += "&default_query_exec_mode=exec"
	})
	b.post(b.draft("one", "Ada")+"/issue", "one", "", http.StatusOK)
	m := b.settled(1)[0]
	assert.Thatf(t, m.Kept && m.State == mailer.StateSent && m.Text != "", "%+v", m)
	if _, metrics := b.Get(b.Metrics); !strings.Contains(metrics, `onlyonce_mail_attempts_total{outcome="kept"} 1`) {
		t.Errorf("nothing about it in the metrics:\n%s", metrics)
	}
}
