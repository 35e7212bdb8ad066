// Command api-client creates an invoice, once: go run . KEY invoice.json
// KEY was made and stored before the first try. ONLYONCE_URL and ONLYONCE_TOKEN say where and as whom.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

var client = &http.Client{Timeout: 40 * time.Second}

func main() {
	invoice, err := os.ReadFile(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for n := range 8 {
		status, after, answer, err := attempt(os.Args[1], invoice)
		switch {
		case err != nil:
			fmt.Fprintln(os.Stderr, "no answer:", err)
		case status < 300:
			fmt.Println(string(answer))
			return
		case !mayRetry(status, answer):
			fmt.Fprintln(os.Stderr, string(answer))
			os.Exit(1)
		}
		backoff := min(500*time.Millisecond<<n, 30*time.Second)
		time.Sleep(after + backoff/2 + rand.N(backoff/2))
	}
	fmt.Fprintln(os.Stderr, "No answer yet. Run this again later, with the same key.")
	os.Exit(75)
}

func attempt(key string, invoice []byte) (status int, after time.Duration, answer []byte, err error) {
	r, err := http.NewRequest(http.MethodPost, os.Getenv("ONLYONCE_URL")+"/api/v1/invoices", bytes.NewReader(invoice))
	if err != nil {
		return 0, 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+os.Getenv("ONLYONCE_TOKEN"))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	response, err := client.Do(r)
	if err != nil {
		return 0, 0, nil, err
	}
	defer response.Body.Close()
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, time.Duration(seconds) * time.Second, answer, err
}

func mayRetry(status int, answer []byte) bool {
	if status == http.StatusConflict {
		var problem struct{ Type string }
		return json.Unmarshal(answer, &problem) == nil && strings.HasSuffix(problem.Type, "/problems/in-progress")
	}
	return status == http.StatusTooManyRequests || status >= 500
}
