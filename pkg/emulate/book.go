package emulate

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// maxLines bounds the book; the oldest lines go first.
	maxLines = 1000
	// maxKept is how much of a body the book keeps.
	maxKept = 16 << 10
)

// Usage is what the vendor charges for, in buckets that do not overlap:
// Reasoning is a part of Output, and CacheWrite1h one of CacheWrite.
type Usage struct {
	Input        int64 `json:"input"`
	CacheRead    int64 `json:"cache_read"`
	CacheWrite   int64 `json:"cache_write"`
	CacheWrite1h int64 `json:"cache_write_1h"`
	Output       int64 `json:"output"`
	Reasoning    int64 `json:"reasoning"`
}

// Entry is a call as the vendor has it in its book.
type Entry struct {
	Time time.Time `json:"time"`
	// ID is part of the id that the answer's header gives.
	ID     string `json:"id"`
	Method string `json:"method"`
	// Path includes the query.
	Path   string `json:"path"`
	Key    string `json:"key"`
	Model  string `json:"model"`
	Stream bool   `json:"stream"`
	// Body is what was sent, up to 16 KiB of it.
	Body string `json:"body"`
	// Directives are the faults that were asked for.
	Directives string `json:"directives,omitempty"`
	// Status is 0 for a call that got no answer.
	Status int `json:"status"`
	// Usage is all zero for a refused call; for one that was cut off it is what
	// the whole answer would have cost.
	Usage Usage `json:"usage"`
	// Broken tells of an answer that was made to break off.
	Broken bool `json:"broken"`
	// Left tells of a caller who went away before the answer's end.
	Left bool `json:"left"`
}

// book keeps the last lines. It is safe for concurrent use.
type book struct {
	mu    sync.Mutex
	lines []Entry
	total int
}

// add writes a line and returns its number.
func (b *book) add(e Entry) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lines) == maxLines {
		b.lines = slices.Delete(b.lines, 0, maxLines/10)
	}
	b.lines = append(b.lines, e)
	b.total++
	return b.total
}

// close notes how a line ended.
func (b *book) close(number int, stayed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := number - 1 - (b.total - len(b.lines)); i >= 0 {
		b.lines[i].Left = !stayed
	}
}

func (b *book) all() []Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.lines)
}

// ServeHTTP shows the book: how many calls there were, and the last of them.
func (b *book) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	b.mu.Lock()
	shown := struct {
		Calls   int     `json:"calls"`
		Entries []Entry `json:"entries"`
	}{b.total, slices.Clone(b.lines)}
	b.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(shown)
}

func keep(body []byte) string { return string(body[:min(len(body), maxKept)]) }
