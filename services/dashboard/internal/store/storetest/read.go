package storetest

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

func pages(t *testing.T, s *store.Store) {
	var made []*record.Record
	var want []string
	for n := range 23 {
		r := Make("acc", n)
		At(r, Base().Add(time.Duration(n/4)*time.Second)) // several with the same time
		made = append(made, r)
	}
	insert(t, s, made...)
	insert(t, s, Make("other", 7))
	for n := 5; n >= 0; n-- {
		for i := min(4*n+3, 22); i >= 4*n; i-- {
			want = append(want, made[i].ID.String())
		}
	}
	var got []string
	cursor := ""
	for range len(made) { // more than there are pages
		after, err := record.ParseCursor(cursor)
		require.NoError(t, err)
		page, err := s.Page(t.Context(), all("acc"), after, 5)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Items), 5)
		got = append(got, ids(page)...)
		if page.Next == nil {
			break
		}
		cursor = page.Next.String()
	}
	require.Equal(t, want, got)

	span := all("acc")
	span.From, span.To = Base().Add(time.Second), Base().Add(2*time.Second)
	page, err := s.Page(t.Context(), span, nil, 50)
	require.NoError(t, err)
	require.Len(t, page.Items, 4)
	require.Nil(t, page.Next)
}

func isolatedAccounts(t *testing.T, s *store.Store) {
	mine, theirs := Make("acc", 1), Make("other", 2)
	theirs.Content = &record.Content{Request: []byte("secret")}
	insert(t, s, mine, theirs)
	_, err := s.Get(t.Context(), "acc", theirs.ID)
	require.True(t, apperr.Is(err, apperr.NotFound), err)
	_, err = s.Get(t.Context(), "acc", ID(Base(), 999))
	require.True(t, apperr.Is(err, apperr.NotFound), err)
	page, err := s.Page(t.Context(), filter(t, "acc", "key:prod key:key_1"), nil, 50)
	require.NoError(t, err)
	require.Equal(t, []string{mine.ID.String()}, ids(page))
	impact, err := s.Impact(t.Context(), all("acc"), record.GroupKey)
	require.NoError(t, err)
	require.EqualValues(t, 1, impact.Requests)
}

func sums(t *testing.T, s *store.Store) {
	var made []*record.Record
	var want record.Sums
	for n := range 40 {
		r := Make("acc", n)
		At(r, Base().AddDate(0, 0, n%3))
		r.Model, r.KeyID, r.KeyName = model(n%2), "key_"+model(n%4), "name"
		r.Protocol, r.Agent = []record.Protocol{record.ProtocolChat, record.ProtocolMessages}[n%2], "agent_"+model(n%4)
		r.Session, r.User = "session_"+model(n%4), "user_"+model(n%2)
		r.Inputs = &record.DecisionInputs{Tags: []string{model(n % 2)}, Metadata: map[string]string{"team": model(n % 2)}}
		r.Cost, r.BaselineCost = Nano(int64(n)*1_000_000_007), Nano(int64(40-n)*999_999_937)
		switch n {
		case 5:
			r.Cost = nil
		case 6:
			r.BaselineCost = nil
		case 7, 8:
			r.Code = "CODE_" + model(n)
		}
		made = append(made, r)
		want.Requests++
		if r.Cost != nil {
			want.Routed += *r.Cost
		}
		if r.BaselineCost != nil {
			want.Baseline += *r.BaselineCost
		}
		if r.Saved() != nil {
			want.Saved += *r.Saved()
		} else {
			want.Unpriced++
		}
	}
	insert(t, s, made...)
	for by, groups := range map[record.GroupBy]int{
		"": 0, record.GroupModel: 2, record.GroupProvider: 1, record.GroupKey: 4, record.GroupDay: 3,
		record.GroupRoute: 1, record.GroupRequestedModel: 1, record.GroupCode: 3, record.GroupProtocol: 2, record.GroupAgent: 4,
		record.GroupSession: 4, record.GroupUser: 2, record.GroupRule: 1, record.GroupEndpoint: 1, "meta.team": 2, record.GroupTag: 2,
	} {
		impact, err := s.Impact(t.Context(), all("acc"), by)
		require.NoError(t, err)
		require.Equal(t, want, impact.Sums, by)
		require.Len(t, impact.Groups, groups, by)
		require.Len(t, impact.Series, 3)
		alone, err := s.InstallationImpact(t.Context(), all("nobody"), by)
		require.NoError(t, err)
		require.Equal(t, impact, alone, "the only account is the installation")
		var byGroup, byDay record.Sums
		for _, g := range impact.Groups {
			byGroup = plus(byGroup, g.Sums)
		}
		for _, d := range impact.Series {
			byDay = plus(byDay, d.Sums)
		}
		require.Equal(t, want, byDay)
		if by != "" {
			require.Equal(t, want, byGroup, by)
		}
		if by == record.GroupKey {
			require.Equal(t, "name", impact.Groups[0].Name)
		}
	}
}

func hugeSums(t *testing.T, s *store.Store) {
	a, b := Make("acc", 1), Make("acc", 2)
	a.Cost, b.Cost, a.BaselineCost, b.BaselineCost = Nano(math.MaxInt64), Nano(math.MaxInt64), Nano(0), Nano(0)
	insert(t, s, a, b)
	impact, err := s.Impact(t.Context(), all("acc"), record.GroupModel)
	require.NoError(t, err)
	require.EqualValues(t, math.MaxInt64, impact.Routed)
	require.EqualValues(t, math.MinInt64, impact.Saved)
}

func manyGroups(t *testing.T, s *store.Store) {
	var made []*record.Record
	for n := range 700 {
		r := Make("acc", n)
		r.RequestedModel = model(n)
		made = append(made, r)
	}
	made[699].RequestedModel = model(3) // the largest group has two
	insert(t, s, made...)
	impact, err := s.Impact(t.Context(), all("acc"), record.GroupRequestedModel)
	require.NoError(t, err)
	require.Len(t, impact.Groups, 201)
	require.Equal(t, model(3), impact.Groups[0].Value)
	require.True(t, impact.Groups[200].Other)
	var total record.Sums
	for _, g := range impact.Groups {
		total = plus(total, g.Sums)
	}
	require.Equal(t, impact.Sums, total)
	require.EqualValues(t, 700, total.Requests)
}

func plus(a, b record.Sums) record.Sums {
	return record.Sums{
		Requests: a.Requests + b.Requests, Routed: a.Routed + b.Routed, Baseline: a.Baseline + b.Baseline,
		Saved: a.Saved + b.Saved, Unpriced: a.Unpriced + b.Unpriced,
	}
}
