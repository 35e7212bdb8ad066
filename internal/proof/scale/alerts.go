package scale

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/mhale/smtpd"
	"golang.org/x/sync/errgroup"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/proxy"
	"onlyonce/internal/proof/replica"
	"onlyonce/internal/proof/torture"
)

// Alerts runs the app under load, and Prometheus with the documented rules, and checks that the fault for each alert fires it. A minute
// of the rules is shortened to three seconds.
func Alerts(ctx context.Context, out io.Writer) error {
	if err := install(ctx, out, "prometheus"); err != nil {
		return err
	}
	account, err := server.ChooseAccount("")
	if err != nil {
		return err
	}
	dir, err := account.MkdirTemp("/tmp", "onlyonce-alerts-") // the path of a socket must be short
	if err != nil {
		return err
	}
	w := &watched{dir: dir, account: account, primary: &database{}, standby: &database{}}
	err = w.start(ctx)
	if err == nil {
		err = w.breakAll(ctx, out)
	}
	if err = errors.Join(err, w.stop(context.WithoutCancel(ctx))); err != nil {
		return fmt.Errorf("%w, see %s", err, dir)
	}
	return os.RemoveAll(dir)
}

// watched is a replica of the app, the servers that it needs, and Prometheus.
type watched struct {
	dir     string
	account server.Account

	primary, standby *database
	socket           string // the path of a symbolic link to the socket of a database
	way              *proxy.Proxy
	mail             *smtpd.Server
	mailAnswer       atomic.Pointer[func(context.Context) error] // the answer to each mail
	leash            *replica.Leash
	app              replica.Replica
	prometheus       *replica.Replica
}

const prometheusAddr = ours + "41:9090"

func (w *watched) start(ctx context.Context) error {
	if err := w.startDatabases(ctx); err != nil {
		return err
	}
	mails, err := w.startMail(ctx)
	if err != nil {
		return err
	}
	if w.leash, err = replica.NewLeash(ctx); err != nil {
		return err
	}
	metrics, err := replica.FreePort(ctx)
	if err != nil {
		return err
	}
	if err := w.startApp(ctx, metrics, mails); err != nil {
		return err
	}
	return w.startPrometheus(ctx, metrics)
}

// startDatabases starts a primary, its standby, and a proxy in front of the primary.
func (w *watched) startDatabases(ctx context.Context) (err error) {
	programs, err := server.Locate(ctx, w.account, 0)
	if err != nil {
		return err
	}
	if err := w.primary.start(ctx, w.account, programs, filepath.Join(w.dir, "primary"), nil); err != nil {
		return err
	}
	conn, err := w.admin(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, `GRANT pg_monitor TO onlyonce`); err != nil {
		return err
	}
	if err := w.standby.follow(ctx, w.primary, filepath.Join(w.dir, "standby")); err != nil {
		return err
	}
	w.socket = filepath.Join(w.dir, "database")
	if err := os.Symlink(w.primary.config.SocketDir, w.socket); err != nil {
		return err
	}
	w.way, err = proxy.Listen(ctx, "unix", filepath.Join(w.socket, ".s.PGSQL.5432"))
	return err
}

func (w *watched) admin(ctx context.Context) (*pgx.Conn, error) {
	return server.Connect(ctx, w.primary.url())
}

func (w *watched) startMail(ctx context.Context) (address string, err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("start a mail server: %w", err)
	}
	w.answerMails(func(context.Context) error { return nil })
	w.mail = &smtpd.Server{
		Appname: "alerts", Hostname: "mail.example.com", DisableReverseDNS: true, MaxRecipients: 100,
		Handler: func(net.Addr, string, []string, []byte) error { return (*w.mailAnswer.Load())(ctx) },
	}
	go func() { _ = w.mail.Serve(listener) }()
	return listener.Addr().String(), nil
}

func (w *watched) answerMails(answer func(context.Context) error) { w.mailAnswer.Store(&answer) }

func (w *watched) startApp(ctx context.Context, metrics, mails string) error {
	program, err := replica.Build(ctx, w.dir, "onlyonce/cmd/server")
	if err != nil {
		return err
	}
	addr, err := replica.FreePort(ctx)
	if err != nil {
		return err
	}
	w.app = replica.Replica{
		Program: program, Addr: addr, Group: w.leash.Group, Log: filepath.Join(w.dir, "app.log"),
		Env: append(os.Environ(), "ADDR="+addr, "METRICS_ADDR="+metrics, "DEMO=1", "RATE_LIMIT=0",
			"DATABASE_URL=postgres://"+server.Role+"@"+w.way.Addr()+"/"+server.Database+"?sslmode=disable",
			"IDEMPOTENCY_WAIT=500ms", "EXPIRE_EVERY=1s", "SMTP_URL=smtp://"+mails+"?tls=off", "MAIL_FROM=invoices@example.com",
			"MAIL_TIMEOUT=1m", "MAIL_RETRY=1s"),
	}
	return w.app.Revive(ctx)
}

// startPrometheus starts Prometheus with the documented rules, with shorter times.
func (w *watched) startPrometheus(ctx context.Context, metrics string) error {
	short := []string{
		"[5m]", "[15s]", "[15m]", "[45s]", "[30m]", "[90s]", "for: 1m", "for: 3s", "for: 2m", "for: 6s", "for: 5m", "for: 15s",
		"for: 10m", "for: 30s", "> 300", "> 15", "> 3600", "> 15",
	}
	for _, name := range ruleFiles {
		text, err := document(ctx, "deploy/"+name)
		if err != nil {
			return err
		}
		text = strings.NewReplacer(short...).Replace(text)
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil { //nolint:gosec // no secret
			return err
		}
	}
	config := filepath.Join(w.dir, "prometheus.yml")
	text := fmt.Sprintf(`
global: {scrape_interval: 3s, evaluation_interval: 1s}
rule_files: [%q]
scrape_configs: [{job_name: onlyonce, static_configs: [{targets: [%q]}]}]
`, filepath.Join(w.dir, "alerts*.yaml"), metrics)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil { //nolint:gosec // no secret
		return err
	}
	data := filepath.Join(w.dir, "prometheus")
	if err := w.account.Mkdir(data); err != nil {
		return err
	}
	w.prometheus = service(w.account, w.leash.Group, filepath.Join(w.dir, "prometheus.log"), "prometheus",
		"--config.file="+config, "--storage.tsdb.path="+data, "--web.listen-address="+prometheusAddr)
	if err := w.prometheus.Start(ctx); err != nil {
		return err
	}
	return until(ctx, "Prometheus has seen the app", func(ctx context.Context) bool {
		targets, err := get(ctx, "http://"+prometheusAddr+"/api/v1/targets")
		return err == nil && strings.Contains(string(targets), `"health":"up"`)
	})
}

// ruleFiles are in docs/deploy.
var ruleFiles = []string{"alerts.yaml", "alerts-mail.yaml"}

func (w *watched) stop(ctx context.Context) error {
	errs := []error{kill(w.prometheus)}
	if w.way != nil {
		w.way.Close()
	}
	if w.mail != nil {
		_ = w.mail.Close()
	}
	if w.leash != nil {
		w.leash.Release()
	}
	return errors.Join(append(errs, w.standby.stop(ctx), w.primary.stop(ctx))...)
}

// breakAll applies each fault until its alerts fire, and prints the time. The error names alerts that did not fire, and alerts without
// a fault.
func (w *watched) breakAll(ctx context.Context, out io.Writer) error {
	loaded, stopLoad := context.WithCancel(ctx)
	var load sync.WaitGroup
	defer load.Wait()
	defer stopLoad()
	for i := range 64 {
		load.Go(func() { w.create(loaded, i) })
	}
	var fired []string
	for _, f := range w.faults() {
		if err := until(ctx, strings.Join(f.fires, ", ")+" are at rest", func(ctx context.Context) bool {
			inactive, err := alerts(ctx, "inactive")
			return err == nil && !slices.ContainsFunc(f.fires, func(name string) bool { return !slices.Contains(inactive, name) })
		}); err != nil {
			return err
		}
		began := time.Now()
		if err := w.strike(ctx, f); err != nil {
			return fmt.Errorf("%s: %w", f.what, err)
		}
		fmt.Fprintf(out, "%-45s %3.0f s  %s\n", f.what, time.Since(began).Seconds(), strings.Join(f.fires, ", "))
		fired = append(fired, f.fires...)
	}
	all, err := alerts(ctx, "")
	for _, name := range all {
		if !slices.Contains(fired, name) {
			err = errors.Join(err, fmt.Errorf("no fault is for %s", name))
		}
	}
	return err
}

// strike applies a fault until all its alerts fire.
func (w *watched) strike(ctx context.Context, f alertFault) error {
	lasting, end := context.WithCancel(ctx)
	group, lasting := errgroup.WithContext(lasting)
	group.Go(func() error { return f.strike(lasting) })
	silent := slices.Clone(f.fires) // each may stop firing before the others begin
	err := until(ctx, "all alerts have fired", func(ctx context.Context) bool {
		firing, err := alerts(ctx, "firing")
		silent = slices.DeleteFunc(silent, func(name string) bool { return slices.Contains(firing, name) })
		return err == nil && len(silent) == 0
	})
	if err != nil {
		err = fmt.Errorf("%w: %s did not", err, strings.Join(silent, ", "))
	}
	end()
	if struck := group.Wait(); !errors.Is(struck, context.Canceled) {
		err = errors.Join(err, struck)
	}
	return err
}

// alerts returns the names of the alerts in a state, or of all alerts.
func alerts(ctx context.Context, state string) (names []string, err error) {
	text, err := get(ctx, "http://"+prometheusAddr+"/api/v1/rules?type=alert")
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data struct {
			Groups []struct {
				Rules []struct {
					Name  string `json:"name"`
					State string `json:"state"`
				} `json:"rules"`
			} `json:"groups"`
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("read what Prometheus says: %w", err)
	}
	for _, group := range answer.Data.Groups {
		for _, rule := range group.Rules {
			if state == "" || rule.State == state {
				names = append(names, rule.Name)
			}
		}
	}
	if len(names) == 0 && state == "" {
		return nil, errors.New("there are no rules")
	}
	return names, nil
}

// create creates customers one by one, at most two a second.
func (w *watched) create(ctx context.Context, client int) {
	for n := 0; ctx.Err() == nil; n++ {
		torture.Pause(ctx, 400*time.Millisecond)
		name := fmt.Sprintf("client%d-%d", client, n)
		w.post(ctx, "customers", name, fmt.Sprintf(`{"name":%q,"email":"%s@example.com"}`, name, name))
	}
}

// post sends a request to the API, and returns the status of the response, or 0. It ignores failures, which the alerts must detect.
func (w *watched) post(ctx context.Context, path, key, body string) int {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	a, _ := send(ctx, http.MethodPost, "http://"+w.app.Addr+"/api/v1/"+path, body, byAcme(key))
	return a.status
}
