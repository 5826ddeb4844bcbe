package gate

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// storm simulates accounts that send requests at their own rates. Every request
// takes the same time. It counts the served and the rejected requests.
type storm struct {
	g     *Gate
	takes time.Duration
	wg    sync.WaitGroup

	mu     sync.Mutex
	served map[string]int
	missed map[string]int
	// longest is the longest wait for a slot or a rejection, by account.
	longest map[string]time.Duration
}

func newStorm(l Limits, takes time.Duration) *storm {
	return &storm{
		g: New(l), takes: takes,
		served: map[string]int{}, missed: map[string]int{}, longest: map[string]time.Duration{},
	}
}

func (s *storm) sendRequests(account string, every, from, to time.Duration) {
	for i := range int((to - from) / every) {
		s.wg.Go(func() {
			<-time.After(from + time.Duration(i)*every)
			s.sendRequest(account, strconv.Itoa(i%8))
		})
	}
}

// loopClients runs clients of an account that send the next request soon after the
// response to the last one.
func (s *storm) loopClients(account string, clients int, pause, lasts time.Duration) {
	for range clients {
		s.wg.Go(func() {
			for end := time.Now().Add(lasts); time.Now().Before(end); {
				s.sendRequest(account, "k")
				<-time.After(pause)
			}
		})
	}
}

func (s *storm) sendRequest(account, key string) {
	began := time.Now()
	p, err := s.g.Acquire(context.Background(), newCaller(account, key))
	waited := time.Since(began)
	s.mu.Lock()
	s.longest[account] = max(s.longest[account], waited)
	if err != nil {
		s.missed[account]++
	} else {
		s.served[account]++
	}
	s.mu.Unlock()
	if err == nil {
		<-time.After(s.takes)
		p.Release()
	}
}

// One account sends ten times the possible load. All slots are in use, rejections
// are fast, and the other accounts are not affected.
func TestANoisyAccountDoesNotBlockOthers(t *testing.T) {
	for name, takes := range map[string]time.Duration{"short requests": 500 * time.Millisecond, "long ones": 20 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const places = 100
				s := newStorm(Limits{Requests: places, Queue: 128, Wait: 15 * time.Millisecond}, takes)
				rate := takes / places // at which places become free
				during := 5 * takes
				s.sendRequests("noisy", rate/10, takes, during)
				s.sendRequests("quiet", 10*rate, 0, during)
				s.sendRequests("other", 9*rate, 0, during)
				s.wg.Wait()
				require.Zero(t, s.missed["quiet"])
				require.Zero(t, s.missed["other"])
				require.Greater(t, s.missed["noisy"], 5*s.served["noisy"])
				all := s.served["noisy"] + s.served["quiet"] + s.served["other"]
				require.GreaterOrEqual(t, all, int((during-takes)/rate)*9/10, "requests served, of those that fit")
				require.LessOrEqual(t, s.longest["noisy"], 15*time.Millisecond)
				require.Zero(t, s.g.Load())
			})
		})
	}
}

// A quiet account whose requests fit into the reserve never waits, although its clients all
// send and finish at the same time.
func TestAQuietAccountDoesNotWaitBesideANoisyOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const places, takes, during = 32, 250 * time.Millisecond, 12 * time.Second
		s := newStorm(Limits{Requests: places, Queue: 128, Wait: 15 * time.Millisecond}, takes)
		s.loopClients("quiet", places/10, 5*time.Millisecond, during)
		s.sendRequests("noisy", takes/places/10, takes, during)
		s.wg.Wait()
		require.Zero(t, s.longest["quiet"])
		require.Zero(t, s.missed["quiet"])
		all := s.served["noisy"] + s.served["quiet"]
		require.GreaterOrEqual(t, all, int((during-takes)/(takes/places))*9/10, "requests served, of those that fit")
	})
}
