package peoplepages

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"
	"github.com/riverqueue/river/rivertype"

	"onlyonce/internal/people/installation"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/peopleviews"
)

func (s *pages) mountInstallation(admins *web.Site) {
	tenants := web.Resource[installation.Tenant]{One: "business", Path: "/installation", Tab: "Businesses"}.Mount(admins)
	web.List(tenants, web.Listing[installation.Tenant]{
		Read: func(r *http.Request, page record.Page) (record.List[installation.Tenant], error) {
			return installation.Tenants(r.Context(), s.site.Pool, page)
		},
		Page: installationPage(peopleviews.Installation{
			Title: "Businesses", About: "All businesses of this installation, newest first.", None: "No businesses yet",
			Columns: []templates.Column{
				{Label: "Name", Class: "name"}, {Label: "Origin", Class: "date"}, {Label: "People", Class: "num"},
				{Label: "Created", Class: "date"},
			},
		}, tenantRow),
	})
	admins = admins.Within("installation")
	users := web.Resource[installation.User]{One: "person", Path: "/installation/people", Tab: "People"}.Mount(admins)
	web.List(users, web.Listing[installation.User]{
		Read: func(r *http.Request, page record.Page) (record.List[installation.User], error) {
			beginning, err := web.Searched(r)
			if err != nil {
				return record.List[installation.User]{}, err
			}
			return installation.Users(r.Context(), s.site.Pool, strings.ToLower(beginning), page)
		},
		Finder: func(r *http.Request) (templates.Finder, error) {
			finder, err := web.SearchFinder("installation/people", "Beginning of an email")(r)
			finder.Many = "people"
			return finder, err
		},
		Page: installationPage(peopleviews.Installation{
			Title: "People", About: "The people of all businesses, by email.", None: "No people yet",
			Columns: []templates.Column{
				{Label: "Email", Class: "name"}, {Label: "Business", Class: "name"}, {Label: "Role", Class: "date"},
				{Label: "Last seen", Class: "date"},
			},
		}, userRow),
	})
	jobs := web.Resource[installation.Job]{One: "job", Path: "/installation/jobs", Tab: "Jobs"}.Mount(admins)
	web.List(jobs, web.Listing[installation.Job]{
		Read: func(r *http.Request, page record.Page) (record.List[installation.Job], error) {
			return installation.Jobs(r.Context(), s.site.Pool, page)
		},
		Page: installationPage(peopleviews.Installation{
			Title: "Jobs", None: "No job has failed",
			About: "Jobs that wait for another attempt, have failed, or were for an email that can't be sent. Failed ones are deleted " +
				"after a week. An email that can't be sent shows the reason on its page in the business.",
			Columns: []templates.Column{
				{Label: "Job", Class: "name"}, {Label: "State", Class: "name"}, {Label: "Attempts", Class: "num"},
				{Label: "Due", Class: "date"},
				{Class: "date"}, // the button
			},
		}, jobRow),
	})
	admins.Natural("/installation/jobs/{id}/retry", "a job runs again only after the attempt that the button names", s.retryJob)
}

// installationPage returns the page of a list, with a row for each record.
func installationPage[R any](
	v peopleviews.Installation, row func(*http.Request, R) peopleviews.InstallationRow,
) func(*http.Request, templates.Page, []R, templates.Finder) (templ.Component, error) {
	return func(r *http.Request, p templates.Page, found []R, finder templates.Finder) (templ.Component, error) {
		rows := make([]peopleviews.InstallationRow, 0, len(found))
		for _, of := range found {
			rows = append(rows, row(r, of))
		}
		return installationList(v, p, rows, finder), nil
	}
}

func installationList(
	v peopleviews.Installation, p templates.Page, rows []peopleviews.InstallationRow, finder templates.Finder,
) templ.Component {
	if text := installationFlashes[p.Flash]; text != "" {
		p.Flash = text
	}
	v.Rows, v.Finder = rows, finder
	return peopleviews.InstallationPage(p, v)
}

func tenantRow(r *http.Request, t installation.Tenant) peopleviews.InstallationRow {
	origin := "Command"
	switch {
	case t.Demo:
		origin = "Demo"
	case t.SignedUp:
		origin = "Sign-up"
	}
	users := strconv.Itoa(t.Users)
	if t.Users > installation.MaxUsers {
		users = fmt.Sprintf("over %d", installation.MaxUsers)
	}
	return peopleviews.InstallationRow{Cells: []string{t.Name, origin, users, web.Moment(r, t.CreatedAt)}}
}

func userRow(r *http.Request, u installation.User) peopleviews.InstallationRow {
	role, seen := web.Capital(u.Role), ""
	if u.Admin {
		role += ", admin"
	}
	if u.Disabled {
		role += ", disabled"
	}
	if u.Seen != nil {
		seen = web.Moment(r, *u.Seen)
	}
	return peopleviews.InstallationRow{Cells: []string{u.Email, u.Tenant, role, seen}}
}

func jobRow(r *http.Request, j installation.Job) peopleviews.InstallationRow {
	name, state := fmt.Sprintf("%s %d", j.Kind, j.ID), "Waiting"
	switch j.State { //nolint:exhaustive // the list has no others
	case rivertype.JobStateDiscarded:
		state = "Failed"
	case rivertype.JobStateCancelled:
		state = "Email not sent"
	}
	row := peopleviews.InstallationRow{Label: "Try again: " + name}
	if j.MayRetry() {
		row.Retry = fmt.Sprintf("/installation/jobs/%d/retry", j.ID)
		row.Fields = append(web.Tenant(r).Fields(), templates.Field{Name: peopleviews.AttemptField, Value: strconv.Itoa(j.Attempt)})
	}
	if j.Tenant != "" {
		name += ", " + j.Tenant
	}
	if j.Error != "" && j.State != rivertype.JobStateCancelled {
		state += ": " + j.Error
	}
	row.Cells = []string{name, state, fmt.Sprintf("%d of %d", j.Attempt, j.MaxAttempts), web.Moment(r, j.Due)}
	return row
}

// The messages that the page shows once, by their names in the flash cookie.
const (
	jobRetried = "job-retried"
	jobLeft    = "job-left"
)

var installationFlashes = map[string]string{
	jobRetried: "The job is being tried again.",
	jobLeft:    "Nothing was changed: the job was already tried again, or another one does its work.",
}

func (s *pages) retryJob(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseTenantForm(r); err != nil {
		return err
	}
	id, wrongID := strconv.ParseInt(chi.URLParam(r, "id"), 10, 64)
	attempt, wrongAttempt := strconv.ParseInt(r.PostForm.Get(peopleviews.AttemptField), 10, 16)
	if wrongID != nil || wrongAttempt != nil {
		return web.ErrNotFound
	}
	retried, err := installation.Retry(r.Context(), s.site.Pool, id, int(attempt))
	if err != nil {
		return err
	}
	message := jobLeft
	if retried {
		message = jobRetried
	}
	s.site.SetFlash(w, "/installation/jobs", message, "")
	return s.site.SeeOther(w, r, "/installation/jobs")
}
