// Package webhookpages has the pages of webhook sources, their secrets and events. Programs send events to /hooks.
package webhookpages

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"

	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/record"
	"onlyonce/internal/value/secretkey"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// pages has the dependencies of the pages.
type pages struct {
	site    *web.Site
	vault   webhook.Vault
	sources *web.Mounted[webhook.Source]
	secrets *web.Mounted[webhook.Secret]
}

// Mount mounts the webhook sources, their secrets, which are encrypted with the key, and the events. Only owners have access,
// because a source records payments.
func Mount(s *web.Site, key secretkey.Key) {
	w := &pages{site: s, vault: webhook.NewVault(key)}
	owners := s.Owners("settings")
	w.mountSources(owners)
	w.mountSecrets(owners)
	w.mountEvents(owners)
}

func (s *pages) mountSources(owners *web.Site) {
	m := web.Resource[webhook.Source]{
		One: "webhook source", Path: "/webhooks", Table: webhook.Sources, Rules: webhook.Rules(),
		Name: func(of webhook.Source) string { return of.Name },
	}.Mount(owners)
	s.sources = m
	draft := web.NewForm(m, func(in webhook.Input) (webhook.Draft, error) { return in.Draft(s.vault) }, web.Form[webhook.Source]{
		Fields: []templates.Field{
			{Name: "name", Value: "Name"}, {Name: "scheme", Value: "How it signs"}, {Name: "provider", Value: "Provider"},
			{Name: "secret", Value: "Signing secret"},
		},
		Page: func(_ *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
			return invoiceviews.WebhookSourceForm(p, f, schemes()), nil
		},
		Words: &web.Wording{
			Title: "Add a webhook source", Submit: "Add webhook source", Did: "added", Does: "adds", Again: "Add as a new webhook source",
			Created:  "Webhook source %s added.",
			Replayed: "Webhook source added. We ignored the duplicate submission and kept your first request.",
		},
	})
	web.List(m, web.Listing[webhook.Source]{
		Read: func(r *http.Request, page record.Page) (record.List[webhook.Source], error) {
			return record.ListBy(r.Context(), s.site.Pool, webhook.Sources, web.Principal(r).Tenant, page, `true`, nil)
		},
		Columns: []templates.Column{
			{Label: "Name", Class: "name"}, {Label: "Signature format", Class: "name"}, {Label: "State", Class: "date"},
		},
		Row: func(r *http.Request, of webhook.Source) []string {
			return []string{of.Name, schemeText(of.Scheme), sourceState(r, of)}
		},
		Empty: "A payment provider can report payments and refunds to this business automatically.",
	})
	web.Show(m, web.RecordPage[webhook.Source]{
		Facts: func(r *http.Request, of webhook.Source) []templates.Fact {
			return []templates.Fact{
				{Label: "Signature format", Value: schemeText(of.Scheme)}, {Label: "Provider of its payments", Value: of.Provider},
				{Label: "State", Value: sourceState(r, of)}, {Label: "Events", Value: "Show the events", Href: "/webhook-events"},
			}
		},
		Page: s.sourcePage,
		Actions: func(of webhook.Source) []string {
			if of.DisabledAt.IsZero() {
				return []string{"disable"}
			}
			return []string{"enable"}
		},
	})
	web.Create(m, "", webhook.Create, draft, func(*http.Request) (url.Values, error) {
		return url.Values{"scheme": {webhook.Standard}}, nil
	})
	web.Transition(m, "disable", "disabled", "", webhook.Disable, web.Nothing())
	web.Transition(m, "enable", "enabled", "", webhook.Enable, web.Nothing())
}

// schemes returns the options of the scheme.
func schemes() []templates.Option {
	var all []templates.Option
	for _, scheme := range webhook.Schemes() {
		all = append(all, templates.Option{Value: scheme, Text: schemeText(scheme)})
	}
	return all
}

func schemeText(scheme string) string {
	if scheme == webhook.Stripe {
		return "Stripe"
	}
	return "Standard Webhooks"
}

func sourceState(r *http.Request, of webhook.Source) string {
	if of.DisabledAt.IsZero() {
		return "In use"
	}
	return "Disabled on " + web.Day(r, of.DisabledAt)
}

// maxSecrets is the number of secrets on the page of a source, newest first.
const maxSecrets = 5

func (s *pages) sourcePage(r *http.Request, p templates.Page, of webhook.Source) (templ.Component, error) {
	v := invoiceviews.WebhookSource{
		RecordView: web.RecordView(s.sources, r, of), URL: s.site.Address(r) + "/hooks/" + of.Address(web.Principal(r).Tenant),
		AddHref: s.sources.URL(of.ID) + "/webhook-secrets/new",
	}
	locked, err := webhook.Locked(r.Context(), s.site.Pool, s.vault, web.Principal(r).Tenant, of.ID)
	if err != nil {
		return nil, err
	}
	list, err := webhook.SecretsOf(r.Context(), s.site.Pool, web.Principal(r).Tenant, of.ID, record.Page{Limit: maxSecrets})
	v.Locked = len(locked) > 0
	for _, secret := range list.Rows {
		row := invoiceviews.WebhookSecret{Added: web.Moment(r, secret.CreatedAt), State: secretState(r, secret)}
		switch {
		case secret.Ended(time.Now()):
		case slices.Contains(locked, secret.ID):
			row.State += ", but encrypted with another SECRET_KEY"
			row.End = web.Action(s.secrets, r, secret.ID, "end")
		default:
			row.End, v.Locked = web.Action(s.secrets, r, secret.ID, "end"), false
		}
		v.Secrets = append(v.Secrets, row)
	}
	return invoiceviews.WebhookSourcePage(p, v), err
}

func secretState(r *http.Request, secret webhook.Secret) string {
	switch {
	case secret.EndsAt.IsZero():
		return "in use"
	case secret.Ended(time.Now()):
		return "ended on " + web.Moment(r, secret.EndsAt)
	default:
		return "valid until " + web.Moment(r, secret.EndsAt)
	}
}

func (s *pages) mountSecrets(owners *web.Site) {
	m := web.Under(s.sources, owners, web.Resource[webhook.Secret]{
		One: "webhook secret", Path: "/webhook-secrets", Table: webhook.Secrets, Rules: webhook.SecretRules(),
		Name: webhook.Secret.Called,
	})
	s.secrets = m
	draft := web.NewFormUnder(s.sources, m, func(in webhook.SecretInput, of webhook.Source) (webhook.SecretDraft, error) {
		return in.Draft(of, s.vault)
	}, web.Form[webhook.Secret]{
		Fields: []templates.Field{{Name: "secret", Value: "Signing secret"}}, Page: s.secretForm,
		Words: &web.Wording{
			Title: "Add a signing secret", Submit: "Add webhook secret", Did: "added", Does: "adds", Again: "Add another secret",
			Created:  "Webhook secret %s added.",
			Replayed: "Webhook secret added. We ignored the duplicate submission and kept your first request.",
		},
	})
	web.Show(m, web.RecordPage[webhook.Secret]{
		Facts: func(r *http.Request, of webhook.Secret) []templates.Fact {
			return []templates.Fact{
				{Label: "Source", Value: of.Source.Name, Href: s.sources.URL(of.Source.ID)},
				{Label: "Added", Value: web.Moment(r, of.CreatedAt)}, {Label: "State", Value: web.Capital(secretState(r, of))},
			}
		},
		Page: func(r *http.Request, p templates.Page, of webhook.Secret) (templ.Component, error) {
			v := web.RecordView(m, r, of)
			v.Name = "Signing secret " + v.Name + " for " + of.Source.Name
			return templates.RecordPage(p, v), nil
		},
		Actions: func(of webhook.Secret) []string {
			if of.Ended(time.Now()) {
				return nil
			}
			return []string{"end"}
		},
	})
	web.Create(m, "", webhook.AddSecret, draft, nil)
	web.Transition(m, "end", "ended", "", webhook.EndSecret, web.Nothing())
}

func (s *pages) secretForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	of, err := s.sources.Find(r)
	v := invoiceviews.WebhookSecretForm{
		Form: f, Source: of.Name, Href: s.sources.URL(of.ID), Hint: "It's stored encrypted and never shown again.",
	}
	return invoiceviews.WebhookSecretFormPage(p, v), err
}
