package web

import (
	"context"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Letters is where dead letters are.
type Letters interface {
	// DeadLetters lists the newest, without what is in them.
	DeadLetters(ctx context.Context, limit int) ([]record.DeadLetter, error)
	// Replay tries those again that were parked, or all, and tells how many
	// became records and how many did not.
	Replay(ctx context.Context, all bool) (done, left int, err error)
}

// letterJSON is one dead letter. What is in it is not told: it may be anybody's
// words.
type letterJSON struct {
	Producer   string  `json:"producer"`
	Seq        int64   `json:"seq"`
	ReceivedAt string  `json:"received_at"`
	Reason     string  `json:"reason"`
	Parked     bool    `json:"parked"`
	Schema     *uint32 `json:"schema"`
	Bytes      int64   `json:"bytes"`
}

func (s *server) apiDeadLetters(w http.ResponseWriter, r *http.Request, _ *viewer) error {
	p, err := params(r, "limit")
	if err != nil {
		return err
	}
	limit, err := parseLimit(p.Get("limit"))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), readTimeout)
	defer cancel()
	all, err := s.Letters.DeadLetters(ctx, limit)
	if err != nil {
		return err
	}
	items := []letterJSON{}
	for _, d := range all {
		items = append(items, letterJSON{
			Producer: d.ID.Producer, Seq: d.ID.Seq, ReceivedAt: timeText(d.Received), Reason: d.Reason,
			Parked: d.Parked, Schema: orNull(d.Schema), Bytes: d.Size,
		})
	}
	return writeItems(w, items)
}

// replayTimeout bounds a replay; what it did not get to is left for the next.
const replayTimeout = time.Minute

func (s *server) apiReplay(w http.ResponseWriter, r *http.Request, _ *viewer) error {
	var body struct {
		All bool `json:"all"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), replayTimeout)
	defer cancel()
	done, left, err := s.Letters.Replay(ctx, body.All)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]int{"done": done, "left": left})
}
