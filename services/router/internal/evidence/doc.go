// Package evidence learns from this installation how far the shipped predictions of quality
// are off. An Outcome says how good a response was and what was predicted; their difference
// is a residual. The package knows no text: a residual belongs to an account, a model and the
// topic of the request, such as law or code.
//
//	residuals of an account ──▶ its own corrections ──▶ its own decisions
//	        │ one vote per group of accounts                 ▲ prior
//	        └──▶ shared corrections ──▶ decisions of all accounts
//
// What keeps a wrong or hostile report from doing harm:
//
//   - Shrinkage: a correction is near zero until many outcomes support it.
//   - Strictness: what an account says about all its models alike is not applied. People
//     rate mostly bad responses; this must not make every model look bad.
//   - One vote per group: a shared correction is the median of what the groups of accounts
//     say, less a margin. The number of outcomes of an account does not matter.
//   - Shadow scores: a correction applies only after it would have predicted later outcomes
//     better than the shipped weights, by logarithmic loss. Topics must also predict better
//     than the corrections of models alone. Shared corrections need the majority of the
//     accounts.
//   - Daily limits: a correction moves away from its value at midnight UTC only so far.
//
// State is the sums that the corrections follow from. Table is a set of corrections; it is
// immutable and its version is the hash of its content. A Learner keeps both in a Store
// that all routers share. A decision adds the integers of one Table, whose version is part
// of the predictor's name on the record.
package evidence
