package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// firstRows is more than a screen holds, usualRange the span that is shown
	// unless the address says otherwise.
	firstRows  = 40
	usualRange = "24h"
	// firstWait is how long the page waits for its rows: beyond it, it is better
	// to be there without them.
	firstWait = 100 * time.Millisecond
)

// firstRequests is what the list of requests begins with, nil for other pages.
// A filter may take long to answer: it is left to the script, which says that
// it is at work.
func (s *server) firstRequests(r *http.Request, v *viewer) *pageJSON {
	p := r.URL.Query()
	if r.URL.Path != "/requests" || p.Get("q") != "" || v.account.GetId() == "" {
		return nil
	}
	q, ok := spanShown(p.Get("range"), time.Now())
	if !ok {
		return nil
	}
	q.Account = v.account.GetId()
	ctx, cancel := context.WithTimeout(r.Context(), firstWait)
	defer cancel()
	page, err := s.Ledger.Page(ctx, q, nil, firstRows)
	if err != nil {
		return nil
	}
	return toPageJSON(page)
}

// spanShown reads a range as src/range.ts does: so long until now, or from one
// time to another.
func spanShown(text string, now time.Time) (record.Query, bool) {
	if text == "" {
		text = usualRange
	}
	if from, to, two := strings.Cut(text, ".."); two {
		begin, err := time.Parse(time.RFC3339, from)
		end, err2 := time.Parse(time.RFC3339, to)
		return record.Query{From: begin, To: end}, err == nil && err2 == nil && begin.Before(end)
	}
	units := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}
	last := len(text) - 1
	n, err := strconv.ParseUint(text[:last], 10, 13)
	unit, known := units[text[last]]
	return record.Query{From: now.Add(-time.Duration(n) * unit)}, err == nil && known && n > 0
}
