package torture

import "sync"

// nearby is how many customers of a tenant are changed at a time: few, so that changes meet.
const nearby = 6

// profile is what an answer says of a customer.
type profile struct {
	ID         string `json:"id"`
	Email      string `json:"email"`
	Name       string `json:"name"`
	Version    int    `json:"version"`
	ArchivedAt string `json:"archived_at"`
}

// known are the customers whom clients were told about last, as the newest answer has them.
type known struct {
	mu     sync.Mutex
	latest [len(tokens)][]profile // newest first
}

// met notes a customer who was created or found.
func (k *known) met(tenant int, c profile) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.latest[tenant] {
		if k.latest[tenant][i].ID == c.ID {
			return
		}
	}
	k.latest[tenant] = append([]profile{c}, k.latest[tenant][:min(len(k.latest[tenant]), nearby-1)]...)
}

// seen notes how a customer is now, if that is news.
func (k *known) seen(tenant int, c profile) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, old := range k.latest[tenant] {
		if old.ID == c.ID && old.Version < c.Version {
			k.latest[tenant][i] = c
		}
	}
}

// at gives the customer in a place. It reports false as long as nobody is known.
func (k *known) at(tenant, place int) (profile, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.latest[tenant]) == 0 {
		return profile{}, false
	}
	return k.latest[tenant][place%len(k.latest[tenant])], true
}
