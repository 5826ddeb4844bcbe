package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// failures checks that a text in errors is found, no matter how many requests
// failed with it, also together with other terms.
func failures(t *testing.T, s *store.Store) {
	var made []*record.Record
	for n := range 1400 { // more than the store looks up by id
		r := Make("acc", n)
		At(r, Base().AddDate(0, 0, -9).Add(time.Duration(n)*time.Minute))
		r.Outcome, r.Code, r.Error = record.OutcomeError, "PROVIDER_OVERLOADED", "it was busy"
		switch n % 200 {
		case 7:
			r.Error, r.RequestedModel = "It was BUSY with a Zebra", "wanted"
		case 8:
			r.RequestedModel = "wanted"
		case 9:
			r.Error, r.Code = "a zebra alone", ""
		}
		made = append(made, r)
	}
	other := Make("other", 5000)
	At(other, Base().AddDate(0, 0, -9))
	other.Error = "not your zebra"
	newest := Make("acc", 5001)
	insert(t, s, append(made, other, newest)...)
	for text, want := range map[string]int{
		"zebra": 14, "busy": 1393, "zebra busy": 7, "busy zebra": 7, "busy requested_model:wanted": 14,
		"zebra requested_model:wanted": 7, "zebra -code:*": 7, "busy -requested_model:*": 0, "busy status:418": 0,
		"overloaded": 1393, "-busy zebra": 7, "busy -zebra": 1386, "gnu": 0, "gnu busy": 0, "busy gnu": 0,
	} {
		found := map[string]bool{}
		for page := range eachPage(t, s, filter(t, "acc", text), 300) {
			for _, id := range ids(page) {
				require.False(t, found[id], text)
				found[id] = true
			}
		}
		require.Len(t, found, want, text)
	}
}
