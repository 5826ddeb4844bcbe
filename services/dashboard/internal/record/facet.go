package record

import (
	"cmp"
	"slices"
	"strings"
)

// ByMetadataName is the facet of the names of metadata. It is no field of a filter.
const ByMetadataName Field = "meta"

// HasFacets reports whether requests can be counted by the values of a field.
func HasFacets(f Field) bool {
	switch f {
	case ByModel, ByRequestedModel, ByProvider, ByRoute, ByOutcome, ByKey, ByStatus, ByCode, ByProtocol, ByAgent, BySession, ByUser,
		ByTag, ByRule, ByEndpoint, ByStream, ByMetadataName:
		return true
	}
	_, ok := f.MetadataName()
	return ok && f != ByMetadata && GroupBy(f).IsValid()
}

// FacetQuery asks for the values of a field that the requests of a query have.
type FacetQuery struct {
	Query
	Field Field
	// Text is a part of the values, whatever the case of ASCII letters. It may be empty.
	Text string
	// Limit is the maximum number of values.
	Limit int
}

// NewFacetQuery returns the query without the terms that already choose values of the field,
// because a further value is an alternative to them.
func NewFacetQuery(q Query, field Field, text string, limit int) FacetQuery {
	q.Terms = slices.DeleteFunc(slices.Clone(q.Terms), func(t Term) bool { return t.Field == field && !t.Not })
	return FacetQuery{Query: q, Field: field, Text: text, Limit: limit}
}

// Facets are values of a field, the most frequent first.
type Facets struct {
	Values []Facet
	// Sampled is true if only the newest of the requests were read. There may be other
	// values, and the counts are those of the newest requests.
	Sampled bool
}

// Facet is a value and the number of requests that have it. Requests is 0 if they were not
// counted in time.
type Facet struct {
	Value    string
	Requests int64
}

// ForgetCounts sets all counts to 0.
func (f *Facets) ForgetCounts() {
	for i := range f.Values {
		f.Values[i].Requests = 0
	}
}

// Choose returns the most frequent values of counts that contain the text.
func (q FacetQuery) Choose(counts map[string]int64) (values []Facet) {
	for value, n := range counts {
		if value != "" && strings.Contains(strings.ToLower(value), strings.ToLower(q.Text)) {
			values = append(values, Facet{value, n})
		}
	}
	slices.SortFunc(values, func(a, b Facet) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Value, b.Value))
	})
	return values[:min(len(values), q.Limit)]
}
