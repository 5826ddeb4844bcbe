package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/records"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

const (
	// month is the time span of the records.
	month = 30 * 24 * time.Hour
	// batchSize is the number of records in one Publish call.
	batchSize = 200
	// maxUnstored is how many records are published before fillLedger waits for the ledger.
	maxUnstored = 50_000
)

// fillLedger publishes records of the operator's account and waits until they are
// stored.
func (s *splitDeployment) fillLedger(ctx context.Context, rows int) error {
	account, client, err := s.signIn(ctx)
	if err != nil {
		return err
	}
	publisher, err := records.NewRedisPublisher(s.Redis, records.RedisPublisherConfig{})
	if err != nil {
		return err
	}
	defer func() { _ = publisher.Close() }()
	producer, began := uuid.NewString(), time.Now()
	random := rand.New(rand.NewPCG(1, 2))
	for done := 0; done < rows; {
		var batch []records.Entry
		for ; len(batch) < batchSize && done < rows; done++ {
			at := began.Add(-month * time.Duration(rows-done) / time.Duration(rows))
			encoded, err := proto.Marshal(newRecord(random, account, at))
			if err != nil {
				return err
			}
			batch = append(batch, records.Entry{Producer: producer, Seq: uint64(done + 1), Record: encoded})
		}
		if err := publisher.Publish(ctx, batch); err != nil {
			return err
		}
		if done%maxUnstored == 0 || done == rows {
			if err := s.awaitStored(ctx, client, int64(done-maxUnstored/2), int64(rows), done == rows); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(os.Stderr, "\n%d records stored, %.0f per second\n", rows, float64(rows)/time.Since(began).Seconds())
	return nil
}

// vacuum does immediately what autovacuum would do in the minutes after a bulk load,
// because the benchmark is about a ledger that grew over a month.
func (s *splitDeployment) vacuum(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.Postgres)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	return err
}

// awaitStored waits until the ledger has as many records as enough says. If all is set, it
// waits for as many as rows says. It prints the progress.
func (s *splitDeployment) awaitStored(ctx context.Context, client *http.Client, enough, rows int64, all bool) error {
	for {
		var impact struct {
			Requests int64 `json:"requests"`
		}
		if err := s.callAPI(ctx, client, "GET", "/impact?from=2020-01-01", nil, &impact); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "\r%d of %d records stored", impact.Requests, rows)
		if !all && impact.Requests >= enough || impact.Requests >= rows {
			return nil
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func newRecord(random *rand.Rand, account string, at time.Time) *recordv1.RequestRecord {
	id := uuid.Must(uuid.NewV7())
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at.UnixMilli()))
	copy(id[:6], ms[2:])
	model := []string{"small", "medium", "large"}[random.IntN(3)]
	cost := random.Int64N(2_000_000)
	baseline := cost + random.Int64N(8_000_000) - 500_000
	r := &recordv1.RequestRecord{
		Schema: 1, Id: id[:], AccountId: account, KeyId: "bench", KeyName: "bench", Time: timestamppb.New(at),
		Endpoint: recordv1.Endpoint_ENDPOINT_CHAT, RequestedModel: "auto", Model: model, Provider: "bench", Status: 200,
		Route: recordv1.Route_ROUTE_EXPECTED, Outcome: recordv1.Outcome_OUTCOME_OK, BaselineModel: "large",
		Tokens:      &recordv1.Tokens{Input: random.Int64N(4000), Output: random.Int64N(900)},
		CostNanoUsd: &cost, BaselineNanoUsd: &baseline, LatencyUs: 200_000 + random.Int64N(3_000_000), TtftUs: 100_000 + random.Int64N(100_000), GatewayUs: random.Int64N(900),
	}
	switch random.IntN(50) {
	case 0:
		r.Outcome, r.Status, r.Code, r.Error = recordv1.Outcome_OUTCOME_ERROR, 502, "PROVIDER_UPSTREAM_ERROR", "the provider failed"
		r.Model, r.Provider, r.Route = "", "", recordv1.Route_ROUTE_UNSPECIFIED
	case 1, 2:
		r.Route = recordv1.Route_ROUTE_FALLBACK
	}
	return r
}

// signIn signs the operator in and returns the account id and the client.
func (s *splitDeployment) signIn(ctx context.Context) (string, *http.Client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", nil, err
	}
	client := &http.Client{Jar: jar, Timeout: 30 * time.Second}
	var who struct {
		Account struct {
			ID string `json:"id"`
		} `json:"account"`
	}
	err = s.callAPI(ctx, client, "POST", "/login", s.Operator, &who)
	return who.Account.ID, client, err
}

func (s *splitDeployment) callAPI(ctx context.Context, client *http.Client, method, path string, body, out any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, s.Dashboard+"/api/v1"+path, bytes.NewReader(sent))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, path, res.Status)
	}
	return json.NewDecoder(res.Body).Decode(out)
}
