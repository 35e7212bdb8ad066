package invoicepages_test

import (
	"testing"

	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

func TestMain(m *testing.M) { sitetest.Main(m) }

func TestEveryCase(t *testing.T) { sitetest.Cases(t, invoicecases.Resources()...) }

func TestEveryCheck(t *testing.T) { sitetest.Checks(t, invoicecases.Resources()...) }

func TestRaces(t *testing.T) { sitetest.Races(t, invoicecases.Resources()...) }
