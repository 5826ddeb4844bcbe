package ledger

import (
	"context"
	"net/url"
	"strconv"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// sessionView is a session of an agent, in the JSON format of the API.
type sessionView struct {
	ID        string   `json:"id"`
	Agent     *string  `json:"agent"`
	User      *string  `json:"user"`
	Started   string   `json:"started"`
	Ended     string   `json:"ended"`
	Turns     int64    `json:"turns"`
	SideCalls int64    `json:"side_calls"`
	Errors    int64    `json:"errors"`
	Cost      int64    `json:"cost_nano_usd"`
	Saved     int64    `json:"saved_nano_usd"`
	CacheHit  *float64 `json:"cache_hit_percent"`
}

type sessionPage struct {
	cli.List[remote.Response[sessionView]]
	Next *string `json:"next_cursor"`
}

func listSessions(ctx context.Context, c cli.Invocation) error {
	b := newLedgerCommand(c)
	var limit int64
	values := map[string]*string{"agent": new(string), "user": new(string), "search": new(string), "sort": new(string), "cursor": new(string)}
	b.Flags.Func("agent", "only the sessions of this client program, such as claude-code", cli.NonEmpty(values["agent"]))
	b.Flags.Func("user", "only the sessions of this end user", cli.NonEmpty(values["user"]))
	b.Flags.Func("search", "only the sessions whose id contains this text", cli.NonEmpty(values["search"]))
	b.Flags.Func("sort", "time: the last used first (default); cost: the most expensive first", cli.NonEmpty(values["sort"]))
	b.Flags.Int(&limit, "limit", 20, 1, 200, "maximum number of sessions")
	b.Flags.Func("cursor", "value of next_cursor in an earlier --json output; continues after that output", cli.NonEmpty(values["cursor"]))
	b.addRangeFlags()
	return b.RunForAccount(ctx, func() error {
		q := b.recordQuery()
		q.Set("limit", strconv.FormatInt(limit, 10))
		setNonEmpty(q, values)
		page := sessionPage{}
		if err := b.GetJSON(ctx, "/sessions", q, &page); err != nil {
			return err
		}
		return b.PrintResult(page, sessionTable(page)...)
	})
}

func setNonEmpty(q url.Values, values map[string]*string) {
	for name, value := range values {
		if *value != "" {
			q.Set(name, *value)
		}
	}
}

func sessionTable(page sessionPage) [][]string {
	rows := [][]string{{"ENDED", "SESSION", "AGENT", "USER", "TURNS", "SIDE CALLS", "ERRORS", "COST", "SAVED", "CACHE HIT"}}
	for _, item := range page.Items {
		s := &item.Value
		rows = append(rows, []string{
			s.Ended, s.ID, cli.DashIfNil(s.Agent), cli.DashIfNil(s.User), cli.FormatCount(s.Turns), cli.FormatCount(s.SideCalls), cli.FormatCount(s.Errors),
			cli.FormatUSD(s.Cost), cli.FormatUSD(s.Saved), formatPercent(s.CacheHit),
		})
	}
	return rows
}

func formatPercent(n *float64) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatFloat(*n, 'f', -1, 64) + "%"
}
