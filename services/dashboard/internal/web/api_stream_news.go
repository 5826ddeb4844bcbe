package web

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// news is what a step sends.
type news struct {
	events []streamEvent
	next   record.Position
	more   bool
}

type streamEvent struct{ name, data string }

// news asks for each filter. As they are asked one after the other the later
// ones may see more: what lies beyond the nearest end waits for the next step.
func (st *stream) news() (n news, err error) {
	found := make([][]record.Tailed, len(st.queries))
	for i, q := range st.queries {
		tail, err := st.s.tail(st.r.Context(), q, st.next)
		if err != nil {
			return n, err
		}
		if tail.Gap {
			return news{events: []streamEvent{{"gap", "{}"}}, next: tail.Next}, nil
		}
		if i == 0 || tail.Next.Before(n.next) {
			n.next = tail.Next
		}
		if n.next == st.next {
			return news{next: st.next}, nil
		}
		n.more, found[i] = n.more || tail.More, tail.Items
	}
	for i, items := range found {
		if items = upTo(items, n.next); len(items) == 0 {
			continue
		}
		e, err := rowsEvent(i, items)
		if err != nil {
			return n, err
		}
		n.events = append(n.events, e)
	}
	return n, nil
}

// upTo is what comes before a position.
func upTo(items []record.Tailed, end record.Position) []record.Tailed {
	for len(items) > 0 && end.Before(items[len(items)-1].Position) {
		items = items[:len(items)-1]
	}
	return items
}

// rowsEvent is called rows if it is of the first filter, rows.1 of the second.
func rowsEvent(filter int, items []record.Tailed) (streamEvent, error) {
	out := make([]recordJSON, 0, len(items))
	for i := range items {
		out = append(out, toRecordJSON(&items[i].Record))
	}
	name := "rows"
	if filter > 0 {
		name += "." + strconv.Itoa(filter)
	}
	data, err := json.Marshal(out)
	return streamEvent{name, string(data)}, err
}

// tail asks the feed. A store that is away for a moment is asked again at the
// next step: nothing is missed.
func (s *server) tail(ctx context.Context, q record.Query, after record.Position) (record.Tail, error) {
	bounded, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	tail, err := s.Feed.Tail(bounded, q, after, streamRows)
	if err != nil && ctx.Err() == nil && apperr.CodeOf(err) == apperr.StoreUnavailable {
		return record.Tail{Next: after}, nil
	}
	return tail, err
}
