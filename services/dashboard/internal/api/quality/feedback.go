package quality

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/feedback"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/recordjson"
)

const (
	// maxImportBody is the size of one call of an import, in bytes.
	maxImportBody = 2 << 20
	// importSource is the source of imported feedback that names none.
	importSource = "import"
	// storeTimeout limits the time to store feedback.
	storeTimeout = 10 * time.Second
)

// apiRateRequest stores the feedback of the signed-in user on a request. A second call
// replaces the first.
func (s *API) apiRateRequest(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var body struct {
		Score   *float64 `json:"score"`
		Verdict *string  `json:"verdict"`
		Reason  *string  `json:"reason"`
	}
	if err := httpapi.ReadJSON(w, r, &body); err != nil {
		return err
	}
	id := r.PathValue("id")
	item, err := feedback.Fields{RequestID: &id, Score: body.Score, Verdict: body.Verdict, Reason: body.Reason}.Check(userSource(v))
	var p *feedback.Problem
	switch {
	case errors.As(err, &p) && p.Field == "request_id":
		return httpapi.NotFoundError("request")
	case err != nil:
		return feedback.ToAPIError(err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	if _, err := s.Ledger.Get(ctx, v.Account.GetId(), item.RequestID); err != nil {
		return err
	}
	if err := s.storeFeedback(ctx, v, []feedback.Item{item}); err != nil {
		return err
	}
	items, err := s.Ledger.Evidence(ctx, v.Account.GetId(), item.RequestID)
	return httpapi.WriteItems(w, jsonvalue.ConvertAll(items, recordjson.ToEvidence), err)
}

// apiImportFeedback stores one item or a list of items, as the proxy's endpoint accepts
// them. An item about an unknown request waits for it. An item about a request of another
// account is dropped. The response is the same, so that a client cannot find out which ids exist.
func (s *API) apiImportFeedback(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	body, err := httpapi.ReadBody(w, r, maxImportBody)
	if err != nil {
		return err
	}
	items, err := feedback.Parse(body, importSource)
	if err != nil {
		return feedback.ToAPIError(err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
	defer cancel()
	err = s.storeFeedback(ctx, v, items)
	return httpapi.WriteResult(w, http.StatusOK, map[string]int{"accepted": len(items)}, err)
}

func (s *API) storeFeedback(ctx context.Context, v *access.Viewer, items []feedback.Item) error {
	if v.Account.GetId() == "" { // only on the operator socket
		return apperr.New(apperr.InvalidRequest, "set the account in the header "+httpapi.AccountHeader)
	}
	batch := record.Batch{}
	now := time.Now().UTC().Truncate(time.Microsecond)
	for _, item := range items {
		batch.Evidence = append(batch.Evidence, evidence.Item{
			AccountID: v.Account.GetId(), RequestID: item.RequestID, Kind: evidence.Feedback, Source: item.Source, Score: item.Score,
			Weight: evidence.WeightOf(evidence.Feedback), Reason: item.Reason, Created: now,
		})
	}
	if err := s.Writer.Insert(ctx, batch); err != nil {
		return apperr.New(apperr.StoreUnavailable, "the feedback cannot be stored at the moment; try again").WithCause(err)
	}
	return nil
}

// userSource names the signed-in user. Clients cannot use such a source.
func userSource(v *access.Viewer) string {
	return feedback.DashboardPrefix + cmp.Or(v.User.GetEmail(), v.User.GetId(), "operator")
}
