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

// storm lets accounts come at their paces while each request takes as long as
// the other, and counts what became of them.
type storm struct {
	g     *Gate
	takes time.Duration
	wg    sync.WaitGroup

	mu     sync.Mutex
	served map[string]int
	missed map[string]int
	// longest is how long somebody waited for a place or a refusal, by account.
	longest map[string]time.Duration
}

func newStorm(l Limits, takes time.Duration) *storm {
	return &storm{
		g: New(l), takes: takes,
		served: map[string]int{}, missed: map[string]int{}, longest: map[string]time.Duration{},
	}
}

func (s *storm) come(account string, every, from, to time.Duration) {
	for i := range int((to - from) / every) {
		s.wg.Go(func() {
			<-time.After(from + time.Duration(i)*every)
			s.ask(account, strconv.Itoa(i%8))
		})
	}
}

// loop lets clients of an account ask again soon after they are answered.
func (s *storm) loop(account string, clients int, pause, lasts time.Duration) {
	for range clients {
		s.wg.Go(func() {
			for end := time.Now().Add(lasts); time.Now().Before(end); {
				s.ask(account, "k")
				<-time.After(pause)
			}
		})
	}
}

func (s *storm) ask(account, key string) {
	began := time.Now()
	p, err := s.g.Enter(context.Background(), who(account, key))
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
		p.Leave()
	}
}

// Ten times what there is room for comes from one account. All places are in
// use, who is refused is told at once, and the others do not notice.
func TestANoisyAccountDoesNotKeepOthersOut(t *testing.T) {
	for name, takes := range map[string]time.Duration{"short requests": 500 * time.Millisecond, "long ones": 20 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const places = 100
				s := newStorm(Limits{Requests: places, Queue: 128, Wait: 15 * time.Millisecond}, takes)
				rate := takes / places // at which places become free
				during := 5 * takes
				s.come("noisy", rate/10, takes, during)
				s.come("quiet", 10*rate, 0, during)
				s.come("other", 9*rate, 0, during)
				s.wg.Wait()
				require.Zero(t, s.missed["quiet"])
				require.Zero(t, s.missed["other"])
				require.Greater(t, s.missed["noisy"], 5*s.served["noisy"])
				all := s.served["noisy"] + s.served["quiet"] + s.served["other"]
				require.GreaterOrEqual(t, all, int((during-takes)/rate)*9/10, "of what there was room for")
				require.LessOrEqual(t, s.longest["noisy"], 15*time.Millisecond)
				require.Zero(t, s.g.Load())
			})
		})
	}
}

// The clients of a quiet account, who all come and go at once, find the places
// that they have just given back.
func TestBesideANoisyAccountNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const places, takes, during = 32, 250 * time.Millisecond, 12 * time.Second
		s := newStorm(Limits{Requests: places, Queue: 128, Wait: 15 * time.Millisecond}, takes)
		s.loop("quiet", 4, 5*time.Millisecond, during)
		s.come("noisy", takes/places/10, takes, during)
		s.wg.Wait()
		require.Zero(t, s.longest["quiet"])
		require.Zero(t, s.missed["quiet"])
		all := s.served["noisy"] + s.served["quiet"]
		require.GreaterOrEqual(t, all, int((during-takes)/(takes/places))*9/10, "of what there was room for")
	})
}
