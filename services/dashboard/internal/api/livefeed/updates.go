package livefeed

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/recordjson"
)

type streamUpdate struct {
	events []streamEvent
	next   record.Position
	more   bool
}

type streamEvent struct{ name, data string }

// readUpdate reads the feed once per filter. A later read may see more commits than
// an earlier one. Records after the earliest end position wait for the next poll,
// so that all filters continue from the same position.
func (st *stream) readUpdate() (n streamUpdate, err error) {
	found := make([][]record.TailItem, len(st.queries))
	for i, q := range st.queries {
		tail, err := st.s.readTail(st.r.Context(), q, st.next)
		if err != nil {
			return n, err
		}
		if tail.Gap {
			return streamUpdate{events: []streamEvent{{"gap", "{}"}}, next: tail.Next}, nil
		}
		if i == 0 || tail.Next.Before(n.next) {
			n.next = tail.Next
		}
		if n.next == st.next {
			return streamUpdate{next: st.next}, nil
		}
		n.more, found[i] = n.more || tail.More, tail.Items
	}
	for i, items := range found {
		if items = itemsUntil(items, n.next); len(items) == 0 {
			continue
		}
		e, err := newRowsEvent(i, items)
		if err != nil {
			return n, err
		}
		n.events = append(n.events, e)
	}
	return n, nil
}

func itemsUntil(items []record.TailItem, end record.Position) []record.TailItem {
	for len(items) > 0 && end.Before(items[len(items)-1].Position) {
		items = items[:len(items)-1]
	}
	return items
}

// newRowsEvent returns the event with the items of one filter. Its name is rows
// for the first filter, rows.1 for the second, and so on.
func newRowsEvent(filter int, items []record.TailItem) (streamEvent, error) {
	out := make([]recordjson.Record, 0, len(items))
	for i := range items {
		out = append(out, recordjson.ToRecord(&items[i].Record))
	}
	data, err := json.Marshal(out)
	return streamEvent{eventName("rows", filter), string(data)}, err
}

func eventName(kind string, filter int) string {
	if filter == 0 {
		return kind
	}
	return kind + "." + strconv.Itoa(filter)
}

// readTail reads the feed. If the store is unavailable, it returns no items and the
// same position. The next poll then tries again, and no record is missed.
func (s *API) readTail(ctx context.Context, q record.Query, after record.Position) (record.Tail, error) {
	bounded, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	tail, err := s.Feed.Tail(bounded, q, after, maxStreamRows)
	if err != nil && ctx.Err() == nil && apperr.CodeOf(err) == apperr.StoreUnavailable {
		return record.Tail{Next: after}, nil
	}
	return tail, err
}
