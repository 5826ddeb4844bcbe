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

func (s *server) apiListRequests(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := parseParams(r, "filter", "from", "to", "limit", "cursor")
	if err != nil {
		return err
	}
	page, err := s.readPage(r.Context(), v, p)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toPageJSON(page))
}

func toPageJSON(page record.Page) *pageJSON {
	out := &pageJSON{Items: []recordJSON{}}
	for i := range page.Items {
		out.Items = append(out.Items, toRecordJSON(&page.Items[i]))
	}
	if page.Next != nil {
		out.NextCursor = nullIfZero(page.Next.String())
	}
	return out
}

func (s *server) readPage(ctx context.Context, v *viewer, p url.Values) (record.Page, error) {
	q, err := parseQuery(p, v.account.GetId())
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

func (s *server) apiGetRequest(w http.ResponseWriter, r *http.Request, v *viewer) error {
	found, err := s.readRequest(r, v)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toDetailJSON(found))
}

// readRequest reads the record with the id in the URL. The record must belong
// to the account.
func (s *server) readRequest(r *http.Request, v *viewer) (*record.Record, error) {
	id, ok := record.ParseID(r.PathValue("id"))
	if !ok {
		return nil, notFoundError("request")
	}
	ctx, cancel := context.WithTimeout(r.Context(), readTimeout)
	defer cancel()
	return s.Ledger.Get(ctx, v.account.GetId(), id)
}
