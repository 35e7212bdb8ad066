package party_test

import (
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invalid"
	"onlyonce/internal/value/party"
)

// wrong returns the pointers of the mistakes.
func wrong(problems invalid.Error) string {
	var pointers []string
	for _, f := range problems.Fields {
		pointers = append(pointers, f.Pointer)
	}
	return strings.Join(pointers, " ")
}

func TestDetails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typed, want party.Details
		wrong       string
	}{
		{},
		{
			typed: party.Details{Address: " 12 Dame Street \r\nDublin 2\n ", Country: " ie ", TaxID: "  IE 6388047V "},
			want:  party.Details{Address: "12 Dame Street \nDublin 2", Country: "IE", TaxID: "IE 6388047V"},
		},
		{typed: party.Details{Country: "XX"}, wrong: "/p/country"},
		{typed: party.Details{Country: "SU"}, wrong: "/p/country"}, // a former country
		{typed: party.Details{Country: "Ireland"}, wrong: "/p/country"},
		{typed: party.Details{Country: "IE AT"}, wrong: "/p/country"},
		{
			typed: party.Details{Address: strings.Repeat("é", party.MaxAddress)},
			want:  party.Details{Address: strings.Repeat("é", party.MaxAddress)},
		},
		{typed: party.Details{Address: strings.Repeat("é", party.MaxAddress+1)}, wrong: "/p/address"},
		{typed: party.Details{Address: "a\u202eb", TaxID: "a\x00b"}, wrong: "/p/address /p/tax_id"},
	} {
		var problems invalid.Error
		got := c.typed.Check("/p", &problems)
		assert.Thatf(t, wrong(problems) == c.wrong, "%+v: wrong is %q, want %q", c.typed, wrong(problems), c.wrong)
		assert.Thatf(t, c.wrong != "" || got == c.want, "%+v: got %+v", c.typed, got)
	}
}

func TestPaymentDays(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"": "", " ": "", "0": "0", " 30 ": "30", "030": "30", "365": "365",
		"366": "wrong", "-1": "wrong", "1.5": "wrong", "soon": "wrong", "99999999999999999999": "wrong",
	} {
		var problems invalid.Error
		got := party.PaymentDays("/days", typed, &problems)
		if wrong(problems) != "" {
			got = "wrong"
		}
		assert.Thatf(t, got == want, "%q is %q, want %q", typed, got, want)
	}
}

func TestBankAccount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typed, want party.BankAccount
		wrong       string
	}{
		{},
		{
			typed: party.BankAccount{AccountHolder: " Acme  Studio ", AccountNumber: "ie29 aibk 9311 5212 3456 78", BIC: "aibk ie2d"},
			want:  party.BankAccount{AccountHolder: "Acme Studio", AccountNumber: "IE29AIBK93115212345678", BIC: "AIBKIE2D"},
		},
		{
			typed: party.BankAccount{AccountNumber: "026009593 / 12345678", BIC: "BOFAUS3NXXX"},
			want:  party.BankAccount{AccountNumber: "026009593 / 12345678", BIC: "BOFAUS3NXXX"},
		},
		{typed: party.BankAccount{AccountNumber: "IE29 AIBK 9311 5212 3456 79"}, wrong: "/account_number"},
		{typed: party.BankAccount{AccountNumber: "IE29"}, wrong: "/account_number"},
		{typed: party.BankAccount{AccountNumber: "IE29 AIBK-9311"}, wrong: "/account_number"},
		{typed: party.BankAccount{AccountNumber: strings.Repeat("1", 61), BIC: "AIBK"}, wrong: "/account_number /bic"},
		{typed: party.BankAccount{AccountHolder: "a\u202eb", BIC: "AIBK1E2D"}, wrong: "/account_holder /bic"},
	} {
		var problems invalid.Error
		got := c.typed.Check(&problems)
		assert.Thatf(t, wrong(problems) == c.wrong, "%+v: wrong is %q, want %q", c.typed, wrong(problems), c.wrong)
		assert.Thatf(t, c.wrong != "" || got == c.want, "%+v: got %+v", c.typed, got)
	}
}

// TestIBAN checks examples from the registry of IBANs, and each with two characters swapped.
func TestIBAN(t *testing.T) {
	t.Parallel()
	for _, number := range []string{
		"NO9386011117947", "DE89370400440532013000", "PL61109010140000071219812874", "MT84MALT011000012345MTLCAST001S",
		"GB29NWBK60161331926819",
	} {
		assert.Thatf(t, party.IsIBAN(number), "%s is none", number)
		for i := range len(number) - 1 {
			exchanged := number[:i] + number[i+1:i+2] + number[i:i+1] + number[i+2:]
			assert.Thatf(t, exchanged == number || !party.IsIBAN(exchanged), "%s is one", exchanged)
		}
	}
	assert.Equal(t, party.SpacedAccount("NO9386011117947"), "NO93 8601 1117 947")
	assert.Equal(t, party.SpacedAccount("12345678"), "12345678")
}

func TestCountries(t *testing.T) {
	t.Parallel()
	all := party.Countries()
	names := func(from, to int) (names []string) {
		for _, c := range all[from:to] {
			names = append(names, c.Name)
		}
		return names
	}
	if first := names(0, 3); len(all) != 249 || !slices.Equal(first, []string{"Afghanistan", "Åland Islands", "Albania"}) {
		t.Errorf("%d countries, from %q", len(all), first)
	}
	assert.Thatf(t, slices.Contains(names(0, len(all)), "North Macedonia"), "a country goes by its former name")
	for _, c := range all {
		assert.Thatf(t, party.IsCountry(c.Code) && c.Name != "" && c.Name != c.Code && c.Name == party.CountryName(c.Code), "%+v", c)
	}
	assert.Thatf(t, party.CountryName("") == "" && party.CountryName("XX") == "XX", "what is no country has a name")
}

// TestVATNumbers checks that a VAT number must have the form of its country.
func TestVATNumbers(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"IE 6388047V": "IE6388047V", "ie6388047v": "IE6388047V", "DE 123 456 789": "DE123456789", "PL 526-025-02-74": "PL5260250274",
		"BE 0123.456.789": "BE0123456789", "CHE-123.456.789 MWST": "CHE123456789MWST", "EL123456789": "EL123456789",
		"XI123456789": "XI123456789", "NL123456789B01": "NL123456789B01", "FRAB123456789": "FRAB123456789", "GBGD001": "GBGD001",
		"ATU12345678": "ATU12345678", "NO 123 456 789 MVA": "NO123456789MVA",
		"": "", "D": "", "DE": "", "St.-Nr. 93/815/08152": "", "NIP 526-025-02-74": "", "526-025-02-74": "", "DE12345678": "",
		"DE1234567890": "", "EIN 12-3456789": "", "Siret 123 456 789 00012": "", "HRB 12345": "", "GSTIN 22AAAAA0000A1Z5": "",
		"AT12345678": "",
	} {
		number, is := party.VATNumber(typed)
		assert.Thatf(t, is == (want != "") && (!is || number == want), "%q: %q, %t, want %q", typed, number, is, want)
	}
	for _, c := range party.Countries() {
		if _, is := party.VATNumber(party.VATExample(c.Code)); !is {
			t.Errorf("%s: %s is no VAT number", c.Code, party.VATExample(c.Code))
		}
	}
}
