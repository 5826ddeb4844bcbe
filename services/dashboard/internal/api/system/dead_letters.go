package system

import (
	"context"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// DeadLetters lists and replays dead letters: records that could not be decoded.
type DeadLetters interface {
	// DeadLetters lists the newest dead letters without their bytes.
	DeadLetters(ctx context.Context, limit int) ([]record.DeadLetter, error)
	// ReplayDeadLetters tries to store dead letters again. If all is false, it
	// tries only the parked ones: those whose schema was too new when they arrived.
	// It returns how many became records and how many did not.
	ReplayDeadLetters(ctx context.Context, all bool) (done, left int, err error)
}

// deadLetterJSON is one dead letter. It does not contain the bytes of the record,
// because they may contain captured text of any account.
type deadLetterJSON struct {
	Producer   string  `json:"producer"`
	Seq        int64   `json:"seq"`
	ReceivedAt string  `json:"received_at"`
	Reason     string  `json:"reason"`
	Parked     bool    `json:"parked"`
	Schema     *uint32 `json:"schema"`
	Bytes      int64   `json:"bytes"`
}

func (s *API) apiListDeadLetters(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "limit")
	if err != nil {
		return err
	}
	limit, err := httpapi.ParseLimit(p.Get("limit"))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	all, err := s.DeadLetters.DeadLetters(ctx, limit)
	items := jsonvalue.ConvertAll(all, func(d record.DeadLetter) deadLetterJSON {
		return deadLetterJSON{
			Producer: d.ID.Producer, Seq: d.ID.Seq, ReceivedAt: jsonvalue.FormatTime(d.Received), Reason: d.Reason,
			Parked: d.Parked, Schema: jsonvalue.NullIfZero(d.Schema), Bytes: d.Size,
		}
	})
	return httpapi.WriteItems(w, items, err)
}

// replayTimeout limits one replay. The next replay continues with the remaining
// dead letters.
const replayTimeout = time.Minute

func (s *API) apiReplayDeadLetters(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	var body struct {
		All bool `json:"all"`
	}
	if err := httpapi.ReadJSON(w, r, &body); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), replayTimeout)
	defer cancel()
	done, left, err := s.DeadLetters.ReplayDeadLetters(ctx, body.All)
	return httpapi.WriteResult(w, http.StatusOK, map[string]int{"done": done, "left": left}, err)
}
