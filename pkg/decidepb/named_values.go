package decidepb

import (
	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// FromNamedValues converts values to their messages.
func FromNamedValues(values decide.NamedValues) []*routerv1.NamedValue {
	var fresh reusedValues
	return fresh.fill(values)
}

// reusedValues holds messages of values.
type reusedValues struct {
	messages []routerv1.NamedValue
	pointers []*routerv1.NamedValue
}

// fill converts values to their messages. It allocates all messages at once, because a request has
// about 25. The next call overwrites them.
func (r *reusedValues) fill(values decide.NamedValues) []*routerv1.NamedValue {
	if len(values) == 0 {
		return nil
	}
	if len(values) > len(r.messages) {
		r.messages = make([]routerv1.NamedValue, len(values))
		r.pointers = make([]*routerv1.NamedValue, len(values))
		for i := range r.messages {
			r.pointers[i] = &r.messages[i]
		}
	}
	for i, v := range values {
		r.messages[i].Name, r.messages[i].Value = v.Name, v.Value
	}
	return r.pointers[:len(values)]
}

// clear removes the references to the names.
func (r *reusedValues) clear() {
	for i := range r.messages {
		r.messages[i].Name = ""
	}
}

// ToNamedValues sorts the values, because a peer may send them in any order.
func ToNamedValues(messages []*routerv1.NamedValue) decide.NamedValues {
	if len(messages) == 0 {
		return nil
	}
	out := make(decide.NamedValues, len(messages))
	for i, m := range messages {
		out[i] = decide.NamedValue{Name: m.GetName(), Value: m.GetValue()}
	}
	return out.SortUnique()
}
