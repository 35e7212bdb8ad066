package invoicepages_test

import (
	"testing"

	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

func TestMain(m *testing.M) { sitetest.Main(m) }

func TestEveryCase(t *testing.T) { sitetest.Cases(t, invoicecases.Resources()...) }

// TestEveryCaseWithAFile runs all cases on a form with a file, also those that run for one operation of each kind.
func TestEveryCaseWithAFile(t *testing.T) { sitetest.Cases(t, invoicecases.Attachments()) }

func TestEveryCheck(t *testing.T) { sitetest.Checks(t, invoicecases.Resources()...) }

func TestRaces(t *testing.T) { sitetest.Races(t, invoicecases.Resources()...) }
