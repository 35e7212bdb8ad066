package e2e

import (
	"cmp"
	"strings"
)

// Failures behind the browser's connection: gateways that answer in place of the app, and balancers that do not wait for it.
func behind() []incident {
	return []incident{
		{
			family: "network", name: "a gateway answers in place of the app, and somebody refreshes its page",
			story: "Duke's repository, dul-hydra issue 1022: the page timed out, and another try made a second batch. The page of a " +
				"gateway is the answer to the form, so F5 sends the form again.",
			play: refreshTheGatewaysPage, plain: true,
		},
		{
			family: "network", name: "a gateway answers in place of the app, and somebody sends again",
			story: "Public Lab's plots issue 168: notes had been saved when a gateway answered 504, were sent again, and appeared twice.",
			play:  sendAfterTheGateway,
		},
		{
			family: "network", name: "a balancer sends the form again while the app is at work on it",
			story: "API Umbrella issue 18: nginx stopped waiting for a slow app, and sent the request again. An app that looks for the " +
				"record first does not find it yet.",
			play: sentByTheImpatientBalancer,
		},
	}
}

func refreshTheGatewaysPage(v *visitor) {
	v.wire.timeOutNext()
	v.create()
	if v.status() < 400 {
		v.leftOut = "since a script sends the form, so the browser shows no page of the gateway"
		return
	}
	v.refresh()
	v.settle()
}

func sendAfterTheGateway(v *visitor) {
	v.wire.timeOutNext()
	v.create()
	v.tryAgain()
}

func sentByTheImpatientBalancer(v *visitor) {
	v.wire.toReplicaAtOnce(strings.TrimPrefix(cmp.Or(v.app.replica, v.origin), "http://"))
	v.create()
}
