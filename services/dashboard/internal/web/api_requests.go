package web

import (
	"context"
	"net/http"
	"net/url"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

type pageJSON struct {
	Items []recordJSON `json:"items"`
	// NextCursor is null on the last page.
	NextCursor *string `json:"next_cursor"`
}

func (s *server) apiRequests(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := params(r, "filter", "from", "to", "limit", "cursor")
	if err != nil {
		return err
	}
	page, err := s.requests(r.Context(), v, p)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toPageJSON(page))
}

func toPageJSON(page record.Page) *pageJSON {
	answer := &pageJSON{Items: []recordJSON{}}
	for i := range page.Items {
		answer.Items = append(answer.Items, toRecordJSON(&page.Items[i]))
	}
	if page.Next != nil {
		answer.NextCursor = orNull(page.Next.String())
	}
	return answer
}

// requests is a page of the viewer's records.
func (s *server) requests(ctx context.Context, v *viewer, p url.Values) (record.Page, error) {
	q, err := query(p, v.account.GetId())
	if err != nil {
		return record.Page{}, err
	}
	limit, err := parseLimit(p.Get("limit"))
	if err != nil {
		return record.Page{}, err
	}
	after, err := record.ParseCursor(p.Get("cursor"))
	if err != nil {
		return record.Page{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return s.Ledger.Page(ctx, q, after, limit)
}

func (s *server) apiRequest(w http.ResponseWriter, r *http.Request, v *viewer) error {
	found, err := s.request(r, v)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toDetailJSON(found))
}

// request is the viewer's record that the address names.
func (s *server) request(r *http.Request, v *viewer) (*record.Record, error) {
	id, ok := record.ParseID(r.PathValue("id"))
	if !ok {
		return nil, notFound("request")
	}
	ctx, cancel := context.WithTimeout(r.Context(), readTimeout)
	defer cancel()
	return s.Ledger.Get(ctx, v.account.GetId(), id)
}
