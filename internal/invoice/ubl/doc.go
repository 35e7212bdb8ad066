// Package ubl writes an invoice as XML: UBL 2.1 with the terms of EN 16931-1, the European standard for electronic
// invoices. It takes a flat [Invoice] whose amounts are computed and formatted, and knows nothing of HTTP, the database
// or money. The same invoice gives the same bytes.
//
// Comments name the business terms (BT) of the standard. docs/invoices.md lists the missing data.
package ubl
