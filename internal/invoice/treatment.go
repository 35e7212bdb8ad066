package invoice

import "github.com/shopspring/decimal"

// Treatment is how a line is taxed, as in EN 16931 (BT-151). A stored line has "" for [Standard] and [Zero]: its rate decides.
type Treatment string

// The treatments of a line. All but Standard have a rate of 0.
const (
	Standard       Treatment = "standard"
	Zero           Treatment = "zero"
	Exempt         Treatment = "exempt"          // for the reason that the invoice has
	ReverseCharge  Treatment = "reverse_charge"  // the customer accounts for the tax
	IntraCommunity Treatment = "intra_community" // goods to a business in another country of the EU
	Export         Treatment = "export"          // out of the EU
	OutsideScope   Treatment = "outside_scope"   // not subject to tax; all lines of the invoice are
)

// Untaxed returns the treatments that a stored line has, in the order of a form.
func Untaxed() []Treatment {
	return []Treatment{Exempt, ReverseCharge, IntraCommunity, Export, OutsideScope}
}

// At returns the treatment of a line with a rate.
func (t Treatment) At(rate decimal.Decimal) Treatment {
	switch {
	case t != "":
		return t
	case rate.IsPositive():
		return Standard
	default:
		return Zero
	}
}

// Terms are the names of a treatment.
type Terms struct {
	Category string // UNTDID 5305: "AE"
	Name     string // in a table: "Reverse charge"
	Reason   string // why there is no tax, as a sentence; "" for Exempt, and where no reason is needed
	Code     string // of that reason, in the list VATEX of EN 16931: "VATEX-EU-AE"
}

// Terms returns the names of a treatment, or zero if it is none.
func (t Treatment) Terms() Terms {
	switch t {
	case Standard:
		return Terms{Category: "S", Name: "Standard"}
	case Zero:
		return Terms{Category: "Z", Name: "Zero rate"}
	case Exempt:
		return Terms{Category: "E", Name: "Exempt"}
	case ReverseCharge:
		return Terms{"AE", "Reverse charge", "Reverse charge: the customer accounts for the tax.", "VATEX-EU-AE"}
	case IntraCommunity:
		return Terms{"K", "EU supply", "Intra-community supply: exempt from tax.", "VATEX-EU-IC"}
	case Export:
		return Terms{"G", "Export", "Export outside the EU: exempt from tax.", "VATEX-EU-G"}
	case OutsideScope:
		return Terms{"O", "Out of scope", "Not subject to tax.", "VATEX-EU-O"}
	default:
		return Terms{}
	}
}

// ReasonText returns why there is no tax, as a sentence, or "". exemption is the reason that the invoice has.
func (t Treatment) ReasonText(exemption string) string {
	if t == Exempt {
		return "Exempt: " + exemption
	}
	return t.Terms().Reason
}

// TaxText returns the rate of a line in a table: "23%", or the name of its treatment if that has no tax.
func (t Treatment) TaxText(rate decimal.Decimal) string {
	if t != "" {
		return t.Terms().Name
	}
	return rate.String() + "%"
}

// GroupText returns the label of a tax total: "Tax 23%", or the name of the treatment.
func (t Treatment) GroupText(rate decimal.Decimal) string {
	if t != "" {
		return t.Terms().Name
	}
	return "Tax " + rate.String() + "%"
}
