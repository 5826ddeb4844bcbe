// Package statistics says what evidence of quality proves. Its intervals are always valid:
// with probability 1 - alpha, the true value is in all of the intervals, whenever and
// however often they are looked at. So a page may show them after every request, and a
// rollout may stop as soon as they allow a verdict.
//
// Both intervals invert a mixture martingale: a bet against each possible true value m,
// whose expected capital is at most 1 if m is true. By Ville's inequality the capital of
// the true value ever exceeds 1/alpha with probability alpha at most. The interval is the
// set of the values whose bet has not won that much.
//
//   - MeanInterval is for scores in [0, 1]. It uses the beta mixture of Robbins (1970),
//     which for binary scores is the martingale of the beta-binomial distribution, and for
//     other scores a supermartingale, because a bounded variable is sub-Bernoulli (Howard,
//     Ramdas, McAuliffe, Sekhon: Time-uniform, nonparametric, nonasymptotic confidence
//     sequences, Annals of Statistics 49, 2021, section 3).
//   - DifferenceInterval is for paired differences in [-1, 1]. It uses exp(l*(S - n*m) -
//     psi(l)*V) with S the sum and V the sum of squares of the differences, and psi(l) =
//     -log(1-l) - l (Fan, Grama, Liu: Exponential inequalities for martingales with
//     applications, 2015; theorem 4 of Howard et al. with the prediction 0). It is mixed
//     over l. Pairs with equal results cost nothing, so the width depends on the
//     discordant pairs.
//
// Both need only sums, not the order of the observations, so a database can add them up.
// The package does no I/O and has no state.
package statistics

// Alpha is the usual error probability of an interval: 5 %.
const Alpha = 0.05
