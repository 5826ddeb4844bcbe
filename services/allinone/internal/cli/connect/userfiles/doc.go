// Package userfiles reads and replaces settings files in a user's home folder.
//
// A file is replaced in one step: the new content is written to a file beside it, flushed to
// disk and renamed. A process that is killed leaves the old content or the new one.
//
// No symbolic link is followed below Path.Base, because a link could lead the key into a file
// that others can read. Each folder is opened from the one above it (os.Root), and the opened
// folder or file must be the one that was checked. So a link that appears between the check
// and the use is refused too, and the rename replaces a link instead of following it.
//
// Files.Checkpoint is called between the steps. Tests kill the process there.
package userfiles
