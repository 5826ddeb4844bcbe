// Package access defines the customers and people of an installation and what they may do:
// accounts, users with their roles, and sessions. Authorize decides whether an actor may call an
// operation. RecordEvent adds the operation to the audit log of the account. The packages account,
// apitoken and keyring implement the operations with it. The package knows no transport and no
// database: the store implements the reader and writer interfaces.
package access
