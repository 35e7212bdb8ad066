package money

import (
	"maps"
	"slices"

	"onlyonce/internal/value/date"
)

// withdrawal is the end of a currency that ISO 4217 no longer lists.
type withdrawal struct {
	decimals int32
	last     string // the last day on which it was legal tender
}

// withdrawn lists the currencies that ended in 2000 or later, the first year of entries in the books.
var withdrawn = map[string]withdrawal{
	"ADP": {0, "2002-02-28"}, "AFA": {2, "2002-12-31"}, "ANG": {2, "2025-06-30"}, "ATS": {2, "2002-02-28"}, "AZM": {2, "2006-12-31"},
	"BEF": {0, "2002-02-28"}, "BGN": {2, "2026-01-31"}, "BYB": {0, "2000-12-31"}, "BYR": {0, "2016-12-31"}, "CSD": {2, "2006-10-25"},
	"CUC": {2, "2021-06-30"}, "CYP": {2, "2008-01-31"}, "DEM": {2, "2002-02-28"}, "ECS": {2, "2000-09-09"}, "EEK": {2, "2011-01-14"},
	"ESP": {0, "2002-02-28"}, "FIM": {2, "2002-02-28"}, "FRF": {2, "2002-02-17"}, "GHC": {2, "2007-12-31"}, "GRD": {0, "2002-02-28"},
	"HRK": {2, "2023-01-14"}, "IEP": {2, "2002-02-09"}, "ITL": {0, "2002-02-28"}, "LTL": {2, "2015-01-15"}, "LUF": {0, "2002-02-28"},
	"LVL": {2, "2014-01-14"}, "MGF": {0, "2004-12-31"}, "MRO": {2, "2017-12-31"}, "MTL": {2, "2008-01-31"}, "MZM": {2, "2006-12-31"},
	"NLG": {2, "2002-01-28"}, "PTE": {0, "2002-02-28"}, "ROL": {2, "2006-12-31"}, "SDD": {2, "2007-06-30"}, "SIT": {2, "2007-01-14"},
	"SKK": {2, "2009-01-16"}, "SLL": {2, "2024-03-31"}, "SRG": {2, "2003-12-31"}, "STD": {2, "2017-12-31"}, "TMM": {2, "2009-12-31"},
	"TRL": {0, "2005-12-31"}, "USS": {2, "2014-03-27"}, "VEB": {2, "2008-06-30"}, "VEF": {2, "2018-12-04"}, "YUM": {2, "2003-07-03"},
	"ZMK": {2, "2013-06-30"}, "ZWD": {2, "2008-07-31"}, "ZWL": {2, "2024-08-31"}, "ZWN": {2, "2008-07-31"}, "ZWR": {2, "2009-04-12"},
}

// Withdrawn returns the codes of the currencies that ended in 2000 or later, sorted.
func Withdrawn() []string { return slices.Sorted(maps.Keys(withdrawn)) }

// InUse returns the codes of the currencies that were in use on a day or later, sorted.
func InUse(day date.Date) []string {
	codes := Currencies()
	for code := range withdrawn {
		if !(Currency{code}).LastDay().Before(day) {
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)
	return codes
}

// LastDay returns the last day on which a currency was legal tender, or the zero Date unless it was withdrawn.
func (c Currency) LastDay() date.Date {
	last, _ := date.Parse(withdrawn[c.code].last)
	return last
}
