package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// firstPeriod is so far ahead that the clock does not bill it.
const firstPeriod = "2098-01-31"

// schedules are periods of a schedule that was just created, and what is read of the one with all periods of the past.
func schedules() []kind {
	const route = "POST /api/v1/schedules/{id}/periods"
	return []kind{
		{name: "API: bill a period of a schedule", route: route, want: http.StatusCreated, make: scheduled(billPeriod)},
		{name: "API: bill a period that is billed", route: route, want: http.StatusOK,
			make: scheduled(func(ctx context.Context, s *site, id string) (*http.Request, error) {
				first, err := billPeriod(ctx, s, id)
				if err != nil {
					return nil, err
				}
				if _, err := ask(s.client, first); err != nil {
					return nil, fmt.Errorf("bill a period: %w", err)
				}
				return billPeriod(ctx, s, id)
			})},
		{name: "form: bill a period of a schedule", route: "POST /schedules/{id}/periods", want: http.StatusSeeOther,
			make: scheduled(func(ctx context.Context, s *site, id string) (*http.Request, error) {
				return formPost(ctx, s.origin+"/schedules/"+id+"/periods", s.cookie, url.Values{
					"idempotency_key": {newKey()}, "period": {firstPeriod},
				})
			})},
		pageAt("page of a schedule with many periods", "GET /schedules/{id}",
			func(s *site) string { return "/schedules/" + s.known.largeSchedule }),
		apiAt("API: periods of a schedule with many", "GET /api/v1/schedules/{id}/periods",
			func(s *site) string { return "/schedules/" + s.known.largeSchedule + "/periods" }),
	}
}

// scheduled makes requests about schedules that are created for them, outside of the measurement.
func scheduled(from aboutOne) maker {
	return func(ctx context.Context, s *site, _ int) (*http.Request, error) {
		id, err := created(ctx, s, "/schedules", fmt.Sprintf(`{"customer_id":%q,"currency":"EUR","every":"1","unit":"month","first_day":%q,
			"bill_as":"draft","missed":"each","lines":[{"description":%q,"quantity":"1","unit_price":"90.00","tax_rate":"23"}]}`,
			s.known.customer, firstPeriod, newKey()))
		if err != nil {
			return nil, err
		}
		return from(ctx, s, id)
	}
}

func billPeriod(ctx context.Context, s *site, id string) (*http.Request, error) {
	return apiPost(ctx, s.origin+apiPrefix+"/schedules/"+id+"/periods", newKey(), fmt.Sprintf(`{"period":%q}`, firstPeriod))
}

// created creates a record through the API, and returns its id.
func created(ctx context.Context, s *site, path, body string) (string, error) {
	request, err := apiPost(ctx, s.origin+apiPrefix+path, newKey(), body)
	if err != nil {
		return "", err
	}
	text, err := ask(s.client, request)
	if err != nil {
		return "", fmt.Errorf("create at %s: %w", path, err)
	}
	var made struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		return "", fmt.Errorf("create at %s: %w", path, err)
	}
	return made.ID, nil
}
