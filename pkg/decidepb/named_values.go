package decidepb

import (
	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// FromNamedValues converts values to their messages. It allocates all messages at once, because a
// request has about 25.
func FromNamedValues(values decide.NamedValues) []*routerv1.NamedValue {
	if len(values) == 0 {
		return nil
	}
	messages := make([]routerv1.NamedValue, len(values))
	out := make([]*routerv1.NamedValue, len(values))
	for i, v := range values {
		messages[i].Name, messages[i].Value = v.Name, v.Value
		out[i] = &messages[i]
	}
	return out
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
