package scale

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/torture"
)

type alertFault struct {
	what   string
	fires  []string
	strike func(ctx context.Context) error // lasts until ctx is done, and then repairs the fault
}

// faults returns the faults for all alerts. The last one leaves the app with a standby.
func (w *watched) faults() []alertFault {
	return []alertFault{
		{"connections to the database break", []string{
			"OnlyonceAttemptsFail", "OnlyonceUnconfirmed",
		}, w.breakConnections},
		{"the app is not running", []string{"OnlyonceDown"}, w.endApp},
		{"the database is away", []string{"OnlyonceDatabaseDown", "OnlyonceErrors"}, w.on(w.way.Isolate)},
		{"the database hangs", []string{"OnlyoncePoolExhausted"}, w.on(w.way.Pause)},
		{"a table is locked", []string{"OnlyonceAttemptsDoNotEnd"}, w.lock("customers")},
		{"the network is slow", []string{"OnlyonceSlow", "OnlyonceRequestsSlow"}, w.on(func() {
			w.way.Slow(300 * time.Millisecond)
		})},
		{"a client sends a key with other requests", []string{"OnlyonceKeysReused"}, w.reuseKeys},
		{"a client repeats without waiting", []string{"OnlyonceRepeatsWait"}, w.repeat},
		{"attempts cannot be written down", []string{"OnlyonceAttemptsDropped"}, w.lock("attempts")},
		{"results cannot be erased", []string{"OnlyonceExpiryLags"}, w.lock("likenesses")},
		{"a job of a kind that nobody knows", []string{"OnlyonceJobsDiscarded"}, w.discard},
		{"the mail server hangs", []string{"OnlyonceJobsStuck"}, w.mails(20, func(ctx context.Context) error {
			<-ctx.Done()
			return errors.New("451 4.3.2 stopped")
		})},
		{"the mail server takes no mails", []string{"OnlyonceMailsWait"}, w.mails(20, func(context.Context) error {
			return errors.New("451 4.3.2 later")
		})},
		{"a mailbox does not exist", []string{"OnlyonceMailsGivenUp"}, w.mails(1, func(context.Context) error {
			return errors.New("550 5.1.1 no such user")
		})},
		{"a standby hangs", []string{"OnlyonceReplicationLags"}, w.freezeStandby},
		{"the standby is gone", []string{"OnlyonceNoStandby"}, w.killStandby},
		{"the app is led to the standby", []string{"OnlyonceNoPrimary"}, w.leadToStandby},
	}
}

// on returns a fault of the connection to the database.
func (w *watched) on(disturb func()) func(context.Context) error {
	return func(ctx context.Context) error {
		disturb()
		defer w.way.Heal()
		<-ctx.Done()
		return nil
	}
}

// breakConnections breaks all connections again and again, each time for longer than an attempt tries to confirm its COMMIT.
func (w *watched) breakConnections(ctx context.Context) error {
	defer w.way.Heal()
	for ctx.Err() == nil {
		w.way.Isolate()
		torture.Pause(ctx, 2500*time.Millisecond)
		w.way.Heal()
		torture.Pause(ctx, time.Second)
	}
	return nil
}

func (w *watched) reuseKeys(ctx context.Context) error {
	for n := 0; ctx.Err() == nil; n++ {
		torture.Pause(ctx, 200*time.Millisecond)
		w.post(ctx, "customers", "reused", fmt.Sprintf(`{"name":"Reused %d","email":"reused@example.com"}`, n))
	}
	return nil
}

// repeat sends one create many times at once, while it cannot be carried out.
func (w *watched) repeat(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	for range 32 {
		all.Go(func() {
			for ctx.Err() == nil {
				torture.Pause(ctx, 200*time.Millisecond)
				w.post(ctx, "customers", "repeated", `{"name":"Repeated","email":"repeated@example.com"}`)
			}
		})
	}
	return w.lock("customers")(ctx)
}

// lock returns a fault that locks a table against writes.
func (w *watched) lock(table string) func(context.Context) error {
	return w.as(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `BEGIN; LOCK TABLE `+table+` IN SHARE MODE`)
		return err // closing the connection unlocks it
	})
}

// as returns a fault that runs begin as the superuser, and closes the connection when ctx is done.
func (w *watched) as(begin func(context.Context, *pgx.Conn) error) func(context.Context) error {
	return func(ctx context.Context) error {
		conn, err := w.admin(ctx)
		if err != nil {
			return err
		}
		defer conn.Close(context.WithoutCancel(ctx))
		if err := begin(ctx, conn); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	}
}

// discard inserts a job that is given up, and deletes it at the end.
func (w *watched) discard(ctx context.Context) error {
	return w.as(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `INSERT INTO river.river_job (kind, args, max_attempts, queue) VALUES ('unknown', '{}', 1, 'mail')`)
		<-ctx.Done()
		_, deleted := conn.Exec(context.WithoutCancel(ctx), `DELETE FROM river.river_job WHERE kind = 'unknown'`)
		return errors.Join(err, deleted)
	})(ctx)
}

// mails returns a fault that sends n invoices to a mail server with this answer.
func (w *watched) mails(n int, answer func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		w.answerMails(func(context.Context) error { return answer(ctx) })
		defer w.answerMails(func(context.Context) error { return nil })
		return w.as(func(ctx context.Context, conn *pgx.Conn) error { return w.send(ctx, conn, n) })(ctx)
	}
}

// send sends n mails about an invoice.
func (w *watched) send(ctx context.Context, conn *pgx.Conn, n int) error {
	// Mails of demo tenants are never sent.
	if _, err := conn.Exec(ctx, `UPDATE tenants SET demo = false`); err != nil {
		return fmt.Errorf("make the demo's tenants ordinary ones: %w", err)
	}
	var invoice string
	if err := conn.QueryRow(ctx, `
		SELECT i.id FROM invoices i JOIN api_tokens t USING (tenant_id)
		WHERE i.status = 'issued' AND t.token_hash = sha256('oo_demo_acme') LIMIT 1`).Scan(&invoice); err != nil {
		return fmt.Errorf("find an invoice that can be sent: %w", err)
	}
	for range n {
		to := fmt.Sprintf("to%d@example.com", time.Now().UnixNano())
		if status := w.post(ctx, "invoices/"+invoice+"/send", to, fmt.Sprintf(`{"recipient":%q}`, to)); status != http.StatusCreated {
			return fmt.Errorf("send an invoice: status %d", status)
		}
	}
	return nil
}

// freezeStandby freezes the standby while the primary writes 150 MB.
func (w *watched) freezeStandby(ctx context.Context) error {
	data := w.standby.config.DataDir
	if err := server.Freeze(ctx, data); err != nil {
		return err
	}
	err := w.as(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `SELECT pg_logical_emit_message(false, 'alerts', repeat('x', 150000000))`)
		return err
	})(ctx)
	return errors.Join(err, server.Thaw(context.WithoutCancel(ctx), data))
}

func (w *watched) killStandby(ctx context.Context) error {
	if err := w.standby.kill(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	return w.standby.run(context.WithoutCancel(ctx))
}

func (w *watched) endApp(ctx context.Context) error {
	if err := w.app.End(ctx, syscall.SIGKILL); err != nil {
		return err
	}
	<-ctx.Done()
	again, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Minute)
	defer cancel()
	return w.app.Revive(again)
}

func (w *watched) leadToStandby(ctx context.Context) error {
	if err := os.Remove(w.socket); err != nil {
		return err
	}
	if err := os.Symlink(w.standby.config.SocketDir, w.socket); err != nil {
		return err
	}
	w.way.Isolate() // ends the connections
	w.way.Heal()
	<-ctx.Done()
	return nil
}
