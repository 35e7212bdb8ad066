// Package mailertest has a mail server for tests.
package mailertest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	netmail "net/mail"
	"slices"
	"sync"
	"testing"

	"github.com/mhale/smtpd"

	"onlyonce/internal/must"
)

// Sink is a mail server that keeps accepted messages.
type Sink struct {
	URL string // for SMTP_URL

	mu      sync.Mutex
	offered int
	taken   []*netmail.Message
}

// Start starts a mail server. For each message it calls answer with the number of earlier messages; answer returns nil to accept the
// message, or the line to refuse it with. rcpt reports whether a mailbox exists; nil accepts every one.
func Start(t *testing.T, answer func(before int) error, rcpt func(to string) bool) *Sink {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must.OK(t, err)
	s := &Sink{URL: "smtp://" + listener.Addr().String() + "?tls=off"}
	// The library would write the default of MaxRecipients itself, which is a race between sessions.
	server := &smtpd.Server{Appname: "sink", Hostname: "sink.example.com", DisableReverseDNS: true, MaxRecipients: 100}
	server.Handler = func(_ net.Addr, _ string, _ []string, data []byte) error {
		message, err := netmail.ReadMessage(bytes.NewReader(data))
		if err != nil {
			return fmt.Errorf("read the message: %w", err)
		}
		s.mu.Lock()
		before := s.offered
		s.offered++
		s.mu.Unlock()
		if answer != nil {
			if err := answer(before); err != nil {
				return err
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.taken = append(s.taken, message)
		return nil
	}
	if rcpt != nil {
		server.HandlerRcpt = func(_ net.Addr, _, to string) bool { return rcpt(to) }
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		done, cancel := context.WithCancel(context.Background())
		cancel() // closes at once, without waiting for clients
		_ = server.Shutdown(done)
		_ = listener.Close()
		<-served
	})
	return s
}

// Messages returns the accepted messages.
func (s *Sink) Messages() []*netmail.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.taken)
}
