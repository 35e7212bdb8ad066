// Command eventreceiver receives events: it verifies each request, and acts once for each event.
//
//	ENDPOINT_SECRET=whsec_… eventreceiver 127.0.0.1:9000
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

type event struct {
	ID        string `json:"id"`
	Operation string `json:"operation"`
	Record    string `json:"record_id"`
}

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("ENDPOINT_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	var done sync.Map // ids; a real program inserts the id in the transaction of its work for the event
	log.Fatal(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		var e event
		if err == nil {
			err = webhook.Verify(body, r.Header)
		}
		if err == nil {
			err = json.Unmarshal(body, &e)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if _, again := done.LoadOrStore(e.ID, true); !again {
			fmt.Println(e.Operation, e.Record)
		}
	})))
}
