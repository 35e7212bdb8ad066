package torture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"slices"

	"github.com/jackc/pgx/v5"
)

const logosPath = "/api/v1/logos"

// brand replaces the logo of a business by three others at once, each from two senders, while it is removed and an invoice is issued. One
// of the three stays, and an invoice that is issued afterwards has it.
func (p *programs) brand(ctx context.Context, tenant, n int) {
	name := p.named("brand", n)
	var pictures [4][]byte
	var digests [4]string // the digest of each picture
	for i := range pictures {
		pictures[i] = picture(fmt.Sprint(name, i))
		sum := sha256.Sum256(pictures[i])
		digests[i] = hex.EncodeToString(sum[:])
	}
	upload := func(i int) reply {
		key := fmt.Sprint(name, "-", i)
		return p.twice(ctx, wish{
			tenant: tenant, operation: "logo.create", key: key, path: logosPath,
			body: map[string]any{"file": map[string]any{"name": key, "content": pictures[i]}},
		})
	}
	logos := [4]reply{upload(0)}
	var all []func()
	for i := range logos[1:] {
		all = append(all, func() { logos[1+i] = upload(1 + i) })
	}
	var meanwhile string
	atOnce(append(all, func() {
		p.twice(ctx, wish{tenant: tenant, operation: "logo.remove", key: name, path: logosPath + "/" + logos[0].ID + "/remove"})
	}, func() {
		meanwhile = p.brandedInvoice(ctx, tenant, name+"-meanwhile", n)
	})...)
	var now []string // digests of the logos that are in use
	for i := range logos {
		seen := p.send(ctx, wish{tenant: tenant, method: http.MethodGet, path: logosPath + "/" + logos[i].ID}, n)
		if seen.RemovedAt == "" {
			now = append(now, digests[i])
		}
	}
	afterwards := p.brandedInvoice(ctx, tenant, name+"-afterwards", n)
	switch {
	case ctx.Err() != nil:
	case len(now) != 1, now[0] == digests[0]:
		p.reportf("a business has one logo", "%s: of %v there are %v", name, digests, now)
	case afterwards != now[0], meanwhile != "" && !slices.Contains(digests[:], meanwhile):
		p.reportf("an invoice has the logo of its issue", "%s: %q, then %q, not %v", name, meanwhile, afterwards, now)
	}
}

// picture returns a PNG file with one pixel, whose colour depends on a name.
func picture(name string) []byte {
	pixel, sum := image.NewNRGBA(image.Rect(0, 0, 1, 1)), sha256.Sum256([]byte(name))
	pixel.Set(0, 0, color.NRGBA{sum[0], sum[1], sum[2], 255})
	var content bytes.Buffer
	_ = png.Encode(&content, pixel) // memory never fails
	return content.Bytes()
}

// brandedInvoice issues an invoice, and returns the digest of its logo; "" for none.
func (p *programs) brandedInvoice(ctx context.Context, tenant int, name string, n int) string {
	id := p.issued(ctx, tenant, name, n)
	seen := p.send(ctx, wish{tenant: tenant, method: http.MethodGet, path: invoicesPath + "/" + id}, n)
	if seen.ok() {
		p.mu.Lock()
		p.branded[id] = seen.Seller.Logo.SHA256
		p.mu.Unlock()
	}
	return seen.Seller.Logo.SHA256
}

// judgeLogos checks that each issued invoice still has the logo that an answer has shown.
func (p *programs) judgeLogos(ctx context.Context, conn *pgx.Conn) error {
	stored, err := conn.Query(ctx, `SELECT id::text, COALESCE(seller->'logo'->>'sha256', '') FROM invoices WHERE issued_at IS NOT NULL`)
	if err != nil {
		return fmt.Errorf("read the logos of invoices: %w", err)
	}
	var id, digest string
	_, err = pgx.ForEachRow(stored, []any{&id, &digest}, func() error {
		if shown, known := p.branded[id]; known && shown != digest {
			p.reportf("an invoice has the logo of its issue", "invoice %s: %q, then %q", id, shown, digest)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the logos of invoices: %w", err)
	}
	return nil
}

// logoRules are about the logos of businesses.
func logoRules() []rule {
	return []rule{
		{"a business has one logo", `
			SELECT format('%s logos', count(*)) FROM logos WHERE removed_at IS NULL GROUP BY tenant_id HAVING count(*) > 1`},
		{"a logo is removed or replaced once", `
			SELECT format('logo %s: version %s, removed at %s', id, version, removed_at)
			FROM logos WHERE version <> 1 + (removed_at IS NOT NULL)::int`},
		{"every logo has its content", `
			SELECT what FROM (
				SELECT tenant_id, 'logo ' || id AS what, file_digest AS digest FROM logos
				UNION ALL
				SELECT tenant_id, 'invoice ' || id, decode(seller->'logo'->>'sha256', 'hex') FROM invoices
				WHERE seller->'logo'->>'sha256' <> ''
			) AS shown
			WHERE NOT EXISTS (
				SELECT FROM file_contents c
				WHERE (c.tenant_id, c.digest, sha256(content)) = (shown.tenant_id, shown.digest, shown.digest))`},
	}
}
