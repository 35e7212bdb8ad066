package eventpages_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/event/endpoint"
	"onlyonce/internal/event/eventcases"
	"onlyonce/internal/site/sitetest"
)

// TestEndpointOfAProgram checks that only the answer to the request that adds an endpoint has its secret, also for a repeat, that the
// secret is stored nowhere, and that owners see which token has added the endpoint.
func TestEndpointOfAProgram(t *testing.T) {
	b := sitetest.Setup(t)
	program, of := b.Program(b.Replica, b.Acme), eventcases.Endpoints()
	first := program.Create(of, "one", of.Command).Want(t, http.StatusCreated)
	again := program.Create(of, "one", of.Command).Want(t, http.StatusCreated)
	made := sitetest.Decode[endpoint.Endpoint](b, first)
	secret := endpoint.Secret(b.Key, b.Acme.ID, made.ID)
	assert.Thatf(t, made.Secret == secret && again.Body == first.Body, "%v\nand again %v", first, again)
	for _, path := range []string{"", "/" + made.ID.String(), "/" + made.ID.String() + "/events"} {
		shown := program.Get("/api/v1/endpoints"+path).Want(t, http.StatusOK)
		assert.Thatf(t, !strings.Contains(shown.Body, "whsec_"), "%v", shown)
	}
	stored := sitetest.Get[int](b, `
		SELECT count(*) FROM (SELECT r::text FROM endpoints r UNION ALL SELECT r::text FROM intents r) AS of (row)
		WHERE row LIKE '%' || $1 || '%'`, secret)
	assert.Equal(t, stored, 0, "rows with the secret")
	b.Page(b.Person(b.Replica, b.Acme).Get("/endpoints/"+made.ID.String())).Says("Added by", "token test", secret)
}
