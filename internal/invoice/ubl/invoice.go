package ubl

// Invoice is the content of the XML of an invoice, or of the credit note for one. Amounts are plain decimals, such as "1234.50", without a
// currency.
type Invoice struct {
	Number    string // BT-1
	IssueDate string // BT-2, ISO 8601
	DueDate   string // BT-9, ISO 8601; "" for a credit note or its reversal, which has Terms
	Currency  string // BT-5, ISO 4217
	Notes     string // BT-22; "" for none
	Credit    bool   // makes the document a credit note
	// Corrected is the invoice that a credit note is for, or the credit note that an invoice reverses (BG-3); zero for none.
	Corrected Reference
	Terms     string // BT-20; "" for none
	// BuyerReference is the text by which the buyer assigns the invoice: BT-10; "" for none.
	BuyerReference string
	Seller         Party  // BG-4
	Buyer          Party  // BG-7
	PeriodStart    string // BT-73, ISO 8601; "" leaves out the period
	PeriodEnd      string // BT-74, ISO 8601
	DeliveredOn    string // BT-72, ISO 8601; "" for none
	DeliveredTo    string // BT-80, ISO 3166-1 alpha-2; "" if unknown
	Account        Account
	Lines          []Line // BG-25, at least one
	Taxes          []Tax  // BG-23, one for each category and rate
	Subtotal       string // BT-106 and BT-109: the sum of the lines
	TaxTotal       string // BT-110
	Total          string // BT-112, with tax
	Paid           string // BT-113
	Open           string // BT-115: the open amount, ignoring credit notes, or the credited one
}

// Reference is an earlier document.
type Reference struct {
	Number    string // BT-25
	IssueDate string // BT-26, ISO 8601; "" if unknown
}

// Party is a business or a person. Empty fields are unknown, and left out.
type Party struct {
	Name    string   // BT-27, BT-44
	Address []string // lines: BT-35, BT-36 and BT-162, BT-50, BT-51 and BT-163; the city may be on any line
	Country string   // BT-40, BT-55: ISO 3166-1 alpha-2
	VAT     string   // BT-31, BT-48: the VAT identifier with its country prefix
	TaxID   string   // BT-32, for the seller: a tax number that is not a VAT identifier
	// Registration is a legal registration, which identifies a party without a VAT identifier: BT-30, BT-47.
	Registration string
	Contact      string // BT-41, BT-56: a person or a department
	Email        string // BT-43, BT-58
}

// Account is the bank account to pay to (BG-17). Without a number it is left out, with the means of payment (BG-16).
type Account struct {
	Number string // BT-84: an IBAN or another number
	Holder string // BT-85
	BIC    string // BT-86
	// Reference is the text of the transfer, by which the seller finds the invoice: BT-83.
	Reference string
}

// Line is a line of the invoice.
type Line struct {
	Name      string // BT-153
	Quantity  string // BT-129
	Unit      string // BT-130, UN/ECE Recommendation 20; "" for pieces
	UnitPrice string // BT-146, without tax
	Category  string // BT-151, UNTDID 5305: "S"
	TaxRate   string // BT-152, percent; "" for the category O
	Net       string // BT-131: quantity times unit price, rounded, less the discount
	Discount  string // BT-136: an allowance on the line; "" for none
	// DiscountRate is the percentage of an allowance, BT-138, and Gross the amount that it is a share of, BT-137; "" for an amount.
	DiscountRate, Gross string
}

// Tax is the tax of all lines with the same category and rate.
type Tax struct {
	Category   string // BT-118, UNTDID 5305: "S"
	Rate       string // BT-119, percent; "" for the category O
	Net        string // BT-116: the taxed amount
	Amount     string // BT-117
	Reason     string // BT-120: why there is no tax; "" for the categories S and Z
	ReasonCode string // BT-121, of the list VATEX; "" for none
}
