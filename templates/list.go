package templates

// Pager leads through the pages of a list.
type Pager struct {
	FirstHref string // empty on the first page
	NextHref  string // empty on the last page
}
