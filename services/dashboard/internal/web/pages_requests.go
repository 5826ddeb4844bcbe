package web

import (
	"net/http"
	"net/url"

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
	Newest  bool   // this is the first page
}

func (s *server) pageRequests(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := params(r, "filter", "cursor")
	if err != nil {
		return err
	}
	out := requestsView{Filter: validText(p.Get("filter")), Days: impactDays, Newest: p.Get("cursor") == ""}
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
		next := url.Values{"cursor": {page.Next.String()}}
		if out.Filter != "" {
			next.Set("filter", out.Filter)
		}
		out.Older = "/requests?" + next.Encode()
	}
	return http.StatusOK, nil
}

func (s *server) pageRequest(w http.ResponseWriter, r *http.Request, v *viewer) error {
	found, err := s.request(r, v)
	if err != nil {
		return err
	}
	return s.render(w, http.StatusOK, "request", s.view("Request", v, found))
}
