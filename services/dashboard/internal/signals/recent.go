package signals

import (
	"container/list"
	"crypto/sha256"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// maxRecent is how many clients are remembered, about 200 bytes each.
	maxRecent = 20_000
	// soon is how long a question is remembered.
	soon = 10 * time.Minute
	// minQuestion is the length of the shortest question that is compared, in bytes. People
	// say "hello" and "continue" again and again.
	minQuestion = 16
)

// recentQuestions remembers the last request of each client. The oldest entry makes room
// for a new one.
type recentQuestions struct {
	limit   int
	entries map[clientKey]*list.Element
	order   *list.List // of *lastRequest, the newest first
}

// clientKey identifies a client of an account. Hashes are of fixed size, whatever the
// lengths of the names.
type clientKey [sha256.Size]byte

type lastRequest struct {
	key     clientKey
	id      uuid.UUID
	time    time.Time
	model   string
	auto    bool
	hasText bool
	// question is the hash of the question's text.
	question [sha256.Size]byte
}

func newRecentQuestions(limit int) *recentQuestions {
	return &recentQuestions{limit: limit, entries: map[clientKey]*list.Element{}, order: list.New()}
}

// explicitModel is the reason of requests that name a model instead of a route.
const explicitModel = "EXPLICIT_MODEL"

// compare compares a request with the last one of the same client, and remembers it. The
// signals are about the last one. Side calls of agents are not questions of a person.
func (q *recentQuestions) compare(r *record.Record, c *conversation) (found []evidence.Item) {
	if r.SideCall || r.Time.IsZero() {
		return nil
	}
	now := &lastRequest{key: keyOf(r), id: r.ID, time: r.Time, model: r.Model, auto: r.Reason.Code != explicitModel}
	if c != nil && len(c.question) >= minQuestion {
		now.hasText, now.question = true, sha256.Sum256([]byte(strings.Join(strings.Fields(strings.ToLower(c.question)), " ")))
	}
	last := q.replace(now)
	if last == nil || last.id == r.ID || r.ClientRetry > 0 {
		return nil
	}
	if wait := r.Time.Sub(last.time); wait <= 0 || wait > soon {
		return nil
	}
	if last.hasText && now.hasText && last.question == now.question {
		found = append(found, evidence.NewSignal(r.AccountID, last.id, evidence.AskedAgain, "the client asked the same question again", r.Time))
	}
	if last.auto && !now.auto && last.model != r.Model {
		found = append(found, evidence.NewSignal(r.AccountID, last.id, evidence.SwitchedModel, "the client then named "+r.Model, r.Time))
	}
	return found
}

// keyOf returns the client of a request: the account, the key, and the end user or the
// session. The account comes first and every part has its length, so two accounts never
// share a key.
func keyOf(r *record.Record) clientKey {
	h := sha256.New()
	who := r.User
	if who == "" {
		who = r.Session
	}
	for _, part := range []string{r.AccountID, r.KeyID, who, r.ClientAddress} {
		_, _ = h.Write([]byte{byte(len(part) >> 8), byte(len(part))})
		_, _ = h.Write([]byte(part))
	}
	return clientKey(h.Sum(nil))
}

// replace remembers a request and returns the one before it. A request that was seen
// already, or that is older, replaces nothing.
func (q *recentQuestions) replace(now *lastRequest) (last *lastRequest) {
	if e, ok := q.entries[now.key]; ok {
		last = e.Value.(*lastRequest) //nolint:forcetypeassert // nothing else is stored
		if now.time.After(last.time) {
			e.Value = now
		}
		q.order.MoveToFront(e)
		return last
	}
	q.entries[now.key] = q.order.PushFront(now)
	if q.order.Len() > q.limit {
		oldest := q.order.Remove(q.order.Back()).(*lastRequest) //nolint:forcetypeassert // as above
		delete(q.entries, oldest.key)
	}
	return nil
}
