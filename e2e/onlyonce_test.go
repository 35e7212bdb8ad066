package e2e

import (
	"log/slog"
	"testing"
)

// TestIncidents tries all incidents on this app: one record each, and nothing that looks like an error.
func TestIncidents(t *testing.T) {
	t.Parallel()
	families := map[string][]incident{}
	for _, one := range incidents() {
		families[one.family] = append(families[one.family], one)
	}
	for family, tried := range families {
		t.Run(family, func(t *testing.T) {
			t.Parallel()
			app := onlyonce(t)
			for _, one := range tried {
				if !one.fits(app) {
					continue
				}
				t.Run(one.name, func(t *testing.T) {
					v := window(t, app, one)
					v.log.forget()
					one.play(v)
					if found := v.judge(one); !found.good() {
						t.Errorf("%s: %s", found, found.saw)
					}
					t.Log(v.log.seen(), v.page.URL())
				})
			}
		})
	}
}

// onlyonce starts the app with its demo data, and a replica of it.
func onlyonce(t *testing.T) *target {
	t.Helper()
	app, err := readTarget("apps/onlyonce.json")
	if err != nil {
		t.Fatal(err)
	}
	db := demoData.New(t)
	s := &session{
		t: t, db: db.Admin(t), database: parsedInOrder(t, db.URL),
		log: &attemptLog{next: slog.NewTextHandler(t.Output(), nil)},
	}
	running := s.startApp(patience)
	s.origin, s.metrics = running.URL(), running.MetricsURL()
	app.own, app.Address, app.replica = s, s.origin, s.startApp(patience).URL()
	return app
}
