package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/alexedwards/argon2id"
	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/app/apptest"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/browser"
)

// Tests mostly wait for the browser and for timeouts, so four run at once unless -parallel is set. The login is the demo's,
// unless the environment names another.
func TestMain(m *testing.M) {
	if !inChromium() {
		fmt.Fprintln(os.Stdout, "browser:", engine()) // for package scenario
	}
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	for name, demo := range map[string]string{"E2E_EMAIL": demoEmail, "E2E_PASSWORD": demoPassword, "E2E_TOKEN": demoToken} {
		if os.Getenv(name) == "" {
			if err := os.Setenv(name, demo); err != nil {
				panic(err)
			}
		}
	}
	pgtest.Main(m)
}

// withoutPageCache is the browser of nearly all tests. It keeps no pages in memory for Back and Forward, like a browser that is
// short of memory, or with extensions that forbid it. Tests are isolated by contexts, which share no cookies, storage or cache. The
// browser ends with the process.
var withoutPageCache = sync.OnceValues(func() (playwright.Browser, error) {
	launched, _, err := browser.LaunchWithoutPageCache(context.Background())
	return launched, err
})

// withPageCache is for tests that go back. It takes a process for each page.
var withPageCache = sync.OnceValues(func() (playwright.Browser, error) {
	launched, _, err := browser.Launch(context.Background())
	return launched, err
})

// demoData is the initial data of every test. The app creates it once, because that takes longer than most tests.
var demoData = pgtest.Template{Fill: func(ctx context.Context, db *pgtest.Database) error {
	if err := apptest.Fill(ctx, db); err != nil {
		return err
	}
	return hashCheaply(ctx, db)
}}

// hashCheaply replaces the password hashes of the demo's people by hashes that are fast to check, because each test logs in.
func hashCheaply(ctx context.Context, db *pgtest.Database) error {
	cheap := argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}
	hash, err := argon2id.CreateHash(demoPassword, &cheap)
	if err != nil {
		return err
	}
	_, err = db.Pool.Exec(ctx, `UPDATE users SET password_hash = $1`, hash)
	return err
}
