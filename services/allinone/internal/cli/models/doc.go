// Package models holds the command that lists the built-in catalog and shows a model in
// detail. It calls no service, so it does not show values that a policy overrides.
package models
