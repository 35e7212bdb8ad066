package customerpages_test

import (
	"testing"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/site/sitetest"
)

func TestMain(m *testing.M) { sitetest.Main(m) }

func TestEveryCase(t *testing.T) { sitetest.Cases(t, customercases.Resources()...) }

func TestEveryCheck(t *testing.T) { sitetest.Checks(t, customercases.Resources()...) }

func TestRaces(t *testing.T) { sitetest.Races(t, customercases.Resources()...) }
