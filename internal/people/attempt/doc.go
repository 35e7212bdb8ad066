// Package attempt keeps recent attempts, so that users can find the outcome of a click or a request, including ignored repeats and
// refusals, which leave no intent.
//
// It is lossy by design. An attempt is buffered in memory when it ends, and written a moment later together with others. Attempts are
// missing if the queue is full, if the first try to write them fails, and if the process is killed. So nothing may depend on them, and no
// request waits for them.
package attempt
