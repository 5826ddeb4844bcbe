package policies

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/remote"
)

// replaySums holds the totals of replayed requests, in the JSON format of the API.
type replaySums struct {
	Requests   int64  `json:"requests"`
	Rerouted   int64  `json:"rerouted"`
	Refused    int64  `json:"refused"`
	Served     int64  `json:"served"`
	Before     int64  `json:"before_nano_usd"`
	After      int64  `json:"after_nano_usd"`
	Difference int64  `json:"difference_nano_usd"`
	Unpriced   int64  `json:"unpriced"`
	Quality    *int64 `json:"quality_difference"`
	Latency    *int64 `json:"latency_difference_us"`
}

type replayGroup struct {
	cli.Group
	replaySums
}

type replayReport struct {
	From      string  `json:"from"`
	To        string  `json:"to"`
	Version   *string `json:"policy_version"`
	Skipped   int64   `json:"skipped"`
	Truncated bool    `json:"truncated"`
	replaySums
	Routes   []replayGroup `json:"routes"`
	Models   []replayGroup `json:"models"`
	Keys     []replayGroup `json:"keys"`
	Costlier []struct {
		ID            string `json:"id"`
		Difference    int64  `json:"difference_nano_usd"`
		Before, After replayCandidate
	} `json:"costlier"`
}

type replayCandidate struct {
	Model    string `json:"model"`
	Provider string `json:"provider"`
	Effort   string `json:"effort"`
}

func (c *replayCandidate) format() string {
	return policy.JoinEffort(c.Model+"@"+c.Provider, c.Effort)
}

func replayPolicy(ctx context.Context, c cli.Invocation) error {
	b := remote.NewDashboardCommand(c)
	var draft, filter string
	var days int64
	b.Flags.Func("draft", "policy file to use instead of the active version", cli.NonEmpty(&draft))
	b.Flags.Int(&days, "days", 7, 1, 366, "number of days to replay")
	b.Flags.Func("filter", "select only matching records, such as 'model:small route:fallback'", cli.NonEmpty(&filter))
	b.AddAccountFlag("default: the operator's account")
	return b.RunForAccount(ctx, func() (err error) {
		ask := map[string]string{"filter": filter, "from": time.Now().UTC().AddDate(0, 0, -int(days)).Format(time.RFC3339)}
		if draft != "" {
			if ask["document"], err = readFile(c, draft); err != nil {
				return err
			}
		}
		body, err := json.Marshal(ask)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, remote.ReplayTimeout)
		defer cancel()
		var response remote.Response[replayReport]
		if err := b.CallJSON(ctx, http.MethodPost, "/policy/replay", string(body), &response); err != nil {
			return err
		}
		return b.PrintResult(response, replayRows(&response.Value, draft != "")...)
	})
}

// replayRows uses the words of the Policy page. The replayed policy is a draft or the active
// policy.
func replayRows(r *replayReport, isDraft bool) [][]string {
	replayed := "Active policy"
	if isDraft {
		replayed = "Draft"
	}
	rows := [][]string{
		{"From", r.From}, {"To", r.To}, {"Requests", cli.FormatCount(r.Requests)},
		{"Rerouted", cli.FormatCount(r.Rerouted), "would use another model, provider or effort"},
		{"Rejected", cli.FormatCount(r.Refused), "were served and would be rejected"}, {"Served", cli.FormatCount(r.Served), "were rejected and would be served"},
		{"Paid", cli.FormatUSD(r.Before)}, {replayed, cli.FormatUSD(r.After)}, {"Change", cli.FormatUSD(r.Difference)},
		{"Quality", formatDifference(r.Quality, 1000, ""), "average change per request"}, {"First token", formatDifference(r.Latency, 1000, " ms"), "average change per request"},
		{"Unpriced", cli.FormatCount(r.Unpriced), "have no known price and are not in the costs"}, {"Skipped", cli.FormatCount(r.Skipped), "lack the data to repeat the decision"},
	}
	if r.Truncated {
		rows = append(rows, []string{"There are too many records, so the oldest were not replayed. Use --days or --filter to select fewer."})
	}
	rows = append(rows, replayTable("ROUTE", replayed, r.Routes)...)
	rows = append(rows, replayTable("MODEL", replayed, r.Models)...)
	rows = append(rows, replayTable("KEY", replayed, r.Keys)...)
	if len(r.Costlier) > 0 {
		rows = append(rows, []string{}, []string{"MORE EXPENSIVE", "CHANGE", "PAID", strings.ToUpper(replayed)})
	}
	for _, l := range r.Costlier {
		rows = append(rows, []string{l.ID, cli.FormatUSD(l.Difference), l.Before.format(), l.After.format()})
	}
	return rows
}

func replayTable(head, replayed string, all []replayGroup) [][]string {
	rows := [][]string{{}, {head, "REQUESTS", "REROUTED", "PAID", strings.ToUpper(replayed), "CHANGE"}}
	for _, g := range all {
		rows = append(rows, []string{g.Label(), cli.FormatCount(g.Requests), cli.FormatCount(g.Rerouted), cli.FormatUSD(g.Before), cli.FormatUSD(g.After), cli.FormatUSD(g.Difference)})
	}
	return rows
}

// formatDifference divides n by divisor and appends the unit. It returns "unknown" if n is nil.
func formatDifference(n *int64, divisor float64, unit string) string {
	if n == nil {
		return "unknown"
	}
	return strconv.FormatFloat(float64(*n)/divisor, 'f', -1, 64) + unit
}
