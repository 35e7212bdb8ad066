package duplicate

import "onlyonce/internal/record"

// Distinction says that customers who look alike are not the same, no two of them.
type Distinction struct {
	record.Header

	Customers []record.Reference `json:"customers"`
}

// Distinctions has what was said.
var Distinctions = record.Table[Distinction]{Name: "customer_distinctions", Fields: `
	'customers', ` + references("customer_ids")}

// NameApart is what people call a distinction: "Ada King, Ada Lovelace".
func NameApart(d Distinction) string { return joined(d.Customers) }
