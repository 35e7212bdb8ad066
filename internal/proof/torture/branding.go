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
	"slices"
)

const logosPath = "/api/v1/logos"

// brand replaces the logo of a business by three others at once, each from two senders, while it is removed and an invoice is issued. One
// of the three stays, and an invoice that is issued afterwards has it.
func (t turn) brand(ctx context.Context) {
	var pictures [4][]byte
	var digests [4]string // the digest of each picture
	for i := range pictures {
		pictures[i] = picture(fmt.Sprint(t.name, i))
		sum := sha256.Sum256(pictures[i])
		digests[i] = hex.EncodeToString(sum[:])
	}
	upload := func(i int) reply {
		key := fmt.Sprint("-", i)
		file := map[string]any{"name": t.name + key, "content": pictures[i]}
		return t.twice(ctx, t.wish("logo.create", key, logosPath, map[string]any{"file": file}))
	}
	logos := [4]reply{upload(0)}
	var all []func()
	for i := range logos[1:] {
		all = append(all, func() { logos[1+i] = upload(1 + i) })
	}
	var meanwhile string
	atOnce(append(all,
		func() { t.twice(ctx, t.wish("logo.remove", "", logosPath+"/"+logos[0].ID+"/remove", nil)) },
		func() { meanwhile = t.brandedInvoice(ctx, "-meanwhile") })...)
	var now []string // digests of the logos that are in use
	for i := range logos {
		if t.read(ctx, logosPath+"/"+logos[i].ID).RemovedAt == "" {
			now = append(now, digests[i])
		}
	}
	afterwards := t.brandedInvoice(ctx, "-afterwards")
	switch {
	case ctx.Err() != nil:
	case len(now) != 1, now[0] == digests[0]:
		t.reportf("a business has one logo", "%s: of %v there are %v", t.name, digests, now)
	case afterwards != now[0], meanwhile != "" && !slices.Contains(digests[:], meanwhile):
		t.reportf("an invoice has the logo of its issue", "%s: %q, then %q, not %v", t.name, meanwhile, afterwards, now)
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
func (t turn) brandedInvoice(ctx context.Context, key string) string {
	id := t.issued(ctx, key)
	seen := t.read(ctx, invoicesPath+"/"+id)
	if seen.ok() {
		t.mu.Lock()
		t.branded[id] = seen.Seller.Logo.SHA256
		t.mu.Unlock()
	}
	return seen.Seller.Logo.SHA256
}
