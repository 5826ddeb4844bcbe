package requests

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// maxFacets is the maximum number of values of a field.
	maxFacets = 20
	// maxFacetText is the maximum length of a part of a value in bytes.
	maxFacetText = 256
)

type facetsJSON struct {
	Field  string      `json:"field"`
	Values []facetJSON `json:"values"`
	// Sampled is true if only the newest requests were counted.
	Sampled bool `json:"sampled"`
}

type facetJSON struct {
	Value string `json:"value"`
	// Requests is null if the requests were not counted in time.
	Requests *int64 `json:"requests"`
}

func (s *API) apiGetFacets(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "field", "text", "filter", "from", "to")
	if err != nil {
		return err
	}
	q, err := parseFacetQuery(p, v)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	found, err := s.Ledger.Facets(ctx, q)
	return httpapi.WriteResult(w, http.StatusOK, toFacetsJSON(q.Field, found), err)
}

func parseFacetQuery(p url.Values, v *access.Viewer) (record.FacetQuery, error) {
	q, err := httpapi.ParseQuery(p, v.Account.GetId())
	if err != nil {
		return record.FacetQuery{}, err
	}
	field := record.Field(p.Get("field"))
	if !record.HasFacets(field) {
		return record.FacetQuery{}, httpapi.InvalidParam("field", "requests cannot be counted by this field")
	}
	text := p.Get("text")
	if len(text) > maxFacetText || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return record.FacetQuery{}, httpapi.InvalidParam("text", "the text is too long, or it contains control characters or invalid UTF-8")
	}
	return record.NewFacetQuery(q, field, text, maxFacets), nil
}

func toFacetsJSON(field record.Field, f record.Facets) facetsJSON {
	out := facetsJSON{Field: string(field), Values: []facetJSON{}, Sampled: f.Sampled}
	for _, value := range f.Values {
		out.Values = append(out.Values, facetJSON{value.Value, jsonvalue.NullIfZero(value.Requests)})
	}
	return out
}
