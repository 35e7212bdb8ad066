package e2e

import (
	"cmp"
)

// Failures between a browser and an app: connections that break, answers that come too late or not at all, and balancers that
// retry.
func interruptions() []incident {
	found := []incident{
		{
			family: "network", name: "the connection breaks after the commit, and the browser sends again by itself",
			story: "Odoo issue 54132: one click, two records. When a connection that was used before is reset, Chromium takes " +
				"it for an idle one that the server had just closed, and sends the form again. Nobody is told.",
			play: sentByTheBrowser,
		},
		{
			family: "network", name: "somebody gives up waiting when the app is done, and sends again",
			story: "A client that no longer waits knows nothing of what the server has done.",
			play:  func(v *visitor) { v.send(); v.held(1); v.giveUpAndSend() }, hold: afterTheApp,
		},
		{
			family: "network", name: "somebody clicks twice on a slow line",
			story: "On a slow line there is more time for a second click.",
			play:  clickTwiceOnASlowLine, lock: true,
		},
		{
			family: "network", name: "a balancer sends the form twice",
			story: "Balancers send a request again whose answer is late, some of them also if it is a POST.",
			play:  func(v *visitor) { v.wire.toReplica(hostOf(cmp.Or(v.app.replica, v.origin)), false); v.create() },
		},
		{
			family: "network", name: "the app restarts before somebody tries again",
			story: "What an app remembers in memory only is gone when people try again.",
			play:  restartAndSend, needs: "restart",
		},
	}
	for _, at := range []cut{beforeRequest, insideRequest, beforeAnswer, insideAnswer} {
		found = append(found, incident{
			family: "network", name: "the connection breaks " + at.String() + ", and somebody sends again",
			story: "The browser says that there is no connection, and nobody knows what the app has done.",
			play:  func(v *visitor) { v.cutThenSend(at) },
		})
	}
	return append(found, incident{
		family: "network", name: "the connection breaks before the answer, and the app sends again when it is back",
		story: "Workbox issue 1480: a service worker keeps what failed, to send it when the browser is online again. It can't know " +
			"whether the request or only its answer was lost.",
		play: sentWhenOnline, pageCache: true, // in a browser with background sync
	})
}

func sentByTheBrowser(v *visitor) {
	v.wire.resetNext()
	v.create()
	if v.wire.arrived() == v.before+1 {
		v.leftOut = "since the browser did not send the form again"
	}
}

func (v *visitor) cutThenSend(at cut) {
	v.t.Helper()
	v.sendAndLose(at)
	v.tryAgain()
}

// tryAgain sends the form again after its answer was lost: on its page if that is still there, otherwise after going back.
func (v *visitor) tryAgain() {
	v.t.Helper()
	if v.isOnBrowsersErrorPage() || !v.formIsThere() {
		v.back()
		v.settle()
	}
	if !v.formIsThere() { // if the form was sent to its own address, the error page has replaced it
		v.openForm()
	}
	v.resend()
}

func clickTwiceOnASlowLine(v *visitor) {
	v.wire.slowDown()
	v.send()
	v.again(func() { v.tap(1) })
	v.settle()
}

func restartAndSend(v *visitor) {
	v.sendAndLose(beforeAnswer)
	v.check(v.app.restart(), "restart the app")
	v.tellf(byServer, "restarts")
	if v.framed != nil || !v.isOnBrowsersErrorPage() {
		v.tryAgain()
		return
	}
	v.refresh()
	v.settle()
}
