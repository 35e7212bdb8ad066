package invoice

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Below describes a list of records that belong to a tenant's invoices or customers, such as payments, latest day first.
type Below struct {
	Parent Parent
	Day    string // the column that the list is sorted by
	Amount string // the column with the amount, in minor units
	Text   string // the column with the record's own number or reference
	// Provided reports whether the table, and the one of Whole, has the provider of the reference in the column provider_folded.
	Provided bool
	// Whole is the table of the records, also with the columns Text and Amount, that some records are parts of, by their column PartOf; ""
	// for none.
	Whole, PartOf string
	// Words has the table of the words of a text of the record, and its column with the record's id; the zero value for none.
	Words search.Words
	// Where is a condition on the columns of the table, which is also in the indexes of Day, Amount and Text.
	Where string
	// Sums is SQL for a JSON object with the amounts of a row r by kind. It leaves out amounts that don't count.
	Sums string
}

// Parent is the table that the records belong to, with the words by which they are found.
type Parent struct {
	table, column string
	words         search.Words
	onlyOthers    bool // whether the table has no words besides those of [search.Other]
	// currency and customer are SQL for the currency of a row r and the id of its customer.
	currency, customer string
}

// Invoices returns the parent of records with the column invoice_id.
func Invoices() Parent {
	return Parent{
		table: "invoices", column: "invoice_id", words: words,
		currency: `(SELECT i.currency FROM invoices i WHERE i.tenant_id = @tenant_id AND i.id = r.invoice_id LIMIT 1)`,
		customer: `(SELECT i.customer_id FROM invoices i WHERE i.tenant_id = @tenant_id AND i.id = r.invoice_id LIMIT 1)`,
	}
}

// Customers returns the parent of records in a table with the columns customer_id and currency. By its words, a term finds at most as many
// customers as in [Filter].
func Customers(table string) Parent {
	of := search.Words{
		Table: "customer_words", ID: "customer_id", First: "customer_id", FirstOf: "customer_id",
		Other: search.Other{Column: "customer_id", Words: "customer_words", ID: "customer_id"},
	}
	return Parent{table: table, column: "id", words: of, onlyOthers: true, currency: `r.currency`, customer: `r.customer_id`}
}

// BelowFilter selects such records. The zero value selects all.
type BelowFilter struct {
	// Search finds the records by their parents, like [Filter], by their words, by their amount, and by the beginning of their text.
	Search   string
	Customer uuid.UUID      // uuid.Nil for all
	From, To date.Date      // both included; zero for any
	Currency money.Currency // zero for all
}

// Of has the fields of the invoice in a row of a list.
type Of struct {
	InvoiceNumber string           `json:"invoice_number"`
	Customer      record.Reference `json:"customer"` // current name
}

// OfFields has the SQL for the fields of an [Of], for a table whose rows r have an invoice_id.
const OfFields = `
	'invoice_number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
	'customer', (
		SELECT json_build_object('id', c.id, 'name', c.name) FROM (
			SELECT i.tenant_id, i.customer_id FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id) AS its,
		LATERAL (SELECT id, name FROM customers c WHERE c.tenant_id = its.tenant_id AND c.id = its.customer_id LIMIT 1) AS c)`

// ListBelow returns a page, which may be short although more rows follow: see [search.Query]. It returns [record.ErrKey] for a wrong key.
func ListBelow[R any](
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, b Below, from record.Table[R], f BelowFilter, page record.Page,
) (record.List[R], error) {
	return listBelow[R](ctx, pool, tenant, b, from.Name, from.JSON(), f, page)
}

// SumBelow returns the amounts of the records that a filter selects, as sums of the kinds in [Below.Sums] by currency. If more are
// selected, or have to be read to find them, than can be summed at once, there are none, and known is false.
func SumBelow[R any](
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, b Below, from record.Table[R], f BelowFilter,
) (sums []Sum, known bool, err error) {
	shown := `json_build_object('currency', ` + b.Parent.currency + `, 'amounts', ` + b.Sums + `)`
	list, err := listBelow[summed](ctx, pool, tenant, b, from.Name, shown, f, record.Page{Limit: maxSummed})
	if list.After != (record.Key{}) {
		return nil, false, err
	}
	return addUp(list.Rows), true, err
}

// listBelow is [ListBelow] with the SQL expression for the JSON of an R, on the row r.
func listBelow[R any](
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, b Below, table, shown string, f BelowFilter, page record.Page,
) (list record.List[R], err error) {
	within := b.Where + ` AND ` + b.Day + ` >= @from::date AND ` + b.Day + ` <= @to::date`
	q := search.Query[R]{
		Table: table, Shown: shown, Range: within, Where: within,
		Order: search.Order{Columns: [2]search.Column{{Name: b.Day, Type: "date"}, {Name: "id", Type: "uuid"}}, Descending: true},
		Args:  pgx.NamedArgs{"from": "-infinity", "to": "infinity"},
	}
	if f.From != (date.Date{}) {
		q.Args["from"] = f.From.String()
	}
	if f.To != (date.Date{}) {
		q.Args["to"] = f.To.String()
		q.Start = record.Key{f.To.String(), uuid.Max.String()}
	}
	if f.Currency != (money.Currency{}) {
		q.Filtered, q.Args["currency"] = true, f.Currency.String()
		q.Where += ` AND ` + b.Parent.currency + ` = @currency`
	}
	var terms []search.Term
	switch {
	case f.Search != "":
		if terms, err = find(ctx, pool, tenant, b, &q, f.Search); err != nil {
			return list, err
		}
		if f.Customer != uuid.Nil {
			q.Args["customer"] = f.Customer
			q.Where += ` AND ` + b.Parent.customer + ` = @customer`
		}
	case f.Customer != uuid.Nil:
		var found string
		q.Source, found = q.Below(b.Parent.words, b.Parent.table, b.Parent.column, []search.Term{{Others: []uuid.UUID{f.Customer}}})
		q.Where += ` AND ` + found
	}
	list, err = q.List(ctx, pool, tenant, page)
	list.Whole = search.WholeWords(terms)
	return list, err
}

// find limits a list to the rows that match a search in one of three ways: the text of the row or its whole begins with the search,
// ignoring case, or with what follows its provider in the search, which may be nothing; the row or its whole has the amount in the search,
// and the row or its parent has the other words; or the row or its parent has all words. A number without decimals is an amount and a word.
// find returns the words.
func find[R any](
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, b Below, q *search.Query[R], text string,
) (terms []search.Term, err error) {
	fill := strings.NewReplacer("$ROWS", q.Table, "$TEXT", b.Text, "$AMOUNT", b.Amount, "$CURRENCY", b.Parent.currency,
		"$WHERE", b.Where, "$WHOLE", b.Whole, "$PART_OF", b.PartOf, "$WORDS", b.Words.Table, "$WORD_ID", b.Words.ID).Replace
	q.Args["text"] = text
	var sources, ways []string
	each := []*strings.Replacer{strings.NewReplacer("$EACH", begun, "$PROVIDED", "")}
	if b.Provided {
		q.Args["providers"], q.Args["references"] = transfers(text)
		each = append(each, strings.NewReplacer("$EACH", provided, "$PROVIDED", isProvided))
	}
	for _, of := range each {
		sources, ways = append(sources, fill(of.Replace(withText))), append(ways, fill(of.Replace(hasText)))
		if b.Whole != "" {
			sources, ways = append(sources, fill(of.Replace(withTextOfWhole))), append(ways, fill(of.Replace(hasTextOfWhole)))
		}
	}
	amount, rest := amountIn(text)
	words, matches := "", ""
	if rest != "" {
		if terms, err = b.Parent.words.Terms(ctx, pool, tenant, rest); err != nil {
			return nil, err
		}
	}
	asked := make([]string, len(terms))
	for i := range terms {
		asked[i] = terms[i].Word
		if b.Parent.onlyOthers {
			terms[i].Words = nil
		}
	}
	if len(terms) > 0 {
		words, matches = q.Below(b.Parent.words, b.Parent.table, b.Parent.column, terms)
	}
	if len(terms) > 0 && b.Words.Table != "" {
		q.Args["asked"] = asked
		words, matches = words+`) UNION ALL (`+fill(withWords), `(`+matches+` OR `+fill(hasWords)+`)`
	}
	if words != "" && amount == "" {
		sources, ways = append(sources, words), append(ways, matches)
	} else {
		q.SourceArgs = nil // only words have arguments
	}
	if amount == "" && digits.MatchString(text) {
		amount, matches = text, ""
	}
	if amount != "" {
		way := fill(hasAmount)
		if b.Whole != "" {
			sources, way = append(sources, fill(withAmountOfWhole)), `(`+way+` OR `+fill(hasAmountOfWhole)+`)`
		}
		if matches != "" {
			way += ` AND ` + matches
		}
		sources, ways = append(sources, fill(withAmount)), append(ways, way)
		q.Args["currencies"], q.Args["amounts"] = minorUnits(amount)
	}
	q.Source, q.Filtered = `(`+strings.Join(sources, `) UNION ALL (`)+`)`, true
	q.Where += ` AND (` + strings.Join(ways, ` OR `) + `)`
	return terms, nil
}

// transfers splits a search at each space into a provider and the beginning of a reference, as typed, in upper and in lower case. The first
// provider is the whole search, with any reference.
func transfers(text string) (providers, references []string) {
	providers, references = []string{text}, []string{""}
	for i, r := range text {
		if provider, reference := text[:i], text[i+1:]; r == ' ' {
			providers = append(providers, provider, provider, provider)
			references = append(references, reference, strings.ToUpper(reference), strings.ToLower(reference))
		}
	}
	return providers, references
}

// The rows whose text begins with a search, those with an amount, and those with all words: a SELECT of the ids of each, and a condition
// on a row r. Estimates of a range are small, so PostgreSQL uses the index even if most rows have the same amount.
const (
	begun      = `FROM unnest(ARRAY[@text::text, upper(@text), lower(@text)]) AS each (text)`
	provided   = `FROM unnest(@providers::text[], @references::text[]) AS each (provider, text)`
	isProvided = ` AND r.provider_folded = fold_text(each.provider)`

	withText = `
		SELECT b.id $EACH, LATERAL (
			SELECT id FROM $ROWS r
			WHERE tenant_id = @tenant_id$PROVIDED AND $TEXT >= each.text AND $TEXT < each.text || chr(1114111) AND $WHERE LIMIT $LOOKED
		) AS b`
	hasText = `(SELECT true $EACH WHERE r.$TEXT >= each.text AND r.$TEXT < each.text || chr(1114111)$PROVIDED LIMIT 1)`

	withTextOfWhole = `
		SELECT b.id $EACH, LATERAL (
			SELECT id FROM $WHOLE r
			WHERE tenant_id = @tenant_id$PROVIDED AND $TEXT >= each.text AND $TEXT < each.text || chr(1114111) LIMIT $LOOKED
		) AS its, LATERAL (
			SELECT id FROM $ROWS WHERE tenant_id = @tenant_id AND $PART_OF = its.id AND $WHERE LIMIT $LOOKED) AS b`
	hasTextOfWhole = `(
		SELECT true FROM (
			SELECT $TEXT, provider_folded FROM $WHOLE WHERE tenant_id = @tenant_id AND id = r.$PART_OF LIMIT 1) AS r, LATERAL (
			SELECT $EACH WHERE r.$TEXT >= each.text AND r.$TEXT < each.text || chr(1114111)$PROVIDED LIMIT 1) AS found)`

	withAmount = `
		SELECT b.id FROM (SELECT DISTINCT unnest(@amounts::bigint[]) AS amount) AS each, LATERAL (
			SELECT id FROM $ROWS
			WHERE tenant_id = @tenant_id AND $AMOUNT >= each.amount AND $AMOUNT <= each.amount AND $WHERE LIMIT $LOOKED) AS b`
	hasAmount = `(
		SELECT true FROM unnest(@amounts::bigint[], @currencies::text[]) AS a (amount, currency)
		WHERE a.amount = r.$AMOUNT AND a.currency = $CURRENCY LIMIT 1)`

	withAmountOfWhole = `
		SELECT b.id FROM (SELECT DISTINCT unnest(@amounts::bigint[]) AS amount) AS each, LATERAL (
			SELECT id FROM $WHOLE
			WHERE tenant_id = @tenant_id AND $AMOUNT >= each.amount AND $AMOUNT <= each.amount LIMIT $LOOKED) AS its, LATERAL (
			SELECT id FROM $ROWS WHERE tenant_id = @tenant_id AND $PART_OF = its.id AND $WHERE LIMIT $LOOKED) AS b`
	hasAmountOfWhole = `(
		SELECT true FROM (SELECT $AMOUNT AS amount FROM $WHOLE WHERE tenant_id = @tenant_id AND id = r.$PART_OF LIMIT 1) AS its,
			unnest(@amounts::bigint[], @currencies::text[]) AS a (amount, currency)
		WHERE a.amount = its.amount AND a.currency = $CURRENCY LIMIT 1)`

	// The first of the longest words of a search is the rarest, most likely.
	withWords = `
		SELECT b.id FROM (SELECT word FROM unnest(@asked::text[]) AS word ORDER BY length(word) DESC LIMIT 1) AS asked, LATERAL (
			SELECT $WORD_ID AS id FROM $WORDS w
			WHERE tenant_id = @tenant_id AND w.word >= asked.word AND w.word < asked.word || chr(1114111) LIMIT $LOOKED) AS b`
	hasWords = `(
		SELECT bool_and(COALESCE((
			SELECT true FROM $WORDS w
			WHERE tenant_id = @tenant_id AND $WORD_ID = r.id AND w.word >= asked.word AND w.word < asked.word || chr(1114111)
			LIMIT 1), false))
		FROM unnest(@asked::text[]) AS asked (word))`
)
