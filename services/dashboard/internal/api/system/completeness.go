package system

import (
	"context"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// maxProducers limits the length of the response. Every start of a proxy adds
	// a producer.
	maxProducers = 200
	maxGaps      = 100
)

// deliveryCountsJSON counts the sent records by state. Sent is the sum of Stored,
// InFlight, Missing and Lost. Stored includes the dead letters.
type deliveryCountsJSON struct {
	Sent        int64 `json:"sent"`
	Stored      int64 `json:"stored"`
	InFlight    int64 `json:"in_flight"`
	Missing     int64 `json:"missing"`
	Lost        int64 `json:"lost"`
	DeadLetters int64 `json:"dead_letters"`
}

type completenessJSON struct {
	deliveryCountsJSON
	Producers []producerJSON `json:"producers"`
}

// producerJSON is one spool of a proxy: its on-disk queue of records. Gaps lists the
// first maxGaps ranges of sequence numbers that are neither stored nor held by a
// running proxy.
type producerJSON struct {
	Producer  string  `json:"producer"`
	Host      *string `json:"host"`
	FirstSeen *string `json:"first_seen"`
	LastSeen  *string `json:"last_seen"`
	deliveryCountsJSON
	// Refused counts requests for which no record could be written.
	Refused int64     `json:"refused"`
	Gaps    []gapJSON `json:"gaps"`
}

type gapJSON struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// apiGetCompleteness returns how many of the sent records are stored: in total, and
// for each of the newest producers.
func (s *API) apiGetCompleteness(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	all, err := s.Completeness.Completeness(ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	response := completenessJSON{deliveryCountsJSON: deliveryCountsJSON(record.SumDeliveries(all, now)), Producers: []producerJSON{}}
	for _, p := range all[:min(len(all), maxProducers)] {
		item, err := s.toProducerJSON(ctx, p, now)
		if err != nil {
			return err
		}
		response.Producers = append(response.Producers, item)
	}
	return httpapi.WriteJSON(w, http.StatusOK, response)
}

func (s *API) toProducerJSON(ctx context.Context, p record.Producer, now time.Time) (producerJSON, error) {
	m := p.CountDeliveries(now)
	out := producerJSON{
		Producer: p.Name, Host: jsonvalue.NullIfZero(p.Host), FirstSeen: jsonvalue.FormatTimeOrNull(p.FirstSeen), LastSeen: jsonvalue.FormatTimeOrNull(p.LastSeen),
		deliveryCountsJSON: deliveryCountsJSON(m), Refused: p.Refused, Gaps: []gapJSON{},
	}
	if m.Missing+m.Lost == 0 {
		return out, nil
	}
	gaps, err := s.Completeness.FindGaps(ctx, p.Name, p.LastGapSeq(now), maxGaps)
	out.Gaps = jsonvalue.ConvertAll(gaps, func(g records.Range) gapJSON { return gapJSON(g) })
	return out, err
}
