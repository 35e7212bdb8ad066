package peoplepages_test

import (
	"testing"

	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/site/sitetest"
)

func TestMain(m *testing.M) { sitetest.Main(m) }

func TestEveryCase(t *testing.T) { sitetest.Cases(t, peoplecases.Resources()...) }

func TestEveryCheck(t *testing.T) { sitetest.Checks(t, peoplecases.Resources()...) }

func TestRaces(t *testing.T) { sitetest.Races(t, peoplecases.Resources()...) }
