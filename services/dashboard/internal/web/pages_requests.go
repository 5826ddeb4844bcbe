package web

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

type requestsView struct {
	Filter  string
	Problem string
	Days    int
	Sums    record.Sums
	Items   []record.Record
	Older   string // address of the next page; empty on the last
	Newest  string // address of the first page; empty on it
}

func (s *server) pageRequests(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := params(r, "filter", "cursor")
	if err != nil {
		return err
	}
	out := requestsView{Filter: validText(p.Get("filter")), Days: impactDays}
	if p.Get("cursor") != "" {
		out.Newest = out.address("")
	}
	status, err := s.fillRequests(r, v, p, &out)
	if err != nil {
		return err
	}
	return s.render(w, status, "requests", s.view("Requests", v, out))
}

// fillRequests reads what the page shows. A filter that is not understood is
// shown beside its field.
func (s *server) fillRequests(r *http.Request, v *viewer, p url.Values, out *requestsView) (int, error) {
	impact, _, err := s.impact(r.Context(), v, p, "")
	if apperr.Is(err, apperr.InvalidRequest) {
		out.Problem = apperr.From(err).Message
		return http.StatusBadRequest, nil
	}
	if err != nil {
		return 0, err
	}
	page, err := s.requests(r.Context(), v, p)
	if err != nil {
		return 0, err
	}
	out.Sums, out.Items = impact.Sums, page.Items
	if page.Next != nil {
		out.Older = out.address(page.Next.String())
	}
	return http.StatusOK, nil
}

// address is that of a page of the same filter.
func (v *requestsView) address(cursor string) string {
	q := url.Values{}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	if v.Filter != "" {
		q.Set("filter", v.Filter)
	}
	return (&url.URL{Path: "/requests", RawQuery: q.Encode()}).String()
}

// failed are the attempts of a fallback that did not serve; the last one did.
func failed(r *record.Record) []record.Attempt {
	if r.Route != record.Fallback || len(r.Attempts) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Attempts[:len(r.Attempts)-1]), func(a record.Attempt) bool { return a.Code == "" })
}

func (s *server) pageRequest(w http.ResponseWriter, r *http.Request, v *viewer) error {
	found, err := s.request(r, v)
	if err != nil {
		return err
	}
	return s.render(w, http.StatusOK, "request", s.view("Request", v, found))
}
