package site_test

import (
	"slices"
	"testing"

	"onlyonce/internal/idempotency"
)

// check is a property that operations of every resource have, besides the rows of the table of cases.
type check struct {
	name string
	run  func(*caseRun)
	// of lists the kinds of operations.
	of []idempotency.Kind
	// format is the only format; nil for each, and anyFormat for the last one of the resource.
	format format
	// when reports whether a resource has the property; nil if all have it.
	when func(resource) bool
	// ofEachKind is set if one operation of each kind is enough.
	ofEachKind bool
}

type anyFormat struct{ format }

func checks() []check {
	clients := func(of resource) bool { return !of.only && of.arrives == nil }
	return []check{
		{name: "IfMatch", run: ifMatch, of: changes, format: jsonFormat{}},
		{name: "VersionInAForm", run: versionInAForm, of: changes, format: htmlFormat{}},
		{name: "HistoryHasWhatChanged", run: historyHasWhatChanged, of: ofOneRecord, format: jsonFormat{}},
		{name: "TransitionOfOneVersion", run: transitionOfOneVersion, of: transitions, format: jsonFormat{}},
		{name: "SameCommandInBothFormats", run: sameCommandInBothFormats, of: allKinds, format: jsonFormat{}},
		{name: "KeyOfAnotherTenantIsAnotherIntent", run: keyOfAnotherTenantIsAnotherIntent, of: allKinds, ofEachKind: true},
		{name: "FormIsOneWish", run: formIsOneWish, of: creates, format: htmlFormat{}, when: clients},
		{name: "FormOfAnotherTenant", run: formOfAnotherTenant, of: creates, format: htmlFormat{}, when: clients},
		{
			name: "FormOfAnotherTenantIsUsedHere", run: formOfAnotherTenantIsUsedHere, of: creates, format: htmlFormat{},
			when: func(of resource) bool { return clients(of) && of.parent == nil },
		},
		{name: "ChangeOfAnotherTenant", run: changeOfAnotherTenant, of: ofOneRecord, format: htmlFormat{}, ofEachKind: true},
		{name: "FormsChangeNothingByThemselves", run: formsChangeNothingByThemselves, of: changes, format: htmlFormat{}},
		{name: "EveryFieldIsShown", run: everyFieldIsShown, of: changes, format: jsonFormat{}},
		{name: "EveryFieldIsDeclared", run: everyFieldIsDeclared, of: creates, format: htmlFormat{}, when: clients},
		{
			name: "EveryFieldIsDeclared", run: everyFieldIsDeclared, of: changes, format: htmlFormat{},
			when: func(of resource) bool { return of.only },
		},
		{name: "EveryBrokenConstraintIsExplained", run: everyBrokenConstraintIsExplained, of: allKinds, format: anyFormat{}},
		{name: "FoundByExternalID", run: foundByExternalID, of: creates, format: jsonFormat{}, when: resource.external},
	}
}

func TestEveryCheck(t *testing.T) { everyCheck(t, resources()...) }

// everyCheck runs each check for the operations of some resources.
func everyCheck(t *testing.T, resources ...resource) {
	t.Helper()
	t.Parallel()
	all := setupHere(t).casesOf(resources...)
	var parts []part
	for _, c := range checks() {
		chosen := all
		if c.ofEachKind {
			chosen = oneOfEachKind(all)
		}
		for _, of := range chosen {
			formats := of.resource.formats()
			if !slices.Contains(c.of, of.kind) || c.when != nil && !c.when(of.resource) {
				continue
			}
			switch c.format.(type) {
			case nil:
				parts = append(parts, eachFormat(of, c.name, c.run)...)
				continue
			case anyFormat:
				formats = formats[len(formats)-1:]
			default:
				formats = slices.DeleteFunc(formats, func(f format) bool { return f != c.format })
			}
			for _, f := range formats {
				parts = append(parts, part{of.resource, of.operation + "/" + c.name, func(b *bundle) { c.run(b.caseRunOf(of, f)) }})
			}
		}
	}
	walk(t, resources, parts)
}
