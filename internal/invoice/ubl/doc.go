// Package ubl writes an invoice or a credit note as XML: UBL 2.1 with the terms of EN 16931-1, the European standard for electronic
// invoices. It takes a flat [Invoice] with formatted amounts, and is independent of HTTP, the database and money. The same invoice always
// results in the same bytes.
//
// Comments have the business terms (BT) of the standard. docs/invoices.md lists the missing data.
package ubl
