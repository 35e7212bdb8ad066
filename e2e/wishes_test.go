package e2e

// Protection that goes too far: two equal records, both wanted.
func wishes() []incident {
	return []incident{
		{
			family: "wishes", name: "somebody wants the same twice",
			story: "Two forms that were opened for two wishes. A question in between is fine.",
			play:  wantTwo, want: 2,
		},
	}
}

func wantTwo(v *visitor) {
	v.create()
	v.openForm()
	v.pressAgain()
	v.settle()
	if v.app.Anyway == "" {
		return
	}
	all, err := v.controls(buttons)
	v.check(err, "look for a question")
	if asked, _ := named(all, v.app.Anyway); asked >= 0 {
		v.clickAway(v.app.Anyway)
	}
}
