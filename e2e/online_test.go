package e2e

import (
	"fmt"
	"time"
)

// sentWhenOnline loses the answer to the form, and then restores the connection.
func sentWhenOnline(v *visitor) {
	workers, err := v.page.Evaluate(`async () => {
		const all = await navigator.serviceWorker?.getRegistrations() ?? [];
		if (all.length) await navigator.serviceWorker.ready;
		return all.length;
	}`)
	v.check(err, "look for service workers")
	if workers != 0 {
		v.openForm() // they see only the requests of later pages
	}
	v.sendAndLose(beforeAnswer)
	if v.isOnBrowsersErrorPage() {
		v.leftOut = "since the browser sends the form, and no script"
		return
	}
	before := v.wire.arrived()
	v.tellf(byBrowser, "is online again")
	v.comesOnline()
	if !v.within(3*time.Second, func() bool { return v.wire.arrived() > before }) {
		v.leftOut = "since the app does not send it again by itself"
		return
	}
	v.settle()
}

// comesOnline fires the events that browsers fire when the connection is back: one on the page and, in Chromium, those for which a
// service worker waits.
func (v *visitor) comesOnline() {
	v.t.Helper()
	waits, err := v.page.Evaluate(`async () => {
		dispatchEvent(new Event("online"));
		const [worker] = await navigator.serviceWorker?.getRegistrations() ?? [];
		return { scope: worker?.scope ?? "", tags: await worker?.sync?.getTags().catch(() => []) ?? [] };
	}`)
	v.check(err, "fire the event")
	worker, _ := waits.(map[string]any)
	tags, _ := worker["tags"].([]any)
	if len(tags) == 0 {
		return
	}
	protocol, err := v.browser.NewCDPSession(v.page)
	v.check(err, "speak with the browser")
	id := make(chan any, 1)
	protocol.On("ServiceWorker.workerRegistrationUpdated", func(params map[string]any) {
		all, _ := params["registrations"].([]any)
		for _, one := range all {
			if registration, _ := one.(map[string]any); registration["scopeURL"] == worker["scope"] {
				select {
				case id <- registration["registrationId"]:
				default:
				}
			}
		}
	})
	_, err = protocol.Send("ServiceWorker.enable", nil)
	v.check(err, "look for the service worker")
	var registration any
	select {
	case registration = <-id:
	case <-time.After(patience):
		v.t.Fatalf("the browser has no service worker for %s", worker["scope"])
	}
	for _, tag := range tags {
		_, err = protocol.Send("ServiceWorker.dispatchSyncEvent", map[string]any{
			"origin": v.origin, "registrationId": registration, "tag": tag, "lastChance": false,
		})
		v.check(err, fmt.Sprint("fire the event for ", tag))
	}
	v.check(protocol.Detach(), "end the protocol")
}
