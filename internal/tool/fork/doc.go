// Package fork makes a fork somebody's own app: [Rename] gives it a name, and [Remove] takes away what it does not
// need, in either order. Neither is part of the server. Both refuse a working tree with changes that are not committed, so
// that git shows what they did and can take it back. After an error the working tree is as it was.
//
// From the product's name, such as "Acme Ledger", and the module's path follow all other names:
//
//	Acme Ledger        titles, the banner, the documentation of the API, the README
//	acmeledger         the database and its role, settings such as acmeledger.tenant_id, cookies, metrics,
//	                   directories, npm packages, mail domains such as acmeledger.test
//	ACMELEDGER_        environment variables of tests and of the guide for clients
//	al_                what API tokens begin with: the initials, or the first two letters of the only word
//
// The short name has no separators, because no single one may stand in all of these places. The demo's password becomes
// demo-password. What errors of the database are called (OO001) stays: nobody sees it.
//
// A part is its files, and what names in other files something that those declare, or links to them: it goes from Go files by
// itself where it stands on lines of its own, and from Markdown. From the README and from docs goes too what speaks of the
// part in words of its own. Decisions, examples in comments and tests, and other formats may still name it.
//
// Without invoices an app has customers, business settings, people and tokens; lab and proof, which know only invoices,
// go with them, and so do mails about invoices. Their migrations go too: a database that has been migrated before is
// refused then, with what to do. Settings and customers keep all of their fields, terms of payment
// and bank account too: `make resource` begins amounts in the currency of the settings.
package fork
