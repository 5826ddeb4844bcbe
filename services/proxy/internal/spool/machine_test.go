package spool

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

// machine applies random operations and failures to a spool, in an order that a seed
// determines, and tracks the expected result.
type machine struct {
	t      *testing.T
	rand   *rand.Rand
	config Config
	pub    *flaky
	store  *ledger
	spool  *Spool
	stop   func()
	mend   func() // nil while the disk is well

	next int
	// open holds the requests that have begun, and whether the START was
	// written. memory holds those whose END the disk refused. fate is the
	// expected text of each request's record.
	open, memory map[int]bool
	fate         map[int]string
}

const (
	ended   = "ended"
	aborted = "aborted"
	either  = "ended or aborted"
	unsure  = "anything or nothing"
)

func TestWhateverHappensNothingIsLost(t *testing.T) {
	for range 6 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { run(t, seed) })
		})
	}
}

func run(t *testing.T, seed uint64) {
	c := config(t, t.TempDir())
	c.SegmentBytes, c.MaxBytes, c.MaxMemoryBytes = 3_000, 80_000, 1<<20
	m := &machine{
		t: t, rand: rand.New(rand.NewPCG(seed, 1)), config: c,
		pub: &flaky{Memory: records.NewMemory()}, store: newLedger(),
		open: map[int]bool{}, memory: map[int]bool{}, fate: map[int]string{},
	}
	m.begin()
	for range 300 {
		m.step()
	}
	m.mended()
	m.pub.set(func() { m.pub.lose, m.pub.refuse, m.pub.deaf = false, false, false })
	m.crash()
	for deadline := time.Now().Add(time.Hour); m.spool.Stats().Waiting > 0 || m.spool.adopted() > 0; {
		require.True(t, time.Now().Before(deadline), "%+v", m.spool.Stats())
		<-time.After(time.Second)
	}
	require.NoError(t, m.spool.Close())
	m.stop()
	m.check()
	require.Empty(t, names(t, c.Dir))
}

func (m *machine) begin() {
	m.spool = open(m.t, m.config)
	m.stop = ship(m.t, m.spool, m.pub, m.pub, m.store)
}

func (m *machine) step() {
	switch n := m.rand.IntN(100); {
	case n < 40:
		m.start()
	case n < 75:
		m.end()
	case n < 85:
		<-time.After(time.Duration(m.rand.IntN(3000)) * time.Millisecond)
	case n < 93:
		m.pub.set(func() { m.pub.lose, m.pub.refuse, m.pub.deaf = m.chance(30), m.chance(30), m.chance(30) })
	case n < 95:
		m.mended()
	case n < 97 && m.mend == nil:
		m.mend = fillDisk(m.t, m.spool)
	case n == 97:
		m.crash()
	case n == 98:
		m.restart()
	}
}

func (m *machine) chance(percent int) bool { return m.rand.IntN(100) < percent }

func (m *machine) start() {
	m.next++
	if err := m.spool.Start(id(m.next), withHeadroom(fmt.Appendf(nil, "%d", m.next))); err != nil {
		require.True(m.t, m.mend != nil || m.spool.capacity.isAbove(fullPercent, m.config.MaxBytes), err)
		m.open[m.next] = false
		return
	}
	m.open[m.next] = true
}

func (m *machine) end() {
	for _, n := range slices.Sorted(maps.Keys(m.open)) {
		if m.chance(70) {
			continue
		}
		text := fmt.Sprintf("%d|%s", n, strings.Repeat("x", m.rand.IntN(1500)))
		require.NoError(m.t, m.spool.End(id(n), withHeadroom([]byte(text))))
		m.fate[n] = ended
		if m.mend != nil {
			m.memory[n] = m.open[n]
		}
		delete(m.open, n)
		return
	}
}

func (m *machine) mended() {
	if m.mend != nil {
		m.mend()
	}
	m.mend = nil
}

// crash kills the process: open requests are aborted, and records that were only in
// memory may be lost.
func (m *machine) crash() {
	m.mended()
	m.stop()
	crash(m.spool)
	for n, noted := range m.open {
		m.fate[n] = unsure
		if noted {
			m.fate[n] = aborted
		}
	}
	for n, noted := range m.memory {
		m.fate[n] = unsure
		if noted {
			m.fate[n] = either
		}
	}
	clear(m.open)
	clear(m.memory)
	m.begin()
}

// restart lets the requests end first, as a graceful shutdown does.
func (m *machine) restart() {
	m.mended()
	for len(m.open) > 0 {
		m.end()
	}
	m.stop()
	require.NoError(m.t, m.spool.Close())
	clear(m.memory)
	m.begin()
}

// check requires the record of every request. The store keeps the first one it gets.
func (m *machine) check() {
	said := map[int]string{}
	for _, text := range m.store.order {
		meta, _, _ := strings.Cut(text, "|")
		n, what := 0, ended
		if rest, cut := strings.CutPrefix(meta, "aborted "); cut {
			meta, what = rest, aborted
		}
		_, err := fmt.Sscan(meta, &n)
		require.NoError(m.t, err)
		require.Contains(m.t, m.fate, n)
		if said[n] == "" {
			said[n] = what
		}
	}
	for n, fate := range m.fate {
		switch fate {
		case unsure:
		case either:
			require.NotEmpty(m.t, said[n], "request %d", n)
		default:
			require.Equal(m.t, fate, said[n], "request %d", n)
		}
	}
}
