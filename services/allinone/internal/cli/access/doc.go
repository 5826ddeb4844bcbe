// Package access holds the commands for accounts, users, keys and budgets: accounts, invites,
// sign-ins, keys, tokens, limits, budgets, webhook and bootstrap.
//
// The commands call keyauth; "limits" also asks the dashboard for the spend. The view types
// print accounts and keys in the JSON format of the dashboard's API. A change that cannot be
// undone asks first, and a secret is shown only once.
package access
