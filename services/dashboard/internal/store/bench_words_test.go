package store_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// filterWord is a filter word with values of different frequency, the most frequent first. The
// last value is rare or has no request.
type filterWord struct {
	name   string
	values []string
}

// filterWords are the words for what clients and policies choose freely.
func (l ledger) filterWords() []filterWord {
	return []filterWord{
		{"session", []string{constantSession, l.session(l.rows / 2), "rare-session", "none"}},
		{"agent", []string{"agent-0", "agent-3", "rare-agent", "none"}},
		{"user", []string{robotUser, "user-77", "rare-user", "none"}},
		{"tag", []string{"prod", "team-0", "team-17", "rare-tag", "none"}},
		{"rule", []string{"rule-0", "rule-3", "rare-rule", "none"}},
		{"endpoint", []string{"chat", "embeddings"}},
		{"protocol", []string{"chat", "messages", "gemini", "responses"}},
		{"meta.team", []string{"team-0", "team-3", "rare-team", "none"}},
		{"meta.ticket", []string{"T-77", "none"}},
		{"meta.none", []string{"x"}},
	}
}

// combinations are filters in which an index of one word finds many requests and another word
// few of them.
var combinations = []string{
	"tag:prod meta.team:team-3 user:user-77", "session:" + constantSession + " user:rare-user", "tag:prod rule:rare-rule",
	"user:" + robotUser + " agent:rare-agent", "endpoint:chat protocol:gemini", "user:user-7*", "tag:team-1*", "meta.ticket:T-7*", "-tag:prod", "-user:*",
}

// filters returns filters with the word: by each value, by its start, by the requests that have
// another value, and by those that have none. A protocol is one of a list, so it has no start.
func (w filterWord) filters() (all []string) {
	for _, value := range w.values {
		all = append(all, w.name+":"+value, "-"+w.name+":"+value, w.name+":"+value[:len(value)/2+1]+"*")
	}
	all = append(all, w.name+":*", "-"+w.name+":*")
	if w.name == string(record.ByProtocol) {
		all = slices.DeleteFunc(all, func(text string) bool { return strings.HasSuffix(text, "*") })
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// wordReadings reads the log by every word and value, and sums of each.
func (l ledger) wordReadings(s *store.Store) (all []reading) {
	for _, w := range l.filterWords() {
		for _, text := range w.filters() {
			all = append(all, reading{name: "log " + text, most: filtered, read: l.page(s, text)})
		}
		text := w.name + ":" + w.values[0]
		all = append(all, reading{name: "log anywhere " + text, most: filtered, read: l.deep(s, text)})
	}
	for _, text := range combinations {
		all = append(all, reading{name: "log " + text, most: filtered, read: l.page(s, text)})
	}
	for _, w := range l.filterWords() {
		for _, days := range []int{1, fillDays} {
			all = append(all, l.impactReading(s, record.GroupBy(w.name), "", days))
		}
		for _, value := range w.values {
			all = append(all, l.impactReading(s, record.GroupModel, w.name+":"+value, fillDays))
		}
	}
	return all
}

// impactReading sums up a number of days. Many days of many requests can exceed the read timeout.
func (l ledger) impactReading(s *store.Store, by record.GroupBy, text string, days int) reading {
	name := strings.TrimSpace(fmt.Sprintf("impact of %d d by %s %s", days, by, text))
	return reading{name: name, mayTimeOut: true, read: func(ctx context.Context, n int) (int, error) {
		q, err := l.query(text)
		if err != nil {
			return 0, err
		}
		if days < fillDays {
			q.From = l.start.AddDate(0, 0, n%fillDays)
			q.To = q.From.AddDate(0, 0, days)
		}
		impact, err := s.Impact(ctx, q, by)
		return len(impact.Groups), err
	}}
}

// partitionIndex finds the names of indexes in a plan. The name of a partition's index starts with
// the partition.
var partitionIndex = regexp.MustCompile(`(?:Index Scan|Index Only Scan)(?: Backward)?(?: using| on) requests_(?:\w+?\d+_|default_)?(\w+)`)

// printIndexes prints which indexes a search by each word uses: for a narrow window, which it reads
// in order, and for a wide one.
func (l ledger) printIndexes(b *testing.B, s *store.Store) {
	fmt.Printf("%-44s %-44s %s\n", "index of", "in order", "in any order")
	for _, w := range l.filterWords() {
		for _, value := range w.values {
			q, err := l.query(w.name + ":" + value)
			require.NoError(b, err)
			unordered, err := s.ExplainMatches(b.Context(), q)
			require.NoError(b, err)
			if w.name != "session" { // other words are read in order only in windows of an hour
				q.From = l.start.AddDate(0, 0, fillDays/2)
				q.To = q.From.Add(time.Hour)
			}
			ordered, err := s.ExplainPage(b.Context(), q)
			require.NoError(b, err)
			fmt.Printf("%-44s %-44s %s\n", w.name+":"+value, indexesIn(ordered), indexesIn(unordered))
		}
	}
}

func indexesIn(plan string) string {
	var names []string
	for _, m := range partitionIndex.FindAllStringSubmatch(plan, -1) {
		names = append(names, m[1])
	}
	if strings.Contains(plan, "Seq Scan on") {
		names = append(names, "NONE: sequential scan")
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " + ")
}
