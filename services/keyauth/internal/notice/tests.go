package notice

import "sync"

// maxConcurrentTests limits the tests of all accounts.
const maxConcurrentTests = 8

// Tests holds the accounts with a running test. Each account may run one test at
// a time. Otherwise one account with a slow webhook could block the tests of others. The zero
// value is ready to use.
type Tests struct {
	mu      sync.Mutex
	running map[string]bool
}

// Begin reports whether a test of the account may start.
func (t *Tests) Begin(accountID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running[accountID] || len(t.running) >= maxConcurrentTests {
		return false
	}
	if t.running == nil {
		t.running = map[string]bool{}
	}
	t.running[accountID] = true
	return true
}

// End must follow each Begin that returned true.
func (t *Tests) End(accountID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.running, accountID)
}
