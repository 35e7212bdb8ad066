package site_test

import (
	"slices"
	"testing"

	"onlyonce/internal/lab/labcases"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

func TestMain(m *testing.M) { sitetest.Main(m) }

// setup returns a bundle whose servers have everything that any program mounts.
func setup(t *testing.T) *sitetest.Bundle {
	t.Helper()
	var more []func(*sitetest.Config)
	more = append(more, labcases.WithLab(t))
	return sitetest.Setup(t, more...)
}

func programResources() []sitetest.Resource {
	return slices.DeleteFunc(sitecases.Resources(), func(of sitetest.Resource) bool { return of.People })
}

// createdResources returns the resources that a client can create.
func createdResources() []sitetest.Resource {
	return slices.DeleteFunc(sitecases.Resources(), func(of sitetest.Resource) bool { return of.Only || of.Arrives != nil })
}

// plainResources returns the resources whose records tenancy tests create.
func plainResources() []sitetest.Resource {
	return slices.DeleteFunc(sitecases.Resources(),
		func(of sitetest.Resource) bool { return !of.IsPlain() || of.Name == "invoice" || of.Name == "customer" })
}
