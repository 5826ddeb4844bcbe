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
	p, err := httpapi.ParseParams(r, "filter", "from", "to", "sort", "order", "limit", "cursor")
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
	if q.Sort, err = record.ParseSort(p.Get("sort"), p.Get("order")); err != nil {
		return record.Page{}, err
	}
	after, err := q.Sort.ParseCursor(p.Get("cursor"))
	if err != nil {
		return record.Page{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	return s.Ledger.Page(ctx, q, after, limit)
}

func (s *API) apiGetRequest(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	id, ok := record.ParseID(r.PathValue("id"))
	if !ok {
		return httpapi.NotFoundError("request")
	}
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	// The record is looked up together with the account.
	found, err := s.Ledger.Get(ctx, v.Account.GetId(), id)
	if err != nil {
		return err
	}
	known, err := s.Ledger.Evidence(ctx, v.Account.GetId(), id)
	if err != nil {
		return err
	}
	compared, err := s.Ledger.Comparisons(ctx, v.Account.GetId(), id)
	return httpapi.WriteResult(w, http.StatusOK, recordjson.ToDetail(found, known, compared), err)
}
