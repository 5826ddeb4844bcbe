package decide_test

import (
	"math/rand/v2"
	"time"
)

// simulatedTurn is one request of a simulated session. The same turns run under every policy.
type simulatedTurn struct {
	// gap is the time between the end of the last response and this request, and took the
	// time until the response ends.
	gap, took time.Duration
	// added is the number of tokens that the request adds to the last prompt and response.
	// For a side call it is the whole prompt.
	added, output int64
	// hard means that only a model of high quality can serve the turn.
	hard bool
	// toolLoop means that the request returns the results of tools, and sideCall that it is
	// a side call.
	toolLoop, sideCall bool
	// estimate is the estimated number of input tokens in percent of the exact number. It is
	// the same for all turns of a session, because their prompts have most of the text in
	// common.
	estimate int64
}

// sessionMix describes sessions of one kind. A session consists of tasks, and a task of the
// turns of one tool loop.
type sessionMix struct {
	name string
	// models are the candidates of the route. The last one is the large model.
	models []string
	starts time.Time
	// prefix is the number of tokens of instructions and tools.
	prefix int64
	// turns is the number of turns of a session, and loop that of a task. If no task has
	// more than one turn, the session is a chat without tools.
	turns, loop [2]int
	// pause is the number of seconds between two tasks. Before longPauses percent of the
	// tasks the user is away for 10 to 40 minutes.
	pause      [2]int
	longPauses int
	// hard is the percentage of hard tasks.
	hard int
	// sideCalls means that each task starts with a side call, such as one for a title.
	sideCalls bool
}

func (m *sessionMix) isChat() bool { return m.loop[1] == 1 }

func between(r *rand.Rand, bounds [2]int) int { return bounds[0] + r.IntN(bounds[1]-bounds[0]+1) }

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// makeSession draws the turns of one session.
func (m *sessionMix) makeSession(r *rand.Rand) (all []simulatedTurn) {
	for left := between(r, m.turns); left > 0; {
		n := min(between(r, m.loop), left)
		left -= n
		gap := seconds(between(r, m.pause))
		if r.IntN(100) < m.longPauses {
			gap = seconds(between(r, [2]int{600, 2400}))
		}
		all = append(all, m.makeTask(r, n, gap)...)
	}
	estimate := int64(between(r, [2]int{92, 108}))
	for i := range all {
		all[i].estimate = estimate
	}
	return all
}

func (m *sessionMix) makeTask(r *rand.Rand, turns int, gap time.Duration) (all []simulatedTurn) {
	hard := r.IntN(100) < m.hard
	if m.sideCalls {
		all = append(all, simulatedTurn{gap: gap, took: seconds(1), added: 300, output: 20, sideCall: true})
		gap = 0
	}
	for i := range turns {
		t := simulatedTurn{
			gap: gap, took: seconds(between(r, [2]int{3, 25})), added: int64(between(r, [2]int{50, 600})), output: int64(between(r, [2]int{80, 900})),
			hard: hard, toolLoop: i > 0,
		}
		if t.toolLoop {
			t.gap, t.added = seconds(between(r, [2]int{0, 20})), int64(between(r, [2]int{100, 4000}))
		}
		all = append(all, t)
	}
	return all
}
