package pgtest

import (
	"testing"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"onlyonce/internal/postgres"
)

// IsOfRiver fails unless the only job, which a trigger has inserted, equals the job that this program's version of River inserts. It
// returns the job, as JSON.
func (d *Database) IsOfRiver(t testing.TB, job river.JobArgs) (trigger string) {
	t.Helper()
	client, err := river.NewClient(riverpgxv5.New(d.Pool), &river.Config{Schema: postgres.JobSchema})
	if err == nil {
		_, err = client.Insert(t.Context(), job, nil)
	}
	var library string
	if err == nil {
		const jobs = `(to_jsonb(j) - 'id' - 'created_at' - 'scheduled_at')::text ORDER BY id`
		err = d.admin.QueryRow(t.Context(), `SELECT (array_agg(`+jobs+`))[1], (array_agg(`+jobs+`))[2] FROM river.river_job j`).
			Scan(&trigger, &library)
	}
	if err != nil || trigger != library {
		t.Errorf("the trigger inserts\n%s\nand River\n%s, %v", trigger, library, err)
	}
	return trigger
}
