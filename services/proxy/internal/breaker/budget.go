package breaker

const (
	// minRetries is how many concurrent retries a provider always allows. At 300 requests per
	// second of which 15 % fail, about one retry is in progress. If retries arrive
	// independently, a minimum of 3 rejects about one in 1000 (computed, not measured).
	minRetries = 10
	// callsPerRetry allows one concurrent retry per callsPerRetry calls in progress.
	callsPerRetry = 5
)

// providerLoad counts the calls in progress at a provider, and the retries among them.
type providerLoad struct {
	active, retries int
}

// allowsRetry reports whether one more retry fits the budget.
func (l *providerLoad) allowsRetry() bool { return l.retries < max(minRetries, l.active/callsPerRetry) }

func (l *providerLoad) addCall(retry bool) {
	l.active++
	if retry {
		l.retries++
	}
}

func (l *providerLoad) removeCall(retry bool) {
	l.active--
	if retry {
		l.retries--
	}
}
