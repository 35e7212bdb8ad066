// Package attempt keeps what was tried lately, for people who look for what became of a click or a request: the repeats that
// were ignored and what was refused too, which leave no intent.
//
// It is lossy by design. An attempt is noted in memory when it ends, and written a moment later together with others. What the
// queue has no room for, what cannot be written at the first try, and what a process still has in memory when it is killed is
// missing. So nothing may be decided by it, and nobody waits for it.
package attempt
