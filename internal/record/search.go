package record

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Limits of a search.
const (
	MaxSearch = 200 // characters
	// maxTerms is how many of its words are looked for; those behind them are not.
	maxTerms = "8"
	// maxWords is how many different words may begin like one that is looked for. Beyond, only the whole word is.
	maxWords = "100"
	// maxCustomers is the same for customers.
	maxCustomers = "100"
)

// Term is one word of a search, with what it finds.
type Term struct {
	Word  string   // folded
	Whole bool     // that it was not looked for as the beginning of words, as too many begin like it
	Words []string // of invoices or customers
	// Customers are those who have such words, if it is a search for what belongs to them. Where there are too many,
	// it has none, and Crowd is true.
	Customers []uuid.UUID
	Crowd     bool
	Matches   int // how many it finds, or that many at least
}

// Terms gives the words of a search in one of the tables of words, such as "invoice_words". What is searched for in invoices is
// looked for in their customers too. A search without any word has no terms.
func Terms(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, table, search string) ([]Term, error) {
	customers := `'{}'::uuid[]`
	if table == "invoice_words" {
		customers = `ARRAY(
			SELECT customer_id FROM (
				SELECT customer_id FROM customer_words c
				WHERE c.tenant_id = @tenant_id AND c.word >= asked.word AND c.word < asked.word || chr(1114111)
				LIMIT ` + maxCustomers + ` + 1) AS bounded)`
	}
	// The words that begin alike are found one by one, each by a look at the index behind the one before: how often they
	// are used does not matter.
	return Collect(ctx, pool, tenant, pgx.RowToStructByPos[Term], `
		SELECT
			word, expanded.whole, expanded.words, CASE WHEN crowd THEN '{}' ELSE customers END, crowd,
			10 * cardinality(customers) + (SELECT count(*) FROM (
				SELECT FROM unnest(expanded.words) AS each (word), LATERAL (
					SELECT FROM `+table+` w WHERE w.tenant_id = @tenant_id AND w.word = each.word LIMIT 1000) AS w
				LIMIT 1000) AS bounded)
		FROM (
			SELECT word COLLATE "C" AS word, n FROM unnest(search_words(@search)) WITH ORDINALITY AS split (word, n)
			LIMIT `+maxTerms+`) AS asked,
		LATERAL (
			WITH RECURSIVE found AS (
				(SELECT w.word, 1 AS n FROM `+table+` w
				WHERE w.tenant_id = @tenant_id AND w.word >= asked.word AND w.word < asked.word || chr(1114111)
				ORDER BY w.word LIMIT 1)
				UNION ALL
				SELECT (
					SELECT w.word FROM `+table+` w
					WHERE w.tenant_id = @tenant_id AND w.word > found.word AND w.word < asked.word || chr(1114111)
					ORDER BY w.word LIMIT 1), n + 1
				FROM found WHERE found.word IS NOT NULL AND n <= `+maxWords+`)
			SELECT array_remove(array_agg(word), NULL) AS all_words, count(word) > `+maxWords+` AS whole FROM found) AS begun,
		LATERAL (
			SELECT CASE WHEN whole THEN ARRAY[asked.word] ELSE COALESCE(all_words, '{}') END AS words, whole) AS expanded,
		LATERAL (SELECT `+customers+` AS customers) AS of_customers,
		LATERAL (SELECT cardinality(customers) > `+maxCustomers+` AS crowd) AS counted
		ORDER BY n`, pgx.NamedArgs{"search": search})
}

// rarest gives the term that finds least, which is where a search begins.
func rarest(terms []Term) (least int) {
	for i, t := range terms {
		if t.Matches < terms[least].Matches {
			least = i
		}
	}
	return least
}

func ids(of []uuid.UUID) (texts []string) {
	for _, id := range of {
		texts = append(texts, id.String())
	}
	return texts
}
