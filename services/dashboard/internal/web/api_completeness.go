package web

import (
	"context"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// maxProducers bounds the answer; every start of a proxy is a producer.
	maxProducers = 200
	maxGaps      = 100
)

// meterJSON is what became of the numbers that were given to records: sent is
// the sum of the others but dead_letters, which are stored.
type meterJSON struct {
	Sent        int64 `json:"sent"`
	Stored      int64 `json:"stored"`
	InFlight    int64 `json:"in_flight"`
	Missing     int64 `json:"missing"`
	Lost        int64 `json:"lost"`
	DeadLetters int64 `json:"dead_letters"`
}

type completenessJSON struct {
	meterJSON
	Producers []producerJSON `json:"producers"`
}

// producerJSON is one spool of a proxy. Gaps are the numbers that are not
// stored and that nobody is known to have, the first hundred ranges of them.
type producerJSON struct {
	Producer  string  `json:"producer"`
	Host      *string `json:"host"`
	FirstSeen *string `json:"first_seen"`
	LastSeen  *string `json:"last_seen"`
	meterJSON
	// Refused are requests of which no record could be kept.
	Refused int64     `json:"refused"`
	Gaps    []gapJSON `json:"gaps"`
}

type gapJSON struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// apiCompleteness holds what was sent against what is stored, in all and for
// the newest producers.
func (s *server) apiCompleteness(w http.ResponseWriter, r *http.Request, _ *viewer) error {
	ctx, cancel := context.WithTimeout(r.Context(), readTimeout)
	defer cancel()
	all, err := s.Completeness.Completeness(ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	answer := completenessJSON{meterJSON: meterJSON(record.Total(all, now)), Producers: []producerJSON{}}
	for _, p := range all[:min(len(all), maxProducers)] {
		item, err := s.producer(ctx, p, now)
		if err != nil {
			return err
		}
		answer.Producers = append(answer.Producers, item)
	}
	return writeJSON(w, http.StatusOK, answer)
}

func (s *server) producer(ctx context.Context, p record.Producer, now time.Time) (producerJSON, error) {
	m := p.Meter(now)
	out := producerJSON{
		Producer: p.Name, Host: orNull(p.Host), FirstSeen: seenText(p.FirstSeen), LastSeen: seenText(p.LastSeen),
		meterJSON: meterJSON(m), Refused: p.Refused, Gaps: []gapJSON{},
	}
	if m.Missing+m.Lost == 0 {
		return out, nil
	}
	gaps, err := s.Completeness.Gaps(ctx, p.Name, p.Doubtful(now), maxGaps)
	for _, g := range gaps {
		out.Gaps = append(out.Gaps, gapJSON(g))
	}
	return out, err
}

// seenText is null for a producer that never said anything.
func seenText(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := timeText(t)
	return &text
}
