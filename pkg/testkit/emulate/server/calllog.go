package server

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// maxEntries limits the log. If the log is full, a tenth of the entries is dropped, oldest first.
	maxEntries = 1000
	// maxRecordedBody limits how many bytes of a body the log stores.
	maxRecordedBody = 16 << 10
)

// Usage contains the token counts that the vendor charges for. Input, CacheRead, CacheWrite and Output
// are disjoint. Reasoning is a part of Output, and CacheWrite1h is a part of CacheWrite.
type Usage struct {
	Input        int64 `json:"input"`
	CacheRead    int64 `json:"cache_read"`
	CacheWrite   int64 `json:"cache_write"`
	CacheWrite1h int64 `json:"cache_write_1h"`
	Output       int64 `json:"output"`
	Reasoning    int64 `json:"reasoning"`
}

// Entry is one call in the vendor's log.
type Entry struct {
	Time time.Time `json:"time"`
	// ID is the call's number. The request id in the response header contains it.
	ID     string `json:"id"`
	Method string `json:"method"`
	// Path includes the query.
	Path   string `json:"path"`
	Key    string `json:"key"`
	Model  string `json:"model"`
	Stream bool   `json:"stream"`
	// Body is the request body, up to 16 KiB.
	Body string `json:"body"`
	// Directives are the directives that applied to the call.
	Directives string `json:"directives,omitempty"`
	// Status is the HTTP status, or 0 if no response was sent.
	Status int `json:"status"`
	// Usage is zero for a rejected call. If a response was cut off, Usage is that of the whole response.
	Usage Usage `json:"usage"`
	// ToolCalls is the number of tool calls in the response.
	ToolCalls int `json:"tool_calls"`
	// Broken means that a directive cut the response off.
	Broken bool `json:"broken"`
	// Disconnected means that the client disconnected before the end of the response.
	Disconnected bool `json:"left"`
}

type callLog struct {
	mu    sync.Mutex
	lines []Entry
	total int
}

// add records a call and returns its number, for recordEnd.
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

// recordEnd records whether the client stayed connected until the end of the response.
func (b *callLog) recordEnd(number int, stayed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := number - 1 - (b.total - len(b.lines)); i >= 0 {
		b.lines[i].Disconnected = !stayed
	}
}

func (b *callLog) entries() []Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.lines)
}

// ServeHTTP returns the total number of calls, and the recorded calls.
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
