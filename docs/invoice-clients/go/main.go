// Command invoiceclient creates an invoice once, with a client generated from the API's description: invoiceclient KEY invoice.json
//
// ONLYONCE_URL is the address of the app, and ONLYONCE_TOKEN the API token.
// Before the first run, the key was created and stored.
package main

//go:generate go tool oapi-codegen -generate types,client -package api -o api/api.gen.go openapi.json

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/hashicorp/go-retryablehttp"

	"invoiceclient/api"
)

func main() {
	var invoice api.InvoiceCreateJSONRequestBody
	file, err := os.ReadFile(os.Args[2])
	if err == nil {
		err = json.Unmarshal(file, &invoice)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	retrying := retryablehttp.NewClient() // it sends the same headers again, and so the same key
	retrying.RetryMax, retrying.CheckRetry, retrying.Logger = 7, mayRetry, nil
	client, err := api.NewClientWithResponses(os.Getenv("ONLYONCE_URL"),
		api.WithHTTPClient(retrying.StandardClient()), api.WithRequestEditorFn(authorize))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	answer, err := client.InvoiceCreateWithResponse(context.Background(), &api.InvoiceCreateParams{IdempotencyKey: os.Args[1]}, invoice)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "No answer yet. Run this again later, with the same key:", err)
		os.Exit(75)
	case answer.StatusCode() >= 300:
		fmt.Fprintln(os.Stderr, string(answer.Body))
		os.Exit(1)
	}
	fmt.Println(string(answer.Body))
}

func authorize(_ context.Context, r *http.Request) error {
	r.Header.Set("Authorization", "Bearer "+os.Getenv("ONLYONCE_TOKEN"))
	return nil
}

// mayRetry also retries a request whose first attempt is still running. Other conflicts have no Retry-After.
func mayRetry(ctx context.Context, r *http.Response, err error) (bool, error) {
	if err == nil && r.StatusCode == http.StatusConflict {
		return r.Header.Get("Retry-After") != "", nil
	}
	return retryablehttp.DefaultRetryPolicy(ctx, r, err)
}
