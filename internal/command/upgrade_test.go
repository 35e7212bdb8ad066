package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/npm"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/postgres/server"
	"onlyonce/internal/value/secretkey"
)

// TestUpgradeDatabase upgrades the oldest PostgreSQL that the app runs on, also after the command was killed.
func TestUpgradeDatabase(t *testing.T) {
	t.Parallel()
	dir := pgtest.Home(t)
	data := filepath.Join(dir, "postgres")
	bin, err := npm.Install(t.Context(), server.MinMajor)
	must.OK(t, err)
	later, err := npm.Install(t.Context(), npm.Major)
	must.OK(t, err)
	account, err := server.ChooseAccount("")
	must.OK(t, err)
	must.OK(t, account.Mkdir(data))
	must.OK(t, server.Init(t.Context(), server.Programs{Dir: bin, Major: server.MinMajor}, account, data, false, nil))
	upgrade := func() (*exec.Cmd, *bytes.Buffer) {
		var printed bytes.Buffer
		cmd := exec.Command(os.Args[0], "upgrade-database", "--json")
		cmd.Env = append(os.Environ(), asProgram+"=1", "PATH="+later+":"+os.Getenv("PATH"), "DATA_DIR="+dir, "DATABASE_URL=")
		cmd.Stdout, cmd.Stderr = &printed, t.Output()
		return cmd, &printed
	}
	upgraded := func(want string) {
		t.Helper()
		cmd, printed := upgrade()
		must.OK(t, cmd.Run())
		var result struct {
			postgres.Upgrade

			Outcome string `json:"outcome"`
		}
		must.OK(t, json.Unmarshal(printed.Bytes(), &result))
		major, err := server.MajorOf(data)
		assert.Thatf(t, err == nil && major > server.MinMajor && result.To == major && result.Outcome == want,
			"%v: %+v, %v", want, result, err)
		old, err := server.MajorOf(result.Kept)
		assert.Thatf(t, want != "upgraded" || result.From == server.MinMajor && old == server.MinMajor && err == nil,
			"kept %d: %+v, %v", old, result, err)
		if _, err := os.Stat(filepath.Join(dir, "upgrade")); !os.IsNotExist(err) {
			t.Errorf("left behind: %v", err)
		}
	}

	on := func(name string, work func(*postgres.Embedded, *bundle)) {
		t.Run(name, func(t *testing.T) {
			embedded, b := inEmbedded(t, dir)
			work(embedded, b)
		})
	}
	refused := func(want string) {
		t.Helper()
		cmd, _ := upgrade()
		var said bytes.Buffer
		cmd.Stderr = &said
		err := cmd.Run()
		assert.Thatf(t, err != nil && strings.Contains(said.String(), want), "%v: %s", err, &said)
	}

	var token, first, rows string
	var key secretkey.Key
	var kept billed
	on("in use", func(embedded *postgres.Embedded, b *bundle) {
		at, _ := b.serve("DEMO=1")
		b.want(done, "", "tenant", "create", "Acme Studio")
		token = strings.TrimSpace(b.want(done, "", "token", "create", "sync", "--tenant", "Acme Studio"))
		_, first = b.customer(at, token, "before")
		kept = b.invoice(at, token, "kept", "")
		key, err = embedded.SecretKey()
		must.OK(b, err)
		refused("in use by process")
	})
	on("with a role", func(_ *postgres.Embedded, b *bundle) {
		rows = b.contents()
		b.asAdmin("CREATE ROLE reader; ALTER ROLE reader SET work_mem = '1MB'")
	})
	refused(": the role reader of the server, the setting work_mem of reader;")
	must.OK(t, os.Mkdir(data+"-15", 0o755))
	refused("/postgres-15 is of an earlier upgrade: move it away")
	must.OK(t, os.Remove(data+"-15"))
	on("without it", func(_ *postgres.Embedded, b *bundle) { b.asAdmin("DROP ROLE reader") })

	cmd, _ := upgrade()
	must.OK(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	var socket string
	must.Until(t, "the old server runs", func() bool {
		socket = server.Running(t.Context(), data)
		return socket != ""
	})
	locked, err := server.Connect(t.Context(), server.URL(socket, server.Superuser, server.Database))
	must.OK(t, err)
	must.Exec(t, locked, "BEGIN; LOCK TABLE river.river_job")
	must.Until(t, "copying waits", func() (waits bool) {
		must.OK(t, locked.QueryRow(t.Context(),
			`SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'river.river_job'::regclass AND NOT granted)`).Scan(&waits))
		return waits
	})
	if _, err := server.TryLock(filepath.Join(dir, "visit.lock")); !errors.Is(err, server.ErrLocked) {
		t.Errorf("another command may write to the old server: %v", err)
	}
	must.OK(t, cmd.Process.Kill())
	_ = cmd.Wait()
	_ = locked.Close(t.Context())
	on("killed while it copies", func(_ *postgres.Embedded, b *bundle) {
		got := b.contents()
		assert.Thatf(b, got == rows, "after the kill\n%s\nof\n%s", got, rows)
		major, err := server.MajorOf(data)
		assert.Thatf(b, major == server.MinMajor, "%d, %v", major, err)
	})

	upgraded("upgraded")
	on("upgraded", func(embedded *postgres.Embedded, b *bundle) {
		got := b.contents()
		assert.Thatf(b, got == rows, "upgraded\n%s\nof\n%s", got, rows)
		if again, err := embedded.SecretKey(); err != nil || again != key {
			b.Errorf("another key: %v", err)
		}
		b.want(done, "", "doctor")
		at, _ := b.serve()
		if _, again := b.customer(at, token, "before"); again != first {
			b.Errorf("a repeat: %s\nwant %s", again, first)
		}
		b.goesOn(at, token, kept)
	})
	upgraded("unchanged")
	// It was killed between the exchange and the end.
	must.OK(t, os.Mkdir(filepath.Join(dir, "upgrade"), 0o755))
	must.OK(t, os.Rename(fmt.Sprintf("%s-%d", data, server.MinMajor), filepath.Join(dir, "upgrade", "postgres")))
	upgraded("upgraded")
}

// asAdmin runs statements as the superuser.
func (b *bundle) asAdmin(sql string) {
	b.Helper()
	conn, err := server.Connect(b.Context(), b.AdminURL)
	must.OK(b, err)
	defer conn.Close(context.WithoutCancel(b.Context()))
	must.Exec(b, conn, sql)
}

// contents returns the number of rows of each table, their hash, and the values of sequences.
func (b *bundle) contents() (all string) {
	b.Helper()
	conn, err := server.Connect(b.Context(), b.AdminURL)
	must.OK(b, err)
	defer conn.Close(context.WithoutCancel(b.Context()))
	rows, _ := conn.Query(b.Context(), `
		SELECT format('SELECT %L || count(*) || md5(string_agg(t::text, E''\n'' ORDER BY t::text COLLATE "C")) FROM %I.%I AS t',
			tablename || ' ', schemaname, tablename)
		FROM pg_tables WHERE schemaname IN ('public', 'river')
		UNION ALL
		SELECT format('SELECT %L || last_value FROM %I.%I', sequencename || ' ', schemaname, sequencename) FROM pg_sequences
		ORDER BY 1`)
	queries, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must.OK(b, err)
	for _, query := range queries {
		var line *string
		must.OK(b, conn.QueryRow(b.Context(), query).Scan(&line))
		if line != nil { // there are rows
			all += *line + "\n"
		}
	}
	return all
}
