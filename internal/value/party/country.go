package party

import (
	"slices"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// countries lists the codes of ISO 3166-1 alpha-2. The library also has former countries, and parts of countries.
const countries = `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
	CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE
	GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP
	KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF
	NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN
	SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA
	ZM ZW`

// Country is a country's code, such as "IE", and its English name.
type Country struct{ Code, Name string }

// renamed has the names of the countries for which the library has a former name.
var renamed = map[string]string{"MK": "North Macedonia", "SZ": "Eswatini", "TR": "Türkiye", "CV": "Cabo Verde"}

// Countries returns all countries sorted by name as in an index: Åland Islands is under A.
func Countries() []Country {
	var all []Country
	for code := range strings.FieldsSeq(countries) {
		all = append(all, Country{code, CountryName(code)})
	}
	order := collate.New(language.English)
	slices.SortFunc(all, func(a, b Country) int { return order.CompareString(a.Name, b.Name) })
	return all
}

// IsCountry reports whether a text is the code of a country.
func IsCountry(code string) bool { return slices.Contains(strings.Fields(countries), code) }

// euCountries lists the members of the European Union.
const euCountries = `AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK`

// InEU reports whether a country, by its code, is a member of the European Union.
func InEU(code string) bool { return slices.Contains(strings.Fields(euCountries), code) }

// CountryName returns the English name of the country with a code. Any other text is returned unchanged.
func CountryName(code string) string {
	if !IsCountry(code) {
		return code
	}
	if name := renamed[code]; name != "" {
		return name
	}
	region, err := language.ParseRegion(code)
	if err != nil { // the library has dropped it
		return code
	}
	return display.English.Regions().Name(region)
}
