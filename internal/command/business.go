package command

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/people/account"
	"onlyonce/internal/people/business"
	"onlyonce/internal/postgres/server"
)

type tenantExport struct {
	Tenant string `arg:"" help:"Name or id of the tenant."`
	File   string `arg:"" help:"The ZIP file to write. It must not exist." placeholder:"FILE"`
}

// exportTimeout bounds an export.
const exportTimeout = 6 * time.Hour

// Run writes a tenant to a new file, or removes it.
func (c tenantExport) Run(ctx context.Context, t *terminal) error {
	return t.withPoolFor(ctx, exportTimeout, func(ctx context.Context, pool *pgxpool.Pool) error {
		tenant, err := findAnyTenant(ctx, pool, c.Tenant)
		if err != nil {
			return err
		}
		file, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("write the file: %w", err)
		}
		m, err := business.Export(ctx, pool, file, tenant, t.site.Copies())
		if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
			return errors.Join(err, os.Remove(c.File))
		}
		return t.print(m, fmt.Sprintf("Tenant %q was exported to %s, as of %s.", tenant.Name, c.File, m.At.Format(time.RFC3339)))
	})
}

type tenantImport struct {
	File string `arg:"" help:"A file that tenant export, or the page of the settings, has written." placeholder:"FILE"`
	Name string `help:"Name of the new tenant; first: that in the file." placeholder:"NAME"`
}

// Run makes a tenant from a file.
func (c tenantImport) Run(ctx context.Context, t *terminal) error {
	file, err := zip.OpenReader(c.File)
	if err != nil {
		return fmt.Errorf("read the file: %w", err)
	}
	defer file.Close()
	return t.withURL(ctx, func(url string) error {
		if url, err = t.adminURL(url); err != nil {
			return err
		}
		conn, err := server.Connect(ctx, url)
		if err != nil {
			return fmt.Errorf("reach the database: %w", err)
		}
		defer conn.Close(context.WithoutCancel(ctx))
		tenant, err := business.Import(ctx, conn, &file.Reader, c.Name, t.site.Copies())
		if err != nil {
			return err
		}
		t.say(fmt.Sprintf("add its owner: user create EMAIL --tenant %s", tenant.ID))
		return t.print(struct {
			account.Tenant

			Outcome string `json:"outcome"`
		}{tenant, "created"}, fmt.Sprintf("Tenant %q was imported: %s", tenant.Name, tenant.ID))
	})
}

// adminURL returns the address of the app's database as a role that may leave out triggers: ADMIN_URL, or the superuser of the embedded
// database, or else the app's role, which may have this right.
func (t *terminal) adminURL(app string) (string, error) {
	if admin := t.getenv("ADMIN_URL"); admin != "" || t.getenv("DATABASE_URL") != "" {
		return cmp.Or(admin, app), nil
	}
	embedded, err := url.Parse(app)
	if err != nil {
		return "", fmt.Errorf("address of the embedded database: %w", err)
	}
	embedded.User = url.User(server.Superuser)
	return embedded.String(), nil
}
