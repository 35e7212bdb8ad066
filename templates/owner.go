package templates

// Owner is the tenant that a form belongs to: the one that it was shown to. Another tab may log in as another
// one before the form is sent.
type Owner struct {
	ID   string
	Name string
}

// fields carry the owner with the form. The name is there for the message, so that nothing has to be looked
// up of a tenant that somebody is not logged in as.
func (o Owner) fields() []Field {
	return []Field{{Name: "tenant", Value: o.ID}, {Name: "tenant_name", Value: o.Name}}
}
