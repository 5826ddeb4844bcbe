package breaker

const (
	// minRetries is how many concurrent retries a provider always allows. Above
	// that, at most one in retryShare of its calls may be a retry.
	minRetries = 3
	retryShare = 5
)

// providerLoad is the number of calls in progress at a provider.
type providerLoad struct {
	active, retries int
}

// allowsRetry reports whether one more retry fits the budget.
func (l *providerLoad) allowsRetry() bool { return l.retries < max(minRetries, l.active/retryShare) }

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
