package site_test

import (
	"slices"

	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

// programResources returns the resources with an API.
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
