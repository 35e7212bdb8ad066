package sitetest

import (
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/idempotency"
)

// check is a property that operations of every resource have, besides the rows of the table of cases.
type check struct {
	name string
	run  func(*Case)
	// of lists the kinds of operations.
	of []idempotency.Kind
	// format is the only format; nil for each, and anyFormat for the last one of the resource.
	format Format
	// when reports whether a resource has the property; nil if all have it.
	when func(Resource) bool
	// ofEachKind is set if one operation of each kind is enough.
	ofEachKind bool
}

type anyFormat struct{ Format }

func checks() []check {
	clients := func(of Resource) bool { return !of.Only && of.Arrives == nil }
	users := func(of Resource) bool { return clients(of) && !of.Strangers }
	return []check{
		{name: "IfMatch", run: ifMatch, of: changes, format: JSON{}},
		{name: "VersionInAForm", run: versionInAForm, of: changes, format: HTML{}},
		{
			name: "HistoryHasWhatChanged", run: historyHasWhatChanged, of: ofOneRecord, format: JSON{},
			when: func(of Resource) bool { return of.Arrives == nil },
		},
		{name: "TransitionOfOneVersion", run: transitionOfOneVersion, of: transitions, format: JSON{}},
		{name: "SameCommandInBothFormats", run: sameCommandInBothFormats, of: allKinds, format: JSON{}},
		{
			name: "KeyOfAnotherTenantIsAnotherIntent", run: keyOfAnotherTenantIsAnotherIntent, of: allKinds, ofEachKind: true,
			when: func(of Resource) bool { return !of.Strangers },
		},
		{name: "FormIsOneWish", run: formIsOneWish, of: creates, format: HTML{}, when: clients},
		{name: "FormOfAnotherTenant", run: formOfAnotherTenant, of: creates, format: HTML{}, when: users},
		{
			name: "FormOfAnotherTenantIsUsedHere", run: formOfAnotherTenantIsUsedHere, of: creates, format: HTML{},
			when: func(of Resource) bool { return users(of) && of.Parent == nil },
		},
		{name: "ChangeOfAnotherTenant", run: changeOfAnotherTenant, of: ofOneRecord, format: HTML{}, ofEachKind: true},
		{name: "FormsChangeNothingByThemselves", run: formsChangeNothingByThemselves, of: changes, format: HTML{}},
		{
			name: "FileIsRemoved", run: fileIsRemoved, of: changes, format: HTML{},
			when: func(of Resource) bool { return of.API.Input != nil },
		},
		{name: "EveryFieldIsShown", run: everyFieldIsShown, of: changes, format: JSON{}},
		{name: "EveryFieldIsDeclared", run: everyFieldIsDeclared, of: creates, format: HTML{}, when: clients},
		{
			name: "EveryFieldIsDeclared", run: everyFieldIsDeclared, of: changes, format: HTML{},
			when: func(of Resource) bool { return of.Only },
		},
		{name: "EveryBrokenConstraintIsExplained", run: everyBrokenConstraintIsExplained, of: allKinds, format: anyFormat{}},
		{
			name: "ShownWhereReferredTo", run: shownWhereReferredTo, of: creates, format: HTML{},
			when: func(of Resource) bool { return strings.Contains(strings.Join(of.Filters, " "), "_id=") },
		},
		{
			name: "FiltersAreChecked", run: filtersAreChecked, of: creates, format: HTML{},
			when: func(of Resource) bool { return of.Filters != nil },
		},
		{name: "FoundByExternalID", run: foundByExternalID, of: creates, format: JSON{}, when: Resource.external},
	}
}

// Checks runs each check for the operations of some resources. A short run of all tests runs each check once, for the operations by turns.
func Checks(t *testing.T, resources ...Resource) {
	t.Helper()
	t.Parallel()
	all := setupHere(t).CasesOf(resources...)
	var parts []Part
	for turn, c := range checks() {
		var ofCheck []Part
		chosen := all
		if c.ofEachKind {
			chosen = oneOfEachKind(all)
		}
		for _, of := range chosen {
			formats := of.Resource.Formats()
			if !slices.Contains(c.of, of.Kind) || c.when != nil && !c.when(of.Resource) {
				continue
			}
			switch c.format.(type) {
			case nil:
				ofCheck = append(ofCheck, eachFormat(of, c.name, c.run)...)
				continue
			case anyFormat:
				formats = formats[len(formats)-1:]
			default:
				formats = slices.DeleteFunc(formats, func(f Format) bool { return f != c.format })
			}
			for _, f := range formats {
				ofCheck = append(ofCheck, Part{of.Resource, of.Operation + "/" + c.name, func(b *Bundle) { c.run(b.caseRunOf(of, f)) }})
			}
		}
		parts = append(parts, unlessShort(ofCheck, turn)...)
	}
	Walk(t, resources, parts)
}
