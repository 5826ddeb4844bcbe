package emulate

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// maxEntries bounds the log; the oldest entries are dropped first.
	maxEntries = 1000
	// maxRecordedBody bounds how much of a body the log stores.
	maxRecordedBody = 16 << 10
)

// Usage is what the vendor charges for, in disjoint buckets: Reasoning is a part of Output,
// and CacheWrite1h a part of CacheWrite.
type Usage struct {
	Input        int64 `json:"input"`
	CacheRead    int64 `json:"cache_read"`
	CacheWrite   int64 `json:"cache_write"`
	CacheWrite1h int64 `json:"cache_write_1h"`
	Output       int64 `json:"output"`
	Reasoning    int64 `json:"reasoning"`
}

// Entry is a call as recorded by the vendor.
type Entry struct {
	Time time.Time `json:"time"`
	// ID is part of the request id in the response header.
	ID     string `json:"id"`
	Method string `json:"method"`
	// Path includes the query.
	Path   string `json:"path"`
	Key    string `json:"key"`
	Model  string `json:"model"`
	Stream bool   `json:"stream"`
	// Body is the request body, up to 16 KiB.
	Body string `json:"body"`
	// Directives are the requested faults.
	Directives string `json:"directives,omitempty"`
	// Status is 0 for a call without a response.
	Status int `json:"status"`
	// Usage is zero for a rejected call. For an aborted one it is the usage of the whole
	// response.
	Usage Usage `json:"usage"`
	// Broken means that the response was cut off on request.
	Broken bool `json:"broken"`
	// Left means that the client disconnected before the end of the response.
	Left bool `json:"left"`
}

// callLog records the latest calls. It is safe for concurrent use.
type callLog struct {
	mu    sync.Mutex
	lines []Entry
	total int
}

// add records a call and returns its number.
func (b *callLog) add(e Entry) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lines) == maxEntries {
		b.lines = slices.Delete(b.lines, 0, maxEntries/10)
	}
	b.lines = append(b.lines, e)
	b.total++
	return b.total
}

// recordEnd records how a call ended.
func (b *callLog) recordEnd(number int, stayed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := number - 1 - (b.total - len(b.lines)); i >= 0 {
		b.lines[i].Left = !stayed
	}
}

func (b *callLog) entries() []Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.lines)
}

// ServeHTTP returns the number of calls and the latest ones.
func (b *callLog) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	b.mu.Lock()
	shown := struct {
		Calls   int     `json:"calls"`
		Entries []Entry `json:"entries"`
	}{b.total, slices.Clone(b.lines)}
	b.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(shown)
}

func truncateBody(body []byte) string { return string(body[:min(len(body), maxRecordedBody)]) }
