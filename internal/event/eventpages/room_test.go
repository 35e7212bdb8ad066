package eventpages_test

import (
	"testing"

	"onlyonce/internal/event/eventcases"
	"onlyonce/internal/site/sitetest"
)

func TestMain(m *testing.M) { sitetest.Main(m) }

func TestEveryCase(t *testing.T) { sitetest.Cases(t, eventcases.Resources()...) }

func TestEveryCheck(t *testing.T) { sitetest.Checks(t, eventcases.Resources()...) }

func TestRaces(t *testing.T) { sitetest.Races(t, eventcases.Resources()...) }
