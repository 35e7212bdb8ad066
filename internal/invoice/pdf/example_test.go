package pdf_test

import (
	"time"

	"onlyonce/internal/invoice/pdf"
)

// example returns a document with all elements, in three scripts.
func example() pdf.Document {
	return pdf.Document{
		Title: "Invoice 2026-0042", Currency: "EUR", At: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
		Seller: pdf.Party{
			Name: "Żółw i Synowie Sp. z o.o.", Address: []string{"ul. Długa 1", "00-238 Warszawa"},
			TaxID: "PL5260250274", Email: "faktury@example.com",
		},
		Buyer: pdf.Party{Name: "क्षत्रिय प्राइवेट लिमिटेड", Email: "anil@example.com"},
		Facts: []pdf.Fact{{Label: "Issue date", Value: "21 Nov 2026"}, {Label: "Due date", Value: "21 Dec 2026"}},
		Head:  pdf.Line{Text: "Description", Cells: []string{"Quantity", "Unit price", "Tax", "Amount"}},
		Lines: []pdf.Line{
			{"Office design, fi ffi AVATAR", "less 5.00", []string{"2", "52.50", "23%", "100.00"}},
			{"हिन्दी में विवरण: ज्ञान, श्रीमती, द्वितीय, र्क, विद्यार्थी", "", []string{"1.5", "7.99", "6.5%", "11.99"}},
			{"Zażółć gęślą jaźń", "", []string{"1", "0.00", "0%", "0.00"}},
		},
		Totals: []pdf.Total{
			{Label: "Subtotal", Amount: "111.99"},
			{Label: "Tax 0% on 0.00", Amount: "0.00"},
			{Label: "Tax 6.5% on 11.99", Amount: "0.78"},
			{Label: "Tax 23% on 100.00", Amount: "23.00"},
			{Label: "Total", Amount: "135.77", Grand: true},
		},
		Footer: "KRS 0000123456\nZarząd: Ada Żółw",
		Notes:  pdf.Fact{Label: "Notes", Value: "Dziękujemy.\n\nProszę o przelew & <pozdrawiam>."},
	}
}
