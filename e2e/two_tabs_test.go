package e2e

// One form in two tabs.
func tabs() []incident {
	return []incident{
		{
			family: "tabs", name: "somebody duplicates the tab and sends both",
			story: "Crater issue 1032 and siwapp issue 279: two forms that were opened before either was sent made the same " +
				"invoice twice. A duplicated tab is the same form, and so the same wish.",
			play: bothTabs,
		},
		{
			family: "tabs", name: "two tabs of one form are sent at the same instant",
			story: "Crater issue 1032 and siwapp issue 279, with both forms at the app at the same instant.",
			play:  bothTabsAtOnce,
		},
	}
}

func bothTabs(v *visitor) {
	other := v.duplicateTab()
	if other == nil {
		return
	}
	v.create()
	other.pressAgain()
	other.settle()
}

func bothTabsAtOnce(v *visitor) {
	other := v.duplicateTab()
	if other == nil {
		return
	}
	v.wire.hold(beforeTheApp)
	v.send()
	other.pressAgain()
	v.wire.releaseAtOnce()
	v.settle()
}
