package ubl

import "encoding/xml"

// These types have the names and the order of the UBL 2.1 schemas. Those of invoices and credit notes differ in a few names.

type invoiceXML struct {
	XMLName xml.Name
	Xmlns   string `xml:"xmlns,attr"`
	Cac     string `xml:"xmlns:cac,attr"`
	Cbc     string `xml:"xmlns:cbc,attr"`

	CustomizationID      string           `xml:"cbc:CustomizationID"`
	ID                   string           `xml:"cbc:ID"`
	IssueDate            string           `xml:"cbc:IssueDate"`
	DueDate              string           `xml:"cbc:DueDate,omitempty"`
	InvoiceTypeCode      string           `xml:"cbc:InvoiceTypeCode,omitempty"`
	CreditNoteTypeCode   string           `xml:"cbc:CreditNoteTypeCode,omitempty"`
	Note                 string           `xml:"cbc:Note,omitempty"`
	DocumentCurrencyCode string           `xml:"cbc:DocumentCurrencyCode"`
	BuyerReference       string           `xml:"cbc:BuyerReference,omitempty"`
	Period               *periodXML       `xml:"cac:InvoicePeriod"`
	Corrected            *documentXML     `xml:"cac:BillingReference>cac:InvoiceDocumentReference"`
	Supplier             partyXML         `xml:"cac:AccountingSupplierParty>cac:Party"`
	Customer             partyXML         `xml:"cac:AccountingCustomerParty>cac:Party"`
	Delivery             *deliveryXML     `xml:"cac:Delivery"`
	PaymentMeans         *paymentMeansXML `xml:"cac:PaymentMeans"`
	Terms                *termsXML        `xml:"cac:PaymentTerms"`
	TaxTotal             taxTotalXML      `xml:"cac:TaxTotal"`
	Totals               totalsXML        `xml:"cac:LegalMonetaryTotal"`
	Lines                []lineXML        `xml:"cac:InvoiceLine"`
	CreditedLines        []lineXML        `xml:"cac:CreditNoteLine"`
}

type documentXML struct {
	ID        string `xml:"cbc:ID"`
	IssueDate string `xml:"cbc:IssueDate,omitempty"`
}

type termsXML struct {
	Note string `xml:"cbc:Note"`
}

type amountXML struct {
	Currency string `xml:"currencyID,attr"`
	Value    string `xml:",chardata"`
}

type quantityXML struct {
	Unit  string `xml:"unitCode,attr"`
	Value string `xml:",chardata"`
}

type partyXML struct {
	Address     *addressXML    `xml:"cac:PostalAddress"`
	TaxSchemes  []taxSchemeXML `xml:"cac:PartyTaxScheme"`
	LegalEntity legalEntityXML `xml:"cac:PartyLegalEntity"`
	Contact     *contactXML    `xml:"cac:Contact"`
}

type legalEntityXML struct {
	RegistrationName string `xml:"cbc:RegistrationName"`
	CompanyID        string `xml:"cbc:CompanyID,omitempty"`
}

type addressXML struct {
	Street     string            `xml:"cbc:StreetName,omitempty"`
	Additional string            `xml:"cbc:AdditionalStreetName,omitempty"`
	Line       *lineOfAddressXML `xml:"cac:AddressLine"`
	Country    *countryXML       `xml:"cac:Country"`
}

type lineOfAddressXML struct {
	Line string `xml:"cbc:Line"`
}

type paymentMeansXML struct {
	Code    string     `xml:"cbc:PaymentMeansCode"`
	ID      string     `xml:"cbc:PaymentID,omitempty"`
	Account accountXML `xml:"cac:PayeeFinancialAccount"`
}

type accountXML struct {
	ID     string     `xml:"cbc:ID"`
	Name   string     `xml:"cbc:Name,omitempty"`
	Branch *branchXML `xml:"cac:FinancialInstitutionBranch"`
}

type branchXML struct {
	ID string `xml:"cbc:ID"`
}

type countryXML struct {
	Code string `xml:"cbc:IdentificationCode"`
}

type periodXML struct {
	Start string `xml:"cbc:StartDate"`
	End   string `xml:"cbc:EndDate"`
}

type deliveryXML struct {
	Date    string      `xml:"cbc:ActualDeliveryDate,omitempty"`
	Address *addressXML `xml:"cac:DeliveryLocation>cac:Address"`
}

type taxSchemeXML struct {
	CompanyID string `xml:"cbc:CompanyID"`
	Scheme    string `xml:"cac:TaxScheme>cbc:ID"`
}

type contactXML struct {
	Name  string `xml:"cbc:Name,omitempty"`
	Email string `xml:"cbc:ElectronicMail,omitempty"`
}

type categoryXML struct {
	ID         string `xml:"cbc:ID"`
	Percent    string `xml:"cbc:Percent,omitempty"`
	ReasonCode string `xml:"cbc:TaxExemptionReasonCode,omitempty"`
	Reason     string `xml:"cbc:TaxExemptionReason,omitempty"`
	Scheme     string `xml:"cac:TaxScheme>cbc:ID"`
}

type taxTotalXML struct {
	TaxAmount amountXML        `xml:"cbc:TaxAmount"`
	Subtotals []taxSubtotalXML `xml:"cac:TaxSubtotal"`
}

type taxSubtotalXML struct {
	TaxableAmount amountXML   `xml:"cbc:TaxableAmount"`
	TaxAmount     amountXML   `xml:"cbc:TaxAmount"`
	Category      categoryXML `xml:"cac:TaxCategory"`
}

type totalsXML struct {
	LineExtensionAmount amountXML `xml:"cbc:LineExtensionAmount"`
	TaxExclusiveAmount  amountXML `xml:"cbc:TaxExclusiveAmount"`
	TaxInclusiveAmount  amountXML `xml:"cbc:TaxInclusiveAmount"`
	PrepaidAmount       amountXML `xml:"cbc:PrepaidAmount"`
	PayableAmount       amountXML `xml:"cbc:PayableAmount"`
}

type allowanceXML struct {
	IsCharge   bool       `xml:"cbc:ChargeIndicator"`
	Reason     string     `xml:"cbc:AllowanceChargeReason"`
	Percent    string     `xml:"cbc:MultiplierFactorNumeric,omitempty"`
	Amount     amountXML  `xml:"cbc:Amount"`
	BaseAmount *amountXML `xml:"cbc:BaseAmount"`
}

type lineXML struct {
	ID                  string        `xml:"cbc:ID"`
	Quantity            *quantityXML  `xml:"cbc:InvoicedQuantity"`
	Credited            *quantityXML  `xml:"cbc:CreditedQuantity"`
	LineExtensionAmount amountXML     `xml:"cbc:LineExtensionAmount"`
	Allowance           *allowanceXML `xml:"cac:AllowanceCharge"`
	Name                string        `xml:"cac:Item>cbc:Name"`
	Category            categoryXML   `xml:"cac:Item>cac:ClassifiedTaxCategory"`
	Price               amountXML     `xml:"cac:Price>cbc:PriceAmount"`
}
