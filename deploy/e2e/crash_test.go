package e2e

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// rounds is how often the process is killed; make chaos repeats the test.
const rounds = 3

// Every request that a client saw answered is in the ledger, once, however
// often the process is killed; accounts and keys are there as before.
func TestNothingIsLostToKillNine(t *testing.T) {
	box := Start(t)
	box.Operator()
	seen := map[string]bool{}
	for range rounds {
		for id := range hammer(t, box) {
			seen[id] = true
		}
		box = box.Again()
	}
	operator := box.Operator()
	require.Eventually(t, func() bool { return missing(operator.Records(), seen) == 0 }, patience, pollEvery)

	times := map[string]int{}
	for _, r := range operator.Records() {
		times[r.ID]++
		if seen[r.ID] {
			require.Equal(t, "ok", r.Outcome, "request %s", r.ID)
		}
	}
	for id, n := range times {
		require.Equal(t, 1, n, "request %s", id)
	}
	t.Logf("%d answered requests over %d kills, all in the ledger; %d records in all", len(seen), rounds, len(times))
}

func missing(records []Record, seen map[string]bool) int {
	found := 0
	for _, r := range records {
		if seen[r.ID] {
			found++
		}
	}
	return len(seen) - found
}

// hammer sends requests from several clients, kills the process while they
// run, and returns the ids of those whose whole answer arrived.
func hammer(t *testing.T, box *Box) map[string]bool {
	const clients, enough = 8, 60
	answered := make(chan string, 1024)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				id, ok := ask(t, box, i%2 == 0)
				if !ok {
					return
				}
				answered <- id
			}
		})
	}
	go func() {
		wg.Wait()
		close(answered)
	}()
	seen := map[string]bool{}
	for id := range answered {
		seen[id] = true
		if len(seen) == enough {
			box.Kill()
			close(stop)
		}
	}
	require.GreaterOrEqual(t, len(seen), enough, "the clients got no answers")
	return seen
}

// ask returns the id of a request whose answer was read to its end.
func ask(t *testing.T, box *Box, stream bool) (string, bool) {
	body := `{"model":"auto","messages":[{"role":"user","content":"hi"}]`
	if stream {
		body += `,"stream":true`
	}
	res, err := box.Post(t.Context(), "/chat/completions", body+"}")
	if err != nil {
		return "", false
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		return "", false
	}
	if stream && !strings.HasSuffix(string(text), "data: [DONE]\n\n") {
		return "", false
	}
	return res.Header.Get("X-Request-Id"), true
}

// A request that the process died with is in the ledger as aborted.
func TestKillNineInFlightIsRecordedAsAborted(t *testing.T) {
	box := Start(t)
	box.Operator()
	res, err := box.Post(t.Context(), "/chat/completions", `{"model":"auto","stream":true,"messages":[{"role":"user","content":"hi"}],
		"x_sandbox":{"chunks":1000,"chunk_ms":50}}`)
	require.NoError(t, err)
	_, err = res.Body.Read(make([]byte, 1))
	require.NoError(t, err)
	box.Kill()
	_ = res.Body.Close()

	rec := box.Again().Operator().Await(res.Header.Get("X-Request-Id"))
	require.Equal(t, "aborted", rec.Outcome)
	require.Positive(t, *rec.Cost)
	require.Zero(t, *rec.Baseline.Cost)
}
