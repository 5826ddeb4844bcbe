package livefeed

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/recordjson"
)

// runningInterval is the time between two lists of requests in progress.
const runningInterval = time.Second

// Board returns the requests in progress of an account. inflight.Board implements it.
type Board interface {
	Running(ctx context.Context, account string) []record.Running
}

// sendRunning sends the list of requests in progress of each filter, once a second. It
// sends an empty list only after a list with requests. The events have no id, because
// a client that reconnects needs only the next list.
func (st *stream) sendRunning(now time.Time) error {
	if st.s.Running == nil || now.Before(st.nextRunning) {
		return nil
	}
	st.nextRunning = now.Add(runningInterval)
	running := st.s.Running.Running(st.r.Context(), st.queries[0].Account)
	for i, q := range st.queries {
		list := selectRunning(running, q)
		if len(list) == 0 && !st.hadRunning[i] {
			continue
		}
		st.hadRunning[i] = len(list) > 0
		data, err := json.Marshal(list)
		if err != nil {
			return err
		}
		if err := st.writeText(fmt.Sprintf("event: %s\ndata: %s\n\n", eventName("running", i), data)); err != nil {
			return err
		}
	}
	return nil
}

func selectRunning(running []record.Running, q record.Query) []recordjson.Running {
	list := []recordjson.Running{}
	for i := range running {
		if q.MatchesRunning(&running[i]) {
			list = append(list, recordjson.ToRunning(&running[i]))
		}
	}
	return list
}
