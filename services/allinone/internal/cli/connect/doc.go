// Package connect holds the commands connect and disconnect, which set a client program up
// against this gateway and restore its settings.
//
// What a client needs is described in package clients. The order of the steps makes every
// crash harmless:
//
//	connect                              disconnect
//	1. record the name of the new key    1. record that it started
//	2. create the key                    2. restore or edit each file
//	3. record the key and all originals  3. remove folders that connect created
//	4. replace each file                 4. revoke the key that connect created
//	                                     5. remove the record
//
// The record is one file per client in the user's configuration folder. It is replaced in one
// step, like the settings files. Each step of both commands can be repeated: a file that has
// its old or new content already is left alone, and a key that was created but not recorded
// is found by its name. A lock on the home folder keeps two runs apart.
package connect
