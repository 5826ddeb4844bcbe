package api

import (
	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

// sessionPath is where clients read the totals of one of their sessions.
const sessionPath = Prefix + "/session"

// sessionView is the JSON of a session. Amounts are in nano-USD.
type sessionView struct {
	ID              string `json:"id"`
	Model           string `json:"model"`
	Provider        string `json:"provider"`
	Turns           int64  `json:"turns"`
	Requests        int64  `json:"requests"`
	CostNanoUSD     int64  `json:"cost_nano_usd"`
	SavedNanoUSD    int64  `json:"saved_nano_usd"`
	CacheHitPercent int64  `json:"cache_hit_percent"`
}

// serveSession responds with the totals of a session of the caller's account. The request counts
// against the limits of requests, but it is not recorded.
func (e *edge) serveSession(x *exchange) {
	view, err := e.viewSession(x)
	x.record = nil
	if err != nil {
		e.reportRejection(err)
		if apperr.Is(err, apperr.ClientCancelled) {
			abort()
		}
		x.sendError(err)
		return
	}
	writeJSON(x, view)
}

func (e *edge) viewSession(x *exchange) (*sessionView, error) {
	if err := e.admit(x, scopeChat); err != nil {
		return nil, err
	}
	if err := e.enterLimits(x); err != nil {
		return nil, err
	}
	account := x.principal.AccountID
	id := session.Bound(account, x.r.URL.Query().Get("id"))
	if id == "" {
		return nil, apperr.New(apperr.InvalidRequest, "id is missing; use GET "+sessionPath+"?id=SESSION").With("param", "id")
	}
	s := e.Sessions.View(x.r.Context(), account, session.KeyOf(account, id))
	if s == nil {
		return nil, apperr.New(apperr.NotFound, "no such session, or its last request was more than an hour ago").With("id", id)
	}
	t := &s.Totals
	return &sessionView{
		ID: id, Model: s.Last.Model, Provider: s.Last.Provider, Turns: t.Turns, Requests: t.Requests,
		CostNanoUSD: t.CostNanoUSD, SavedNanoUSD: t.SavedNanoUSD, CacheHitPercent: t.CacheHitPercent(),
	}, nil
}
