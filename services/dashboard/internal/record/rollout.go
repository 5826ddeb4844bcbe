package record

// Rollout names the two policy versions that were in use at the same time. PolicyVersion is
// the one that decided.
type Rollout struct {
	ID, Stable, Candidate string
	// Share is the share of the sessions that the candidate served, in hundredths of a
	// percent.
	Share int32
}

// UsedCandidate reports whether the candidate version of a rollout decided the request.
func (r *Record) UsedCandidate() bool {
	return r.Rollout != nil && r.PolicyVersion == r.Rollout.Candidate
}
