package customer_test

import (
	"errors"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/value/party"
)

func TestDraft(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("l", 64)
	for _, c := range []struct {
		email, name string
		want        customer.Draft // for a valid input
		wrong       string         // the pointers of the errors, in order
	}{
		{"ada@example.com", "Ada Lovelace", customer.Draft{Email: "ada@example.com", Name: "Ada Lovelace"}, ""},
		{"  Ada@Example.com\t", " Ada \n Lovelace ", customer.Draft{Email: "Ada@Example.com", Name: "Ada Lovelace"}, ""},
		{"\u202aada@exa\u00admple.com\u200b", "\ufeffAda\u200e", customer.Draft{Email: "ada@example.com", Name: "Ada"}, ""},
		{"ada+bills@sub.example.co.uk", "a", customer.Draft{Email: "ada+bills@sub.example.co.uk", Name: "a"}, ""},
		{"j@exmple.de", "Jürgen Groß & Söhne", customer.Draft{Email: "j@exmple.de", Name: "Jürgen Groß & Söhne"}, ""},
		{"a@b.c", strings.Repeat("é", party.MaxName), customer.Draft{Email: "a@b.c", Name: strings.Repeat("é", party.MaxName)}, ""},
		{" ", "Ada", customer.Draft{Name: "Ada"}, ""},
		{"", "", customer.Draft{}, "/name"},
		{" ", "\t", customer.Draft{}, "/name"},
		{"ada", "Ada", customer.Draft{}, "/email"},
		{"@example.com", "Ada", customer.Draft{}, "/email"},
		{"ada@", "Ada", customer.Draft{}, "/email"},
		{"ada@example.com, bob@example.com", "Ada", customer.Draft{}, "/email"},
		{"Ada <ada@example.com>", "Ada", customer.Draft{}, "/email"},
		{"<ada@example.com>", "Ada", customer.Draft{}, "/email"},
		{"ada@example.com (home)", "Ada", customer.Draft{}, "/email"},
		{"ada@exam ple.com", "Ada", customer.Draft{}, "/email"},
		{"ada@example.com\nBcc: x@y.z", "Ada", customer.Draft{}, "/email"},
		{"ada\x00@example.com", "Ada", customer.Draft{}, "/email"},
		{"ada@\u202dexample.com", "Ada", customer.Draft{}, "/email"},
		{"\uff41da@example.com", "Ada", customer.Draft{}, "/email"},
		{"\u0430da@example.com", "Ada", customer.Draft{}, "/email"},
		{"jürgen@example.de", "Ada", customer.Draft{}, "/email"},
		{"ada@exämple.de", "Ada", customer.Draft{}, "/email"},
		{`"a b"@example.com`, "Ada", customer.Draft{}, "/email"},
		{"ada@exam\tple.com", "Ada", customer.Draft{}, "/email"},
		{long + "@" + strings.Repeat("d.", 95) + "com", "Ada", customer.Draft{}, "/email"},
		{"ada@example.com", strings.Repeat("é", party.MaxName+1), customer.Draft{}, "/name"},
		{"ada@example.com", "A\x00da", customer.Draft{}, "/name"},
		{"ada@example.com", "\x1b[31mAda\a", customer.Draft{}, "/name"},
		{"ada@example.com", "A\u202eda", customer.Draft{}, "/name"},
		{"ada@example.com", "A\xffda", customer.Draft{}, "/name"},
	} {
		var problems invalid.Error
		got := customer.Input{Email: c.email, Name: c.name}.DraftIn("/customer", &problems)
		var wrong []string
		for _, f := range problems.Fields {
			wrong = append(wrong, strings.TrimPrefix(f.Pointer, "/customer"))
			assert.Thatf(t, f.Message != "", "%q %q: no message", c.email, c.name)
		}
		assert.Thatf(t, strings.Join(wrong, " ") == c.wrong, "%q %q: wrong is %v, want %q", c.email, c.name, wrong, c.wrong)
		assert.Thatf(t, c.wrong != "" || got == c.want, "%q %q: got %+v", c.email, c.name, got)
	}
}

func TestInternationalDomainIsSpelledOut(t *testing.T) {
	t.Parallel()
	var problems invalid.Error
	customer.Input{Email: "ada@exämple.de", Name: "Ada"}.DraftIn("", &problems)
	assert.Equal(t, problems.Fields[0].Message, "Write the domain in ASCII: ada@xn--exmple-cua.de.")
}

func TestCapitalsOfAnEmailMakeNoOtherCommand(t *testing.T) {
	t.Parallel()
	small, err1 := idempotency.FingerprintOf(customer.Draft{Email: "ada@example.com", Name: "Ada"})
	large, err2 := idempotency.FingerprintOf(customer.Draft{Email: "ADA@Example.com", Name: "Ada"})
	other, err3 := idempotency.FingerprintOf(customer.Draft{Email: "ada@example.com", Name: "ada"})
	err := errors.Join(err1, err2, err3)
	assert.Thatf(t, err == nil && small == large && small != other, "%x, %x, %x, %v", small, large, other, err)
}
