// Package scaffold writes what a person would have written for a new resource, such as expenses: its table, its domain
// package, its pages and its part of the API, and all of their tests. It is a tool of this repository, and no part of the
// server. What it writes is the forker's from then on: nothing is ever generated anew.
//
//	make resource name=expense fields="vendor:text:alike,spent_on:date:alike,amount:money:alike,receipt:text:unique?"
//	make migration name=expenses_have_projects
//
// The operations are lists of statements, which take one round trip; with style=run they are ordinary code on a transaction, which
// is the one to begin with if in doubt (docs/decisions/0001-one-round-trip.md).
//
// # Fields
//
// Each field is name:type or name:type:marks, and commas are between them. Names are words of small letters with _ between
// them. The first text that is required and no longtext is what people call a record.
//
//	text              one line, at most 200 characters
//	longtext          lines, at most 5,000 characters
//	integer           a whole number of at most 15 digits
//	decimal           a decimal number
//	money             an amount in minor units with a currency of its own
//	date              a calendar day
//	bool              yes or no
//	choice(a|b|c)     one of some values
//	ref(customer)     another record, which is not archived; it is chosen from a list
//
// The marks are ? for a field that may be blank, unique for a value that no two records of a tenant have in common, unique? for
// both, and alike: a record that has all such fields in common with one of minutes ago looks like a repeat of it. A repeated
// unique value is a conflict that names the record that has it; about what looks like a repeat people are asked.
//
// The word external, alone among the fields, is for records that other systems have: programs may send a source and an external id,
// which come once, and find the record by them.
//
// # Names
//
// A name of several words is written with _ between them: purchase_order. The plural is found by itself; plural=data is for
// words of which it is not.
package scaffold
