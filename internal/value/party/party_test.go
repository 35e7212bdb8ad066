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
		{typed: party.Details{TaxID: "IE 6388047 U"}, wrong: "/p/tax_id"},
		{typed: party.Details{Country: "IE", TaxID: "FR40303265045"}, want: party.Details{Country: "IE", TaxID: "FR40303265045"}},
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

// TestVATNumbers checks numbers that countries or companies have published. Where a country has check digits, each number with another
// digit is refused.
func TestVATNumbers(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"ATU13585627": "ATU13585627", "BE 0428.759.497": "BE0428759497", "BE0417497106": "BE0417497106", "BG 175 074 752": "BG175074752",
		"CHE-123.456.788 MWST": "CHE123456788MWST", "CY-10259033P": "CY10259033P", "CZ25123891": "CZ25123891",
		"DE 136 695 976": "DE136695976", "de129273398": "DE129273398", "DK 13585628": "DK13585628", "EE 100 931 558": "EE100931558",
		"EL094259216": "EL094259216", "ESB58378431": "ESB58378431", "ES54362315K": "ES54362315K",
		"FI 2077474-0": "FI20774740", "FR40303265045": "FR40303265045", "FR 23 334 175 221": "FR23334175221",
		"FRK7399859412": "FRK7399859412", "GB 980 7806 84": "GB980780684", "GBGD001": "GBGD001", "HR33392005961": "HR33392005961",
		"HU-12892312": "HU12892312", "ie6388047v": "IE6388047V", "IE 6433435OA": "IE6433435OA", "IE8D79739I": "IE8D79739I",
		"IT 00743110157": "IT00743110157", "LT119511515": "LT119511515", "LT100001919017": "LT100001919017",
		"LU 150 274 42": "LU15027442", "LV4000 3521 600": "LV40003521600", "MT 1167-9112": "MT11679112",
		"NL004495445B01": "NL004495445B01", "NL 0000.99.998.B57": "NL000099998B57", "NO 995 525 828 MVA": "NO995525828MVA",
		"PL 526-025-02-74": "PL5260250274", "PL8567346215": "PL8567346215", "PT 501 964 843": "PT501964843", "RO 185 472 90": "RO18547290",
		"SE556036079301": "SE556036079301", "SI 5022 3054": "SI50223054", "SK 202 274 96 19": "SK2022749619", "XI 432525179": "XI432525179",
	} {
		number, is := party.VATNumber(typed)
		assert.Thatf(t, is && number == want && party.VATMistake(typed) == "", "%q: %q, %t", typed, number, is)
		if slices.Contains(strings.Fields("BG CH CY CZ ES GB LT LV NO RO XI"), want[:2]) || want == "FRK7399859412" {
			continue
		}
		for i, digit := range want {
			if digit < '0' || digit > '9' || i >= 12 && (want[:2] == "NL" || want[:2] == "SE") { // no part of the sum
				continue
			}
			other := want[:i] + string('0'+(digit-'0'+1)%10) + want[i+1:]
			assert.Thatf(t, party.VATMistake(other) != "", "%s is one", other)
		}
	}
	number, is := party.VATNumber("GR 094259216") // as it was saved before it was refused
	assert.Thatf(t, is && number == "EL094259216", "%q, %t", number, is)
	assert.Equal(t, party.VATMistake("gr 094259216"), "Greek VAT numbers begin with EL: EL094259216.")
	for _, with0 := range []string{"EL123456090", "PT123456720", "SI12345610"} { // in place of 10
		assert.Thatf(t, party.VATMistake(with0) == "", "%s is none", with0)
	}
	for _, c := range party.Countries() {
		if _, is := party.VATNumber(party.VATExample(c.Code)); !is {
			t.Errorf("%s: %s is no VAT number", c.Code, party.VATExample(c.Code))
		}
	}
}

// TestNoVATNumbers checks tax IDs that are no VAT numbers. Those that are meant as one are mistakes.
func TestNoVATNumbers(t *testing.T) {
	t.Parallel()
	for typed, form := range map[string]string{
		"": "", "D": "", "DE": "", "ATU": "", "St.-Nr. 93/815/08152": "", "DE 93/815/08152": "", "NIP 526-025-02-74": "",
		"EIN 12-3456789": "", "Siret 123 456 789 00012": "", "Siren 123456789": "", "HRB 12345": "", "GSTIN 22AAAAA0000A1Z5": "",
		"ITIN 912-70-1234": "", "No. 12345": "", "CHE-123": "", "FRN 123456": "", "RSSMRA85T10A562S": "", "DE HRB 12345": "",
		"DE12345678": "DE123456788", "DE1234567890": "DE123456788", "AT12345678": "ATU12345675", "NL123456789": "NL123456782B01",
		"BE 123.456.749": "BE0123456749", "gr1": "EL123456783", "XI1": "XI123456789", "GB 1234": "GB123456789", "ES A1": "ESB12345674",
		"IE6388047": "IE1234567FA", "IE6388047W": "check", "IE8D79739J": "check", "DE123456789": "check",
		"CY12345678": "CY12345678F", "SE 556036-0793": "SE123456789701", "FR12 345 678 9": "FR32123456789",
	} {
		want := ""
		switch form {
		case "":
		case "check":
			want = "The check characters of this VAT number don't fit the others. Look for a typing mistake."
		default:
			want = "VAT numbers of this country have a form such as " + form + ". Check this one for typing mistakes."
		}
		_, is := party.VATNumber(typed)
		assert.Thatf(t, !is && party.VATMistake(typed) == want, "%q: %t, %q", typed, is, party.VATMistake(typed))
	}
}
