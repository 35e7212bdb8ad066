package web

import (
	"net/http"
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

// RecordPage is how one record is shown.
type RecordPage[R Entity] struct {
	Summary string // for the API documentation
	// Facts are what the plain page says of one.
	Facts func(R) []templates.Fact
	// Page is another page in place of the plain one, which has the facts. Without either, a record is shown where
	// its resource says.
	Page func(r *http.Request, p templates.Page, found R) (templ.Component, error)
	// Actions returns the transitions that can be done to one now, by their verbs; nil offers all. Archive and restore are not among
	// them, see Archived.
	Actions func(R) []string
	// Archived returns when a record was archived, zero if it is not, and ArchiveHint is a sentence about what that means, before
	// what another room has to say of it, see [Site.AddHint].
	// Without it, there is no archive.
	Archived    func(R) time.Time
	ArchiveHint string
	// LeadsTo returns the id of the record that one was merged into, to which its address leads; [uuid.Nil] for those that were not.
	// Without it, none are merged.
	LeadsTo func(R) uuid.UUID
	// Changes returns what puts into words the changes of fields that are in no form. That is asked from the newest change
	// to the oldest.
	Changes func(R) DescribeChanges
	// Beside is what the history has besides what operations did to the record itself, which BesideText puts into words.
	Beside     idempotency.Beside
	BesideText func(R, idempotency.Entry) string
}

// Show registers one record: in the API, and as a page, unless another one shows it and it has none of its own.
func Show[R Entity](m *Mounted[R], shown RecordPage[R]) {
	m.shown = shown
	m.document(apidoc.Endpoint{
		Method: http.MethodGet, Path: m.recordPath(), Name: m.Many + ".get", Summary: shown.Summary, Repeats: "reads",
		Gives: m.reg.shows, Schema: apidoc.SchemaName(m.One),
	})
	if m.ShownAt == nil || shown.Page != nil {
		events(m)
	}
	m.pages.read(m.recordPath(), m.showPage)
	m.api.read(m.recordPath(), func(w http.ResponseWriter, r *http.Request) error {
		found, err := m.Find(r)
		if err != nil {
			return err
		}
		if to := m.leadsTo(found); to != uuid.Nil {
			w.Header().Set("Content-Location", apiPrefix+m.URL(to))
			if found, err = m.Table.Find(r.Context(), m.s.Pool, Principal(r).Tenant, to); err != nil {
				return err
			}
		}
		return m.write(w, http.StatusOK, found)
	})
}

// leadsTo is the id of the record that one was merged into, or [uuid.Nil].
func (m *Mounted[R]) leadsTo(found R) uuid.UUID {
	if m.shown.LeadsTo == nil {
		return uuid.Nil
	}
	return m.shown.LeadsTo(found)
}

// showPage shows the record that the path names, with what was done to it.
func (m *Mounted[R]) showPage(w http.ResponseWriter, r *http.Request) error {
	found, err := m.Find(r)
	if err != nil {
		return err
	}
	if m.ShownAt != nil && m.shown.Page == nil {
		return SeeOther(w, r, m.ShownAt(found))
	}
	if to := m.leadsTo(found); to != uuid.Nil {
		message, done := takeFlash(w, r)
		m.s.setFlash(w, m.URL(to), message, done)
		return SeeOther(w, r, m.URL(to))
	}
	p := m.s.Page(w, r)
	p.Flash = m.s.message(p.Flash, m.Name(found))
	if m.secret {
		w.Header().Set("Cache-Control", noStore)
	}
	id, version := found.Identity()
	p.Technical = []templates.Fact{{Label: "ID", Value: id.String()}, {Label: "Version", Value: strconv.Itoa(version)}}
	history, err := m.history(r, id)
	if err != nil {
		return err
	}
	p.History = m.entries(found, history.Rows)
	if (history.After != record.Key{}) {
		p.HistoryHref = m.URL(id) + "/events"
	}
	if m.s.attempts != nil {
		if p.Attempts, err = m.s.attempts(r, id); err != nil {
			return err
		}
	}
	if m.shown.Page == nil {
		return m.s.Render(w, r, http.StatusOK, templates.RecordPage(p, m.RecordView(r, found)))
	}
	page, err := m.shown.Page(r, p, found)
	if err != nil {
		return err
	}
	return m.s.Render(w, r, http.StatusOK, page)
}

// archiveHint returns what it means to be archived, "" where nothing is archived.
func (m *Mounted[R]) archiveHint() string {
	if m.shown.ArchiveHint == "" {
		return ""
	}
	return strings.TrimSpace(m.shown.ArchiveHint + " " + m.s.Hint(m.Many))
}

// RecordView is what the pages of records have in common.
func (m *Mounted[R]) RecordView(r *http.Request, found R) templates.RecordView {
	id, _ := found.Identity()
	v := templates.RecordView{Name: m.Name(found), Facts: m.shown.Facts(found), Archive: m.archiveHint()}
	for _, o := range m.reg.operations {
		if o.Kind == idempotency.Change {
			v.EditHref = FormHref(r, m.URL(id)+"/edit")
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
			v.Archived, v.Restore = Day(at), m.Action(r, id, "restore")
		} else {
			verbs = append(verbs, "archive")
		}
	}
	for _, verb := range verbs {
		v.Actions = append(v.Actions, m.Action(r, id, verb))
	}
	return v
}
