package e2e

import (
	"cmp"
	"sync"
	"time"
)

// Failures behind the browser's connection: gateways that answer in place of the app, balancers that do not wait for it, and services
// that the app needs after its commit.
func behind() []incident {
	return []incident{
		{
			family: "network", name: "a gateway answers in place of the app, and somebody refreshes its page",
			story: "Duke's repository, dul-hydra issue 1022: the page timed out, and another try made a second batch. The page of a " +
				"gateway is the answer to the form, so F5 sends the form again.",
			play: func(v *visitor) {
				v.wire.timeOutNext()
				v.create()
				v.refreshInPlace("page of the gateway", v.status() >= 400)
			}, plain: true,
		},
		{
			family: "network", name: "a gateway answers in place of the app, and somebody sends again",
			story: "Public Lab's plots issue 168: notes had been saved when a gateway answered 504, were sent again, and appeared twice.",
			play:  func(v *visitor) { v.wire.timeOutNext(); v.create(); v.tryAgain() },
		},
		{
			family: "network", name: "a balancer sends the form again while the app is at work on it",
			story: "API Umbrella issue 18: nginx stopped waiting for a slow app, and sent the request again. An app that looks for the " +
				"record first does not find it yet.",
			play: func(v *visitor) { v.wire.toReplica(hostOf(cmp.Or(v.app.replica, v.origin)), true); v.create() },
		},
		{
			family: "network", name: "a gateway answers in place of the app, and the app's script sends again by itself",
			story: "nhost pull request 4927: one click imported a backup up to five times, because Apollo's RetryLink sends a mutation " +
				"again after any failure, also after that of a gateway.",
			play: sentByTheScript,
		},
		{
			family: "network", name: "the app fails after the commit, and somebody sends again",
			story: "Public Lab's plots2 issue 6273: a comment was saved, the mail about it failed, and the error page made people send " +
				"the comment again.",
			play: sendAfterTheFailure, needs: "break",
		},
	}
}

func sentByTheScript(v *visitor) {
	v.wire.timeOutNext()
	v.create()
	if v.status() >= 400 {
		v.leftOut = "since the browser sends the form, and no script"
		return
	}
	// TanStack Query and ky wait for one second.
	if !v.within(3*time.Second, func() bool { return v.wire.arrived() > v.before+1 }) {
		v.leftOut = "since the app's script does not send it again by itself"
		return
	}
	v.tellf(byBrowser, "a script of the app has sent the form again, by itself")
	v.settle()
}

func sendAfterTheFailure(v *visitor) {
	mend := sync.OnceFunc(func() {
		v.check(v.app.mends(), "mend the app")
		v.tellf(byServer, "is mended")
	})
	defer mend()
	v.check(v.app.breaks(), "break the app")
	v.tellf(byServer, "a part of it breaks")
	v.create()
	failed := v.sawError() != ""
	mend()
	if v.told && !failed {
		v.leftOut = "since the app shows no failure when it is broken"
		return
	}
	v.tryAgain()
}
