package requests

import (
	"context"
	"net/http"
	"net/url"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/recordjson"
)

func (s *API) apiListRequests(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "filter", "from", "to", "limit", "cursor")
	if err != nil {
		return err
	}
	page, err := s.readPage(r.Context(), v, p)
	return httpapi.WriteResult(w, http.StatusOK, recordjson.ToPage(page), err)
}

func (s *API) readPage(ctx context.Context, v *access.Viewer, p url.Values) (record.Page, error) {
	q, err := httpapi.ParseQuery(p, v.Account.GetId())
	if err != nil {
		return record.Page{}, err
	}
	limit, err := httpapi.ParseLimit(p.Get("limit"))
	if err != nil {
		return record.Page{}, err
	}
	after, err := record.ParseCursor(p.Get("cursor"))
	if err != nil {
		return record.Page{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	return s.Ledger.Page(ctx, q, after, limit)
}

func (s *API) apiGetRequest(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	found, err := s.readRequest(r, v)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, recordjson.ToDetail(found))
}

// readRequest reads the record with the id in the URL. The record must belong
// to the account.
func (s *API) readRequest(r *http.Request, v *access.Viewer) (*record.Record, error) {
	id, ok := record.ParseID(r.PathValue("id"))
	if !ok {
		return nil, httpapi.NotFoundError("request")
	}
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	return s.Ledger.Get(ctx, v.Account.GetId(), id)
}
