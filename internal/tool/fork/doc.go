// Package fork turns a fork into an app with another name and without unneeded parts: [Rename] changes the name, and [Remove]
// takes parts away, in either order. Neither is part of the server. Both refuse a working tree with uncommitted changes, so
// that git can show and undo their changes. After an error the working tree is as it was.
//
// From the product's name, such as "Acme Ledger", and the module's path follow all other names:
//
//	Acme Ledger        titles, the banner, the documentation of the API, the README
//	acmeledger         the database and its role, settings such as acmeledger.tenant_id, cookies, metrics,
//	                   directories, npm packages, mail domains such as acmeledger.test
//	ACMELEDGER_        environment variables of tests and of the guide for clients
//	al_                what API tokens begin with: the initials, or the first two letters of the only word
//
// The short name has no separators, because none is allowed in all of these places. The demo's password becomes demo-password.
// The codes of the database's errors (OO001) stay, because users don't see them.
//
// A part consists of its files and of the references to them or to their declarations. References in Go files are removed if
// they are on separate lines, and references in Markdown by paragraph. In the README and in docs, text about the part is
// removed too. Decisions, examples in comments and tests, and other formats may still name it.
//
// Without invoices an app has customers, business settings, people and tokens; lab, proof and mails about invoices depend on
// invoices and are removed too. So are their migrations: a database that was migrated before is then refused, with
// instructions. Settings and customers keep all of their fields, including terms of payment and bank account: in `make
// resource` amounts default to the currency of the settings.
package fork
