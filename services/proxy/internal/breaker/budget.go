package breaker

const (
	// fewRetries may be made at any time; above them, they may be one in
	// retryShare of the calls under way.
	fewRetries = 3
	retryShare = 5
)

// load is what a provider has to do for us now.
type load struct {
	active, retries int
}

// allows tells whether one more retry keeps within the budget.
func (l *load) allows() bool { return l.retries < max(fewRetries, l.active/retryShare) }

func (l *load) enter(retry bool) {
	l.active++
	if retry {
		l.retries++
	}
}

func (l *load) leave(retry bool) {
	l.active--
	if retry {
		l.retries--
	}
}
