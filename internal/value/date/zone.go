package date

import (
	"cmp"
	_ "embed"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // for machines without a time zone database
)

// The names of the time zones that the IANA time zone database lists by country, and UTC.
//
//go:embed zones.txt
var zoneNames string

// Other names of these time zones, each before its time zone: the links of the IANA time zone database. Some browsers send them.
//
//go:embed aliases.txt
var aliasNames string

// aliases returns the time zones by their other names.
var aliases = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	names := strings.Fields(aliasNames)
	for i := 0; i+1 < len(names); i += 2 {
		all[names[i]] = names[i+1]
	}
	return all
})

// zones returns the time zones by name, each of them read when it is first needed.
var zones = sync.OnceValue(func() map[string]func() (*time.Location, error) {
	all := map[string]func() (*time.Location, error){}
	for _, name := range Zones() {
		all[name] = sync.OnceValues(func() (*time.Location, error) { return time.LoadLocation(name) })
	}
	return all
})

// Zones returns the names of the time zones that can be chosen, such as "Europe/Berlin", in alphabetical order.
func Zones() []string { return strings.Fields(zoneNames) }

// IsZone reports whether a name is one of [Zones].
func IsZone(name string) bool { return zones()[name] != nil }

// Canonical returns the name in [Zones] of the time zone with a name or another name, such as "Asia/Kolkata" for "Asia/Calcutta". It
// returns an unknown name unchanged.
func Canonical(name string) string { return cmp.Or(aliases()[name], name) }

// Zone returns a time zone by its name in the IANA time zone database, or UTC if it isn't one of [Zones].
func Zone(name string) *time.Location {
	load := zones()[name]
	if load == nil {
		return time.UTC
	}
	zone, err := load()
	if err != nil {
		return time.UTC
	}
	return zone
}

// TodayIn returns the current day in a time zone.
func TodayIn(zone *time.Location) Date { return Of(time.Now().In(zone)) }
