// Package scaffold writes the code of a new resource, such as expenses, like handwritten code: its table, its domain package,
// its pages and its part of the API, and all of their tests. It is a tool of this repository, and no part of the server. The
// forker owns the written files: nothing is generated again.
//
//	make resource name=expense fields="vendor:text:alike,spent_on:date:alike,amount:money:alike,receipt:text:unique?"
//	make migration name=expenses_have_projects
//
// The operations are lists of statements, which take one round trip; with style=run they are ordinary code on a transaction,
// which is the simpler start (docs/decisions/0001-one-round-trip.md).
//
// # Fields
//
// Each field is name:type or name:type:marks, separated by commas. Names are lower case words with _ between them. The first
// required text is the label of a record; a longtext can't be. Without a label, a record is named after its first required date and the
// first record that it needs, as in "28 Nov 2026 · Meter 7", and no other record can refer to it.
//
//	text              one line, at most 200 characters
//	longtext          lines, at most 5,000 characters
//	email             an email address, at most 254 characters
//	url               the address of a page, at most 2,000 characters
//	phone             a phone number, at most 40 characters
//	integer           a whole number of at most 15 digits
//	decimal           a decimal number
//	percent           from 0 to 100, with at most three decimals
//	money             an amount in minor units with a currency
//	date              a calendar day
//	time              a time of day in hours and minutes
//	timestamp         a point in time in UTC, in seconds
//	bool              yes or no
//	choice(a|b|c)     one of some values
//	file              a PDF, PNG, JPEG or text of at most 5 MiB
//	state(a>b,a>c)    one of some values, changed by transitions only
//	lines(part:text)  lines of the record, with fields of their own
//	ref(customer)     another record, which is not archived; it is found by a search. It may be of the same resource
//
// text(50) and longtext(1000) have other limits; integer(1..100), integer(0..) and decimal(..9.5) have bounds.
//
// A default comes behind the type, as in status:text=open: a new form begins with it, and it is the default of the column. A new form
// also begins with the currency of the business.
//
// The marks are ? for an optional field, unique for a value that no two records of a tenant have in common, unique? for both,
// and alike: a record that has the same values in all of these fields as a recent one is a likely repeat. A repeated unique
// value is a conflict that names the other record; about a likely repeat people are asked. unique(vehicle,day,slot), as a field
// without a type, is for a rule over several fields.
//
// sort(day,plate), as a field without a type, writes indexes by which lists can be sorted: by fields without ? of the types text, email,
// integer and date. Texts are sorted by their bytes, A to Z like a to z.
//
// A state begins with its first value. status:state(booked>started>done,booked>cancelled) has the transitions start, finish and cancel,
// with their buttons. A value that isn't known has its verb before it, as in prepare:ready.
//
// Lines such as parts:lines(part:text,hours:decimal,price:money:?) are rows of a table of their own, which are edited in the form of the
// record. A record has at most 200 lines, or none, and a line at most 6 fields: of the types text, integer, decimal, percent, money,
// date and bool, without other marks than ?. Their amounts are in the currency of the record: that of its only amount, if it always has
// one, or else the field currency, which comes with the lines.
//
// Files come last in the form. A change without a new file keeps the saved one, unless a checkbox removes an optional one.
//
// The word external, as a field without a type, is for records of other systems: programs may send a source and an external id,
// which are unique together, and find the record by them.
//
// # Names
//
// A name of several words is written with _ between them: purchase_order. The plural is derived; plural=data overrides it.
package scaffold
