package catalog

// HasBaselineCost reports whether a request with this outcome is compared with the baseline
// model. A request that a provider or the gateway failed to complete is not: the baseline
// model would not have charged for a response that the client did not get. Its baseline cost
// is 0, so what its attempts cost counts against the savings, and a failure never earns any.
// A client that disconnects compares the same tokens.
func HasBaselineCost(outcome string) bool {
	switch outcome {
	case "error", "interrupted", "aborted":
		return false
	}
	return true
}
