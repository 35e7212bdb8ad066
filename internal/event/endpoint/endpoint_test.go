package endpoint_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/event/endpoint"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
	"onlyonce/internal/value/secretkey"
)

// TestFewEndpoints adds endpoints at once. Five are on, and another one can follow one that is off.
func TestFewEndpoints(t *testing.T) {
	b := storetest.Setup(t)
	add := func(i int) error {
		_, err := endpoint.Add.Do(t.Context(), b.Store, b.Intent(fmt.Sprint("add ", i)),
			endpoint.Draft{Address: fmt.Sprintf("https://shop%d.example/", i)})
		return err
	}
	assert.Equal(t, b.Succeeded(storetest.Together(20, add), &endpoint.Few), 5, "endpoints")
	one := storetest.Value[uuid.UUID](b, `SELECT id FROM endpoints WHERE slot = 3`)
	_, err := endpoint.Disable.Do(t.Context(), b.Store, b.Of("off", one, 0), struct{}{})
	must.OK(t, err)
	must.OK(t, add(20))
	_, err = endpoint.Enable.Do(t.Context(), b.Store, b.Of("on", one, 0), struct{}{})
	assert.Thatf(t, storetest.IsConflict(err, &endpoint.Few), "%v", err)
}

// TestDraft checks addresses and operations beyond the cases of the form.
func TestDraft(t *testing.T) {
	t.Parallel()
	public := endpoint.Server{HasKey: true, Known: []string{"customer.upsert", "invoice.issue"}}
	private := endpoint.Server{HasKey: true, Private: true}
	for _, c := range []struct {
		in     endpoint.Input
		server endpoint.Server
		want   endpoint.Draft // zero if the input is refused
	}{
		{
			endpoint.Input{Address: " https://shop.example:8443/a?b=c "}, public,
			endpoint.Draft{Address: "https://shop.example:8443/a?b=c"},
		},
		{
			endpoint.Input{Address: "https://shop.example", Operations: " invoice.  customer. invoice."}, public,
			endpoint.Draft{Address: "https://shop.example", Operations: "customer. invoice."},
		},
		{endpoint.Input{Address: "http://10.0.0.1/"}, private, endpoint.Draft{Address: "http://10.0.0.1/"}},
		{endpoint.Input{Address: "http://10.0.0.1/"}, public, endpoint.Draft{}},
		{endpoint.Input{Address: "https://shop.example"}, endpoint.Server{}, endpoint.Draft{}},
		{endpoint.Input{Address: "https://ada:secret@shop.example"}, public, endpoint.Draft{}},
		{endpoint.Input{Address: "https://shop.example/#a"}, public, endpoint.Draft{}},
		{endpoint.Input{Address: "https:///hooks"}, public, endpoint.Draft{}},
		{endpoint.Input{Address: "https://shöp.example"}, public, endpoint.Draft{}},
		{endpoint.Input{Address: "ftp://shop.example"}, private, endpoint.Draft{}},
		{endpoint.Input{Address: "https://shop.example", Operations: "customer. refund."}, public, endpoint.Draft{}},
	} {
		got, err := c.in.Draft(c.server)
		assert.Thatf(t, (err != nil) == (c.want == endpoint.Draft{}) && (err != nil || got == c.want), "%+v: %+v, %v", c.in, got, err)
	}
}

// TestSecret checks that each endpoint has its own secret, of 32 bytes.
func TestSecret(t *testing.T) {
	t.Parallel()
	key, err := secretkey.Parse("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
	must.OK(t, err)
	one, two := uuid.New(), uuid.New()
	secret := endpoint.Secret(key, one, two)
	assert.Thatf(t, len(secret) == len("whsec_")+44 && secret == endpoint.Secret(key, one, two) &&
		secret != endpoint.Secret(key, two, one) && secret != endpoint.Secret(key, one, one), "%d characters", len(secret))
}
