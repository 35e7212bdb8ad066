package command

import "testing"

func TestDoctorMissesMail(t *testing.T) {
	b := setup(t)
	if got := b.states(done, nil)["settings"]; got != "warning" {
		t.Errorf("settings %q, want a warning", got)
	}
}
