package web

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/recordjson"
)

const (
	// preloadRows is the number of preloaded rows. It is more than a screen shows.
	preloadRows = 40
	// defaultRange is the range that the page shows by default.
	defaultRange = "24h"
)

// preloadRequests returns the first rows of the request list. It returns nil for
// other pages. It also returns nil if there is a filter or another order, because they
// may be slow. The script then loads the rows and shows that it is loading.
func (s *server) preloadRequests(r *http.Request, v *access.Viewer) *recordjson.Page {
	p := r.URL.Query()
	if r.URL.Path != "/requests" || p.Get("q") != "" || p.Get("sort") != "" || v.Account.GetId() == "" {
		return nil
	}
	q, ok := parseRange(p.Get("range"), time.Now())
	if !ok {
		return nil
	}
	q.Account = v.Account.GetId()
	ctx, cancel := context.WithTimeout(r.Context(), s.Timeouts.preload())
	defer cancel()
	page, err := s.Ledger.Page(ctx, q, nil, preloadRows)
	if err != nil {
		return nil
	}
	return recordjson.ToPage(page)
}

// parseRange parses two kinds of ranges that src/range.ts writes: a duration until
// now, and two times in RFC 3339. For all other texts it returns false, and the
// script loads the rows.
func parseRange(text string, now time.Time) (record.Query, bool) {
	text = cmp.Or(text, defaultRange)
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
