package engine

import (
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/router/internal/affinity"
)

// DecideConversation decides like Decide, for a request of a conversation. If the route
// has affinity, the decision takes into account which candidate was last chosen for the
// conversation. The first choice of the new decision is then remembered.
func (e *Engine) DecideConversation(q decide.Question, text string, conversation uint64) (*decide.Decision, error) {
	return e.DecideConversationInto(&Scratch{}, &q, text, conversation)
}

// DecideConversationInto is like DecideConversation, but reuses memory. It adds features,
// qualities and the last candidate to the question.
func (e *Engine) DecideConversationInto(scratch *Scratch, q *decide.Question, text string, conversation uint64) (*decide.Decision, error) {
	a, _ := e.Active()
	route, ok := a.Policy.Route(q.Model, q.Kind)
	if !ok || route.Affinity == nil || conversation == 0 {
		return e.decideWith(scratch, a.Policy, q, text)
	}
	now := time.Now()
	c := affinity.Conversation{Account: q.Caller.AccountID, Route: route.Name, ID: conversation}
	q.Sticky = e.conversations.LastCandidate(c, now)
	d, err := e.decideWith(scratch, a.Policy, q, text)
	if err == nil {
		e.conversations.Remember(c, d.Plan[0].Endpoint(), now.Add(route.Affinity.TTL))
	}
	return d, err
}
