package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/quality"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/bulk"
)

var comparisonsTable = bulk.Table{
	Name: "comparisons", Key: "id",
	Columns: []bulk.Column{
		bulk.Bytes("id"), bulk.Text("account_id"), bulk.Bytes("request_id"), bulk.Text("experiment"), bulk.Text("policy_version"), bulk.Text("task"),
		bulk.Text("served_model"), bulk.Text("served_provider"), bulk.Text("candidate_model"), bulk.Text("candidate_provider"), bulk.Text("candidate_effort"),
		bulk.Text("judge_model"), bulk.Text("judge_provider"), bulk.Text("result"), bulk.Int("score"), bulk.Int("consistent"),
		bulk.NullableInt("candidate_nano"), bulk.NullableInt("judge_nano"), bulk.Int("estimated"), bulk.Text("code"), bulk.Int("created_us"),
	},
}

func comparisonRows(all []evidence.Comparison) [][]any {
	var rows [][]any
	for i := range all {
		c := &all[i]
		rows = append(rows, []any{
			c.ID[:], codec.CleanText(c.AccountID), c.RequestID[:], c.Experiment, c.PolicyVersion, c.Task,
			c.Served.Model, c.Served.Provider, c.Candidate.Model, c.Candidate.Provider, c.Candidate.Effort,
			c.Judge.Model, c.Judge.Provider, c.Result, c.Score, toInt(c.Consistent), c.CandidateCost, c.JudgeCost, toInt(c.Estimated), c.Code, c.Created.UnixMicro(),
		})
	}
	return rows
}

func toInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

const (
	comparedPair = `c.experiment, c.served_model, c.candidate_model, c.candidate_effort, c.judge_model, c.task`
	compareRange = ` WHERE c.account_id = $1 AND c.created_us >= $2 AND c.created_us < $3 `

	sumComparisons = `SELECT ` + comparedPair + `, COUNT(*),
		CAST(SUM(CASE WHEN c.result = 'stopped' THEN 1 ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN c.result = 'judged' THEN 1 ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN c.result = 'judged' THEN c.score ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN c.result = 'judged' THEN c.score * c.score ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN c.result = 'judged' AND c.score > 0 THEN 1 ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN c.result = 'judged' AND c.score < 0 THEN 1 ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN c.result = 'judged' THEN c.consistent ELSE 0 END) AS BIGINT),
		CAST(COALESCE(SUM(c.candidate_nano), 0) AS BIGINT), CAST(COALESCE(SUM(c.judge_nano), 0) AS BIGINT)
		FROM comparisons c` + compareRange + `GROUP BY ` + comparedPair + ` ORDER BY ` + comparedPair
	// sumAgreement counts the verdicts on responses that people have rated. The judge agrees
	// with a good rating if it prefers the served response, and with a bad one otherwise.
	sumAgreement = `SELECT ` + comparedPair + `, COUNT(*), CAST(SUM(CASE WHEN
			rated.score >= 500 AND c.score < 0 OR rated.score < 500 AND c.score > 0 THEN 1 ELSE 0 END) AS BIGINT)
		FROM comparisons c JOIN (
			SELECT request_id, CAST(SUM(score * weight) AS DOUBLE PRECISION) / SUM(weight) AS score FROM evidence
			WHERE account_id = $1 AND kind = 'feedback' AND weight > 0 GROUP BY request_id
		) AS rated ON rated.request_id = c.request_id` + compareRange + `AND c.result = 'judged' AND c.score <> 0 GROUP BY ` + comparedPair
)

const selectComparisons = `SELECT id, experiment, candidate_model, candidate_provider, candidate_effort, judge_model, judge_provider,
	result, score, consistent, candidate_nano, judge_nano, created_us FROM comparisons WHERE account_id = $1 AND request_id = $2 ORDER BY created_us, id`

// Comparisons returns the comparisons of a request of the account, oldest first.
func (s *Store) Comparisons(ctx context.Context, account string, request [16]byte) ([]evidence.Comparison, error) {
	var all []evidence.Comparison
	err := s.readRows(ctx, selectComparisons, []any{account, request[:]}, func(rows *sql.Rows) error {
		c := evidence.Comparison{AccountID: account, RequestID: request}
		var id []byte
		var consistent, created int64
		err := rows.Scan(&id, &c.Experiment, &c.Candidate.Model, &c.Candidate.Provider, &c.Candidate.Effort, &c.Judge.Model, &c.Judge.Provider,
			&c.Result, &c.Score, &consistent, &c.CandidateCost, &c.JudgeCost, &created)
		copy(c.ID[:], id)
		c.Consistent, c.Created = consistent == 1, time.UnixMicro(created).UTC()
		all = append(all, c)
		return err
	})
	return all, err
}

// Experiments sums up the comparisons of an account between two times, by experiment, pair
// of models, judge and kind of task.
func (s *Store) Experiments(ctx context.Context, account string, from, to time.Time) ([]quality.Pair, error) {
	args := []any{account, from.UnixMicro(), to.UnixMicro()}
	var all []quality.Pair
	index := map[quality.PairKey]int{}
	err := s.readRows(ctx, sumComparisons, args, func(rows *sql.Rows) error {
		var p quality.Pair
		var sum, squares int64
		err := rows.Scan(&p.Experiment, &p.Served, &p.Candidate, &p.Effort, &p.Judge, &p.Task, &p.Compared, &p.Stopped,
			&p.Scores.N, &sum, &squares, &p.CandidateWins, &p.ServedWins, &p.Consistent, &p.CandidateNanoUSD, &p.JudgeNanoUSD)
		p.Scores.Sum, p.Scores.Squares = float64(sum)/1e3, float64(squares)/1e6
		index[p.PairKey], all = len(all), append(all, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = s.readRows(ctx, sumAgreement, args, func(rows *sql.Rows) error {
		var k quality.PairKey
		var rated, agreed int64
		err := rows.Scan(&k.Experiment, &k.Served, &k.Candidate, &k.Effort, &k.Judge, &k.Task, &rated, &agreed)
		if i, ok := index[k]; ok {
			all[i].Rated, all[i].Agreed = rated, agreed
		}
		return err
	})
	return all, err
}
