package shadow

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/topic"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// Sample is a served request that experiments may use. The caller has checked that its text
// may be used: capture "full", and an account that allows experiments. Offer does not retain
// the sample.
type Sample struct {
	RequestID                 uuid.UUID
	AccountID, KeyID, KeyName string
	Policy                    *policy.Policy
	Question                  *decide.Question
	// Features are the features of the decision.
	Features decide.NamedValues
	Request  *requestbody.Request
	// ToChat translates the body of the request into a chat completion. It is nil if the body
	// is one. It is called later, by a worker.
	ToChat func(body []byte) ([]byte, error)
	Served decide.Candidate
	// OutputTokens is the length of the served response.
	OutputTokens int64
	// Response returns the served response, in the client's protocol or as a chat completion,
	// and whether it is complete.
	Response func() (body []byte, isComplete bool)
}

// maxTextBytes limits the text of a request, and of a response.
const maxTextBytes = 256 << 10

// Offer starts a comparison for each experiment that samples the request. It returns at
// once: the comparison runs later, or never if the gateway is busy.
func (p *Pool) Offer(s *Sample) {
	if p.Workers == 0 || p.stopped.Load() || s.Question.Kind != catalog.Chat {
		return
	}
	route := ""
	if r, ok := s.Policy.Route(s.Question.Model, s.Question.Kind); ok {
		route = r.Name
	}
	for i := range s.Policy.Experiments {
		e := &s.Policy.Experiments[i]
		if draw := drawFor(e.Name, s.RequestID); e.Selects(route, s.KeyID) && draw%policy.WholeShare < uint64(e.Share) {
			p.offerTo(e, s, draw/policy.WholeShare)
		}
	}
}

// drawFor returns a number that depends only on the experiment and the request, so that the
// share is exact over any number of proxies and can be checked later.
func drawFor(experiment string, request uuid.UUID) uint64 {
	sum := sha256.Sum256(append(request[:], experiment...))
	return binary.BigEndian.Uint64(sum[:])
}

func (p *Pool) offerTo(e *policy.Experiment, s *Sample, draw uint64) {
	if len(p.queue) == cap(p.queue) { // before any work for the sample
		p.counts.add(QueueFull)
		return
	}
	if p.IsBusy() {
		p.counts.add(Busy)
		return
	}
	candidate, ok := p.chooseCandidate(e, s, draw)
	judge, judgeOK := p.chooseJudge(e, s)
	if !ok || !judgeOK {
		p.counts.add(NotAllowed)
		return
	}
	response, complete := s.Response()
	if !complete || len(s.Request.Body) > maxTextBytes || len(response) > maxTextBytes {
		p.counts.add(TooLarge)
		return
	}
	now := time.Now()
	p.enqueue(&comparison{
		experiment: e, policy: withoutRetries(s.Policy), body: bytes.Clone(s.Request.Body), toChat: s.ToChat, response: bytes.Clone(response),
		outputTokens: s.OutputTokens,
		record: ledger.Comparison{
			ID: uuid.Must(uuid.NewV7()), RequestID: s.RequestID, AccountID: s.AccountID, KeyID: s.KeyID, KeyName: s.KeyName, Time: now,
			PolicyVersion: s.Policy.Version(), Experiment: e.Name, Task: topic.Of(s.Features), Served: s.Served, Candidate: candidate, Judge: judge,
		},
	})
}

// withoutRetries returns the policy with a single attempt per call. An attempt that failed
// may have been billed, so a second one could exceed the reserved money.
func withoutRetries(p *policy.Policy) *policy.Policy {
	single := *p
	single.Defaults.Retries.Max = 0
	return &single
}

// chooseCandidate returns one of the experiment's candidates that did not serve the request
// and that the request may be sent to. draw decides which of several is tried first.
func (p *Pool) chooseCandidate(e *policy.Experiment, s *Sample, draw uint64) (decide.Candidate, bool) {
	n := uint64(len(e.Candidates))
	for i := range n {
		if c, ok := p.findAllowed(s.Policy, s.Question, e.Candidates[(draw+i)%n], &s.Served); ok {
			return c, true
		}
	}
	return decide.Candidate{}, false
}

// chooseJudge returns the endpoint of the judge. The judge reads the text of the request, so
// its filters apply. It does not need the capabilities that the request needs.
func (p *Pool) chooseJudge(e *policy.Experiment, s *Sample) (decide.Candidate, bool) {
	q := *s.Question
	q.Needs, q.NativeOnly, q.OwnEffort = nil, nil, false
	return p.findAllowed(s.Policy, &q, e.Judge, nil)
}

// findAllowed returns the first endpoint of a model that is up, has a price and passes the
// filters of the request. It returns false if the endpoint has served the request.
func (p *Pool) findAllowed(pol *policy.Policy, q *decide.Question, name string, served *decide.Candidate) (decide.Candidate, bool) {
	m, pinned, ok := pol.ResolveEndpoint(name)
	if !ok {
		return decide.Candidate{}, false
	}
	_, effort := policy.SplitEffort(name)
	if q.OwnEffort {
		effort = ""
	}
	if served != nil && served.Model == m.ID && served.Effort == effort && (pinned == "" || pinned == served.Provider) {
		return decide.Candidate{}, false
	}
	for i := range m.Endpoints {
		c := decide.Candidate{Model: m.ID, Provider: m.Endpoints[i].Provider, Effort: effort}
		if pinned != "" && pinned != c.Provider || !p.Breakers.IsAvailable(c) || p.IsDrained != nil && p.IsDrained(c) {
			continue
		}
		if _, priced := m.PriceAt(c.Provider, q.At); !priced {
			continue
		}
		if code, _ := decide.CheckCandidate(pol, q, c); code == "" {
			return c, true
		}
	}
	return decide.Candidate{}, false
}

// cut returns text with at most limit bytes. It replaces the middle, because the start and
// the end of a text matter most.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	half := limit / 2
	return strings.ToValidUTF8(text[:half], "") + "\n[…]\n" + strings.ToValidUTF8(text[len(text)-half:], "")
}
