// Package model predicts how a deployment with many proxies behaves from what a small one was
// measured to use. Every component is a queue with Poisson arrivals, exponential service times and a
// number of equal servers (M/M/c):
//
//   - Arrivals are close to Poisson, because they come from many independent clients.
//   - Service times are CPU times per request. They vary less than exponential times do, so the
//     waiting times of the model are upper bounds. With constant times (M/D/c) they would be about half.
//   - A server is one core at the speed of the measured one. It serves one request at a time.
//
// Package scale measures the input.
package model

// ErlangC returns the probability that a request must wait. offered is the work that arrives per
// second in seconds. It returns 1 if the servers cannot do that work.
func ErlangC(servers int, offered float64) float64 {
	if offered >= float64(servers) {
		return 1
	}
	// The recursion of Erlang B is stable for any number of servers; the textbook sum overflows.
	blocked := 1.0
	for n := 1; n <= servers; n++ {
		blocked = offered * blocked / (float64(n) + offered*blocked)
	}
	return blocked / (1 - offered/float64(servers)*(1-blocked))
}

// MeanWait returns the mean time in a queue in seconds. rate is the arrivals per second, service the
// mean service time in seconds. It returns false if the queue grows without limit.
func MeanWait(servers int, rate, service float64) (wait float64, stable bool) {
	offered := rate * service
	if offered >= float64(servers) {
		return 0, false
	}
	return ErlangC(servers, offered) * service / (float64(servers) - offered), true
}
