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
	return e.DecideConversationInto(&Scratch{}, &q, Chosen{Text: text, Conversation: conversation})
}

// Chosen is what a proxy sends with a question.
type Chosen struct {
	// Text is an excerpt of the request.
	Text string
	// Conversation identifies the conversation; 0 if it is unknown.
	Conversation uint64
	// Version is the policy version that the proxy chose.
	Version string
}

// DecideConversationInto is like DecideConversation, but reuses memory. It adds features,
// qualities and the last candidate to the question.
func (e *Engine) DecideConversationInto(scratch *Scratch, q *decide.Question, by Chosen) (*decide.Decision, error) {
	a, _ := e.Active()
	p := a.policyOf(by.Version)
	route, ok := p.Route(q.Model, q.Kind)
	if !ok || route.Affinity == nil || by.Conversation == 0 {
		return e.decideWith(scratch, p, q, by.Text)
	}
	now := time.Now()
	c := affinity.Conversation{Account: q.Caller.AccountID, Route: route.Name, ID: by.Conversation}
	q.Sticky = e.conversations.LastCandidate(c, now)
	d, err := e.decideWith(scratch, p, q, by.Text)
	if err == nil {
		e.conversations.Remember(c, d.Plan[0].Endpoint(), now.Add(route.Affinity.TTL))
	}
	return d, err
}
