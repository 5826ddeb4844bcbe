package engine

import (
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/router/internal/affinity"
)

// Continue is Decide for a request of a conversation, told from others by its
// id: on a route with affinity it is known where it was sent last, and noted
// where it is sent now.
func (e *Engine) Continue(q decide.Question, text string, conversation uint64) (*decide.Decision, error) {
	return e.ContinueIn(&Room{}, &q, text, conversation)
}

// ContinueIn is Continue for who asks one question after the other. What is
// learned of the question is added to it.
func (e *Engine) ContinueIn(room *Room, q *decide.Question, text string, conversation uint64) (*decide.Decision, error) {
	a, _ := e.Active()
	route, ok := a.Policy.Route(q.Model, q.Kind)
	if !ok || route.Affinity == nil || conversation == 0 {
		return e.decide(room, a.Policy, q, text)
	}
	now := time.Now()
	c := affinity.Conversation{Account: q.Asker.AccountID, Route: route.Name, ID: conversation}
	q.Sticky = e.conversations.Last(c, now)
	d, err := e.decide(room, a.Policy, q, text)
	if err == nil {
		e.conversations.Note(c, d.Plan[0], now.Add(route.Affinity.TTL))
	}
	return d, err
}
