package customer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/email"
	"onlyonce/internal/value/party"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestOneMailboxFromEverywhere checks that one email and name is one customer, regardless of intents, case and order. With another name,
// the command is a question, or creates another customer if SameEmail is set.
func TestOneMailboxFromEverywhere(t *testing.T) {
	const crowd = 60
	for name, c := range map[string]struct {
		names                    int
		meant                    bool
		created, reused, differs int
	}{
		"one name":            {1, false, 1, crowd - 1, 0},
		"many names":          {crowd, false, 1, 0, crowd - 1},
		"many names, meant":   {crowd, true, crowd, 0, 0},
		"some names, meant":   {4, true, 4, crowd - 4, 0},
		"one name, and meant": {1, true, 1, crowd - 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := storetest.Setup(t)
			done := make([]idempotency.Done[customer.Customer], crowd)
			errs := storetest.Together(crowd, func(i int) (err error) {
				d := customer.Draft{Email: "ada@example.com", Name: fmt.Sprint("Ada ", i%c.names), SameEmail: c.meant}
				if i%2 == 0 {
					d.Email = "ADA@EXAMPLE.COM"
				}
				if i%3 == 0 {
					d.Name = strings.ToUpper(d.Name)
				}
				done[i], err = customer.Upsert.Do(context.Background(), b.Store, b.Intent(fmt.Sprint("key-", i)), d)
				return err
			})
			created, reused, differs := 0, 0, 0
			for i, err := range errs {
				refused, ok := errors.AsType[*conflict.Error](err)
				switch {
				case ok && refused.Kind == &customer.Differs:
					differs++
				case err != nil:
					t.Fatal(err)
				case done[i].Outcome == idempotency.Created:
					created++
				default:
					reused++
				}
			}
			assert.Thatf(t, created == c.created && reused == c.reused && differs == c.differs,
				"%d created, %d reused, %d differ", created, reused, differs)
			assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM customers`), c.created, "rows")
		})
	}
}

// TestWhoIsMeant checks that a customer with the same email and name is reused, unless it is archived or has another tax ID. With only
// the same email, the command is a question about all customers with it.
func TestWhoIsMeant(t *testing.T) {
	b := storetest.Setup(t)
	do := func(key string, in customer.Input) (idempotency.Done[customer.Customer], error) {
		d, err := in.Draft()
		must.OK(t, err)
		return customer.Upsert.Do(t.Context(), b.Store, b.Intent(key), d)
	}
	of := func(address, name, taxID string) customer.Input {
		return customer.Input{Email: address, Name: name, Texts: customer.Texts{Details: party.Details{TaxID: taxID}}}
	}
	for _, in := range []customer.Input{
		of("alpha@example.com", "Alpha Ltd", "NIP 123"), of("gone@example.com", "Gone Ltd", ""),
		of("many@example.com", "One", ""), of("many@example.com", "Two", ""), of("many@example.com", "Three", ""),
		of("many@example.com", "Four", ""), of("many@example.com", "Five", ""), of("many@example.com", "Six", ""),
	} {
		in.SameEmail = true
		b.OK(do(in.Name, in))
	}
	b.Exec(`UPDATE customers SET archived_at = now() WHERE name IN ('Gone Ltd', 'Two')`)
	for _, c := range []struct {
		in        customer.Input
		want      string // the outcome, or the question
		differing string
		buttons   int
	}{
		{of("ALPHA@example.com", "ALPHA LTD", ""), "reused", "", 0},
		{of("alpha@example.com", "Alpha Ltd", "nip-123"), "reused", "", 0},
		{
			of("alpha@example.com", "Alpha Ltd", "NIP 124"),
			"Alpha Ltd (alpha@example.com) has the tax ID NIP 123, and you entered NIP 124.", "tax_id", 0,
		},
		{
			of("gone@example.com", "Gone Ltd", "NIP 1"),
			"Gone Ltd (gone@example.com) has no tax ID, and you entered NIP 1.", "tax_id archived_at", 0,
		},
		{of("gone@example.com", "Gone Ltd", ""), "Gone Ltd (gone@example.com) is archived.", "archived_at", 0},
		{of("gone@example.com", "Gamma Ltd", ""), "gone@example.com belongs to Gone Ltd (archived).", "name archived_at", 1},
		{of("alpha@example.com", "Gamma Ltd", "NIP 9"), "alpha@example.com belongs to Alpha Ltd.", "name tax_id", 1},
		{of("alpha@example.com", "Gamma Ltd", "NIP123"), "alpha@example.com belongs to Alpha Ltd.", "name", 1},
		{of("many@example.com", "Gamma", ""), "many@example.com belongs to One, Two (archived), Three, Four, Five and others.", "name", 1},
		{of("", "Alpha Ltd", ""), "created", "", 0},
		{of("", "Alpha Ltd", ""), "created", "", 0},
	} {
		done, err := do(uuid.NewString(), c.in)
		got, differing, buttons := string(done.Outcome), "", 0
		if asked, ok := errors.AsType[*conflict.Error](err); ok {
			got, differing, buttons = asked.Title, strings.Join(asked.Differing, " "), len(asked.Buttons)
		} else if err != nil {
			t.Error(err)
		}
		assert.Thatf(t, got == c.want && differing == c.differing && buttons == c.buttons,
			"%s, %s: %s [%s], %d buttons", c.in.Email, c.in.Name, got, differing, buttons)
	}
	in := of("alpha@example.com", "Gamma Ltd", "")
	in.SameEmail = true
	if done, err := do("meant", in); err != nil || done.Outcome != idempotency.Created {
		t.Error(done.Outcome, err)
	}
	in.SameEmail = false // the fingerprint leaves it out
	if done, err := do("meant", in); err != nil || !done.Replayed {
		t.Error(done.Outcome, err)
	}
	in.SameEmailAs = "other@example.com"
	if d, err := in.Draft(); err != nil || d.SameEmail {
		t.Error("an answer about another email counts")
	}
}

// TestEmailOfAnother checks that an edit to an email that a different customer has is a question, or is refused if the names are the same
// too. A customer without an email can get one.
func TestEmailOfAnother(t *testing.T) {
	b := storetest.Setup(t)
	made := func(address, name string) customer.Customer {
		d := customer.Draft{Email: email.Address(address), Name: name}
		done, err := customer.Upsert.Do(t.Context(), b.Store, b.Intent(name+address), d)
		must.OK(t, err)
		return done.Value
	}
	made("alpha@example.com", "Alpha Ltd")
	gamma := made("", "Gamma Ltd")
	edit := func(address, name string, meant bool) (customer.Customer, error) {
		d := customer.Draft{Email: email.Address(address), Name: name, SameEmail: meant}
		done, err := customer.Edit.Do(t.Context(), b.Store, b.Of(uuid.NewString(), gamma.ID, gamma.Version), d)
		return done.Value, err
	}
	if _, err := edit("alpha@example.com", "Gamma Ltd", false); !storetest.IsConflict(err, &customer.Differs) {
		t.Error(err)
	}
	for _, meant := range []bool{false, true} {
		_, err := edit("Alpha@example.com", "ALPHA Ltd", meant)
		assert.Thatf(t, storetest.IsConflict(err, &customer.EmailTaken), "%v", err)
	}
	var err error
	if gamma, err = edit("alpha@example.com", "Gamma Ltd", true); err != nil || gamma.Email != "alpha@example.com" {
		t.Error(err)
	}
	if gamma, err = edit("alpha@example.com", "Gamma and Co", false); err != nil {
		t.Error("a name is changed, and the email is asked about:", err)
	}
	if gamma, err = edit("", "Gamma Ltd", false); err != nil || gamma.Email != "" {
		t.Error(err)
	}
}
