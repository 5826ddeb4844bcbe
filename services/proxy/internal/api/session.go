package api

import (
	"cmp"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/agent"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
	"github.com/signalbox/signalbox/services/proxy/internal/sessionkeeper"
)

// exchangeSession is the session of a request.
type exchangeSession struct {
	session.Identity
	key session.Key
	// load is nil if the shared store is not read.
	load *sessionkeeper.Load
}

// startSession finds the session in the headers. If there is one, it begins to read the
// session's state while the limits are checked and the body is read.
func (e *edge) startSession(x *exchange) {
	if x.route.scope != scopeChat || x.route.countBody != nil {
		return
	}
	if id := session.IDFromHeader(x.principal.AccountID, x.r.Header); id != "" {
		e.setSession(x, session.Identity{ID: id, Explicit: true})
		x.session.load = e.Sessions.StartLoad(x.principal.AccountID, x.session.key)
	}
}

// setSession stores the session in the exchange, in the record and in a response header.
func (e *edge) setSession(x *exchange, id session.Identity) {
	if x.session.ID != id.ID {
		x.session.key = session.KeyOf(x.principal.AccountID, id.ID)
		x.record.Session = e.storableSession(x, id)
		x.setHeader("X-Signalbox-Session", x.record.Session)
	}
	x.session.Identity = id
}

// findSession completes the session of a request after its body was read. It returns what the
// decision needs to know of the session, or nil if nothing is known.
func (e *edge) findSession(x *exchange, req *requestbody.Request) *decide.Session {
	account := x.principal.AccountID
	id := session.Identify(account, x.session.ID, x.r.Header, req)
	id.User = cmp.Or(x.principal.User, id.User)
	x.record.User = e.storableUser(x, id.User)
	e.enterBudgets(x, id.User)
	if id.ID == "" || req.Kind != catalog.Chat {
		return nil
	}
	e.setSession(x, id)
	if isOpening(id, req) {
		return nil
	}
	if (id.Explicit || req.HasHistory) && e.hasAlternatives(x, req) {
		if x.session.load == nil {
			x.session.load = e.Sessions.StartLoad(account, x.session.key)
		}
		x.session.load.Wait(x.r.Context())
	}
	state := e.Sessions.Get(x.session.key)
	x.record.SideCall = session.IsSideCall(id, clientProgram(x), req, state)
	return describeSession(x, req, state)
}

// clientProgram returns the name of the client program, also if the key has another agent.
func clientProgram(x *exchange) string {
	if x.principal.Agent == "" {
		return x.record.Agent
	}
	name, _ := agent.Identify(x.r.Header)
	return name
}

// describeSession returns the session for the question. It returns nil for a conversation that
// is not known, unless the client says that there is a session.
func describeSession(x *exchange, req *requestbody.Request, state *session.State) *decide.Session {
	var q *decide.Session
	switch {
	case state != nil:
		q = state.QuestionFor(req, x.startedAt)
	case x.session.Explicit || req.EndsWithToolResult:
		q = &decide.Session{}
	default:
		return nil
	}
	q.ToolLoop, q.SideCall, q.MarksCache = req.EndsWithToolResult, x.record.SideCall, req.MarksCache
	return q
}

// isOpening reports whether a request has no id of a session, no history and no tools. Most such
// requests are not continued, so their states are not shared.
func isOpening(id session.Identity, req *requestbody.Request) bool {
	return !id.Explicit && !req.HasHistory && req.Features.GetOrZero("tools") == 0
}

// hasAlternatives reports whether more than one candidate may serve the request. Otherwise the
// state of the session cannot change the decision.
func (e *edge) hasAlternatives(x *exchange, req *requestbody.Request) bool {
	p := e.Router.Policy()
	if p == nil {
		return false
	}
	if m, ok := p.Model(req.Model); ok {
		return len(m.Endpoints) > 1 || x.principal.MaySwapModel
	}
	return true
}

// rememberRequest updates the state of the session after the record is complete. It must be
// called before the client receives the end of the response, because the next request of the
// session may follow at once.
func (e *edge) rememberRequest(x *exchange, req *requestbody.Request) {
	if x.session.ID == "" || req.Kind != catalog.Chat {
		return
	}
	r := x.record
	served := session.Served{SideCall: r.SideCall, CostNanoUSD: r.Cost.Nano}
	if r.WasServed() {
		served.Candidate, served.Usage, served.Cache = r.Served.Endpoint(), r.Usage, promptCache(x.policy, r.Served)
	}
	if r.Cost.Known && r.BaselineCost.Known {
		served.SavedNanoUSD = r.BaselineCost.Nano - r.Cost.Nano
	}
	if req.Features.GetOrZero("tools") > 0 {
		served.Opening = req.OpeningID()
	}
	e.Sessions.Remember(x.principal.AccountID, x.session.key, &served, isOpening(x.session.Identity, req))
}

// promptCache returns the prompt cache of a candidate.
func promptCache(p *policy.Policy, c decide.Candidate) catalog.Cache {
	if provider, ok := p.Provider(c.Provider); ok {
		return provider.PromptCache()
	}
	return catalog.Cache{Mode: catalog.CacheNone}
}

// storableSession returns the session id for the record. An id that the client chose can be any
// text. It is replaced by a hash if it contains sensitive data, or if no text may be stored and
// it does not look like an id. UUIDs need no search.
func (e *edge) storableSession(x *exchange, id session.Identity) string {
	if !id.Explicit || uuid.Validate(id.ID) == nil {
		return id.ID
	}
	redactor := e.redactor(x)
	if redactor == nil || redactor.RedactText(id.ID) != id.ID || x.capture != keys.CaptureFull && !looksLikeID(id.ID) {
		return session.Hash(x.principal.AccountID, id.ID)
	}
	return id.ID
}

// storableUser returns the end user for the record: a hash unless capture is full.
func (e *edge) storableUser(x *exchange, user string) string {
	if user == "" || x.capture == keys.CaptureFull {
		return user
	}
	return session.Hash(x.principal.AccountID, user)
}
