package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
	"onlyonce/internal/web/apidoc"
	"onlyonce/templates"
)

// RecordPage describes the page of a record.
type RecordPage[R Entity] struct {
	Summary string // for the API documentation
	// Facts returns the facts on the plain page.
	Facts func(*http.Request, R) []templates.Fact
	// Lines returns the lines below the facts on the plain page; nil for none.
	Lines func(R) templates.RecordLines
	// Page replaces the plain page. Without Page and Facts, a record is shown at its resource's ShownAt.
	Page func(r *http.Request, p templates.Page, found R) (templ.Component, error)
	// Actions returns the transitions that can be done to one now, by their verbs; nil offers all. Archive and restore are not among
	// them, see Archived.
	Actions func(R) []string
	// Archived returns the time when a record was archived, or zero, and ArchiveHint is a sentence about the effect, before those of
	// [Site.AddHint]. Without Archived, there is no archive.
	Archived    func(R) time.Time
	ArchiveHint string
	// LeadsTo returns the id of the record that one was merged into, to which its address leads; [uuid.Nil] if it was not merged.
	// Without it, none are merged.
	LeadsTo func(R) uuid.UUID
	// Changes returns what puts into words the changes of fields that are in no form. That is asked from the newest change
	// to the oldest.
	Changes func(R) DescribeChanges
	// Beside adds entries to the history that are not operations on the record itself; BesideText returns their texts.
	Beside     idempotency.Beside
	BesideText func(R, idempotency.Entry) string
}

// Show registers a record: in the API, and as a page, unless another page shows it and it has none.
func Show[R Entity](m *Mounted[R], shown RecordPage[R]) {
	m.untyped.show(untypedRecordPage(shown))
}

// untypedRecordPage returns a page of records without their type.
func untypedRecordPage[R Entity](p RecordPage[R]) RecordPage[Entity] {
	of := RecordPage[Entity]{
		Summary: p.Summary, Facts: ofEntityIn(p.Facts), Lines: ofEntity(p.Lines), Actions: ofEntity(p.Actions),
		Archived:    ofEntity(p.Archived),
		ArchiveHint: p.ArchiveHint, LeadsTo: ofEntity(p.LeadsTo), Changes: ofEntity(p.Changes), Beside: p.Beside,
	}
	if p.Page != nil {
		of.Page = func(r *http.Request, page templates.Page, found Entity) (templ.Component, error) {
			return p.Page(r, page, as[R](found))
		}
	}
	if p.BesideText != nil {
		of.BesideText = func(found Entity, e idempotency.Entry) string { return p.BesideText(as[R](found), e) }
	}
	return of
}

func (m *resource) show(shown RecordPage[Entity]) {
	m.shown = shown
	m.document(apidoc.Endpoint{
		Method: http.MethodGet, Path: m.recordPath(), Name: m.many + ".get", Summary: shown.Summary, Repeats: "reads",
		Gives: m.shows, Schema: apidoc.SchemaName(m.one),
	})
	if m.shownAt == nil || shown.Page != nil {
		m.events()
	}
	m.pages.read(m.recordPath(), m.showPage)
	m.api.read(m.recordPath(), func(w http.ResponseWriter, r *http.Request) error {
		found, err := m.find(r)
		if err != nil {
			return err
		}
		if to := m.leadsTo(found); to != uuid.Nil {
			w.Header().Set("Content-Location", m.s.Path+apiPrefix+m.url(to))
			if found, err = m.lookup(r.Context(), Principal(r).Tenant, to); err != nil {
				return err
			}
		}
		return m.write(w, http.StatusOK, found)
	})
}

// leadsTo is the id of the record that one was merged into, or [uuid.Nil].
func (m *resource) leadsTo(found Entity) uuid.UUID {
	if m.shown.LeadsTo == nil {
		return uuid.Nil
	}
	return m.shown.LeadsTo(found)
}

// showPage shows the record in the path with its history.
func (m *resource) showPage(w http.ResponseWriter, r *http.Request) error {
	found, err := m.find(r)
	if err != nil {
		return err
	}
	if m.shownAt != nil && m.shown.Page == nil {
		return m.s.SeeOther(w, r, m.shownAt(found))
	}
	if to := m.leadsTo(found); to != uuid.Nil {
		message, done := m.s.takeFlash(w, r)
		m.s.SetFlash(w, m.url(to), message, done)
		return m.s.SeeOther(w, r, m.url(to))
	}
	p := m.s.Page(w, r)
	p.Flash = m.s.message(p.Flash, m.name(found))
	if m.secret {
		w.Header().Set("Cache-Control", NoStore)
	}
	id, version := found.Identity()
	p.Technical = []templates.Fact{{Label: "ID", Value: id.String()}, {Label: "Version", Value: strconv.Itoa(version)}}
	history, err := m.history(r, id)
	if err != nil {
		return err
	}
	p.History = m.entries(r, found, history.Rows)
	if (history.After != record.Key{}) {
		p.HistoryHref = m.url(id) + "/events"
	}
	if m.s.attempts != nil {
		if p.Attempts, err = m.s.attempts(r, id); err != nil {
			return err
		}
	}
	if m.shown.Page == nil {
		sections, err := m.s.Sections(r, m.many, id)
		if err != nil {
			return err
		}
		if m.shown.Lines != nil {
			sections = slices.Insert(sections, 0, templates.LinesSection(m.shown.Lines(found)))
		}
		return m.s.Render(w, r, http.StatusOK, templates.RecordPageWith(p, m.recordView(r, found), sections))
	}
	page, err := m.shown.Page(r, p, found)
	if err != nil {
		return err
	}
	return m.s.Render(w, r, http.StatusOK, page)
}

// archiveHint returns the sentences about the effect of archiving; "" without an archive.
func (m *resource) archiveHint() string {
	if m.shown.ArchiveHint == "" {
		return ""
	}
	return strings.TrimSpace(m.shown.ArchiveHint + " " + m.s.Hint(m.many))
}

// RecordView returns the parts that pages of records share.
func RecordView[R Entity](m *Mounted[R], r *http.Request, found R) templates.RecordView {
	return m.untyped.recordView(r, found)
}

func (m *resource) recordView(r *http.Request, found Entity) templates.RecordView {
	id, _ := found.Identity()
	v := templates.RecordView{Name: m.name(found), Facts: m.shown.Facts(r, found), Archive: m.archiveHint()}
	for _, o := range m.operations {
		if o.Kind == idempotency.Change {
			v.EditHref = FormHref(r, m.url(id)+"/edit")
		}
	}
	var verbs []string
	if m.shown.Actions != nil {
		verbs = m.shown.Actions(found)
	}
	for _, t := range m.transitions {
		if m.shown.Actions == nil && (m.shown.Archived == nil || t[0] != "archive" && t[0] != "restore") {
			verbs = append(verbs, t[0])
		}
	}
	if m.shown.Archived != nil {
		if at := m.shown.Archived(found); !at.IsZero() {
			v.Archived, v.Restore = Day(r, at), m.action(r, id, "restore")
		} else {
			verbs = append(verbs, "archive")
		}
	}
	for _, verb := range verbs {
		action := m.action(r, id, verb)
		action.Next = m.shown.Actions != nil
		v.Actions = append(v.Actions, action)
	}
	return v
}
