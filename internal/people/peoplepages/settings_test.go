package peoplepages_test

import (
	"archive/zip"
	"io"
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/people/peoplecases"
	domain "onlyonce/internal/people/settings"
	"onlyonce/internal/site/sitetest"
)

// TestEveryTenantHasSettings from the beginning, with its name.
func TestEveryTenantHasSettings(t *testing.T) {
	b := sitetest.Setup(t)
	a := b.Program(b.Replica, b.Tenant("Initech")).Get("/api/v1/settings")
	is := sitetest.Decode[domain.Settings](b, a)
	if a.Status != http.StatusOK || is.Name != "Initech" || is.Currency.String() != "EUR" || is.PaymentDays != "30" || is.TaxRate != "" {
		t.Errorf("%v", a)
	}
	assert.Equal(t, sitetest.Get[int](b, `
		SELECT count(*) FROM tenants t LEFT JOIN settings s ON s.tenant_id = t.id WHERE s.id IS DISTINCT FROM t.id`),
		0, "tenants have no settings of their own")
}

// TestSettingsPage shows the settings, with the name of the country and the IBAN in groups.
func TestSettingsPage(t *testing.T) {
	b := sitetest.Setup(t)
	b.Program(b.Replica, b.Acme).
		Create(peoplecases.Settings(), sitetest.Key, sitetest.Change(peoplecases.Settings().Command, "address", "12 Dame Street\nDublin 2"))
	person := b.Person(b.Replica, b.Acme)
	p := b.Page(person.Get("/settings")).Says(
		"Acme Ltd", "12 Dame Street Dublin 2", "Ireland", "IE6388047V", "IE29 AIBK 9311 5212 3456 78", "23%", "30 days",
		"Legal name changed from Acme to Acme Ltd", "Country set to Ireland",
		"IBAN or account number set to IE29 AIBK 9311 5212 3456 78")
	p.LeadsTo("/settings/edit")
	form := b.Page(person.Get(person.Get("/settings/edit").Location())).Typed()
	assert.Equal(t, form.Get("address"), "12 Dame Street\nDublin 2", "the form has the address")
	sitetest.Keeps(b, b.Page(person.Get(person.Get("/settings/edit").Location())),
		sitetest.Change(peoplecases.Settings().Command, "address", "12 Dame Street\nDublin 2"))
}

// TestAllData downloads the data of a business.
func TestAllData(t *testing.T) {
	b := sitetest.Setup(t)
	a := b.Person(b.Replica, b.Acme).Get("/settings/data.zip")
	assert.Thatf(t, a.Status == http.StatusOK && a.Header.Get("Cache-Control") == "private, no-store" &&
		strings.HasPrefix(a.Header.Get("Content-Disposition"), `attachment; filename=Acme-`), "%d %v", a.Status, a.Header)
	file, err := zip.NewReader(strings.NewReader(a.Body), int64(len(a.Body)))
	must.OK(t, err)
	settings, err := file.Open("settings.csv")
	must.OK(t, err)
	text, err := io.ReadAll(settings)
	assert.Thatf(t, err == nil && strings.Contains(string(text), "\nAcme,"), "%s, %v", text, err)
}

// TestTimeZone checks that pages and forms follow a change of the time zone, for a session and a token that began before.
func TestTimeZone(t *testing.T) {
	b := sitetest.Setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	b.Page(person.Get("/account")).Says(" UTC")
	program.Create(peoplecases.Settings(), sitetest.Key, sitetest.Change(peoplecases.Settings().Command, "time_zone", "Asia/Tokyo"))
	b.Page(person.Get("/account")).Says(" JST")
	b.Page(person.Get("/settings")).Says("Asia/Tokyo", " JST", "Time zone changed from UTC to Asia/Tokyo")
}

// TestTaxIDHint checks the form's hint about a stored tax ID, also about one from before VAT numbers were checked.
func TestTaxIDHint(t *testing.T) {
	b := sitetest.Setup(t)
	for taxID, want := range map[string]string{
		"":               "Such as a VAT number with its country prefix, DE123456788.",
		"DE 123 456 788": "The VAT number is DE123456788.",
		"FR32123456789":  "The VAT number is FR32123456789. It is from another country than the one above, which is allowed.",
		"DE123456789":    "The check characters of this VAT number don't fit the others. Look for a typing mistake.",
		"DE12345678":     "VAT numbers of this country have a form such as DE123456788. Check this one for typing mistakes.",
		"St.-Nr. 93/815/08152": "This isn't a VAT number, but a registration number. " +
			"A VAT number has its country prefix, like DE123456788.",
	} {
		b.Exec(`UPDATE settings SET country = 'DE', tax_id = $1`, taxID)
		person := b.Person(b.Replica, b.Acme)
		b.Page(person.Get(person.Get("/settings/edit").Location())).Says(want)
	}
	b.Exec(`UPDATE settings SET country = 'LV', tax_id = 'LV41234567891'`)
	person := b.Person(b.Replica, b.Acme)
	b.Page(person.Get(person.Get("/settings/edit").Location())).Says("The VAT number is LV41234567891. Only its form was checked.")
}
