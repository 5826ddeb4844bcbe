// Package training learns the weights of package predict from outcomes of public
// benchmarks, and measures them: by cross-validation, by leaving out a whole collection, and
// on any folder with outcomes. The router does not use it.
package training
