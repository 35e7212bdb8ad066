// Package bench measures the cost of Onlyonce, as ratios to a baseline of the same run.
//
// A run ([Run], or `make bench`) builds the server, starts a durable PostgreSQL, loads both with wrk and pgbench, and prints a table.
// The rules of measuring:
//
//   - Figure and baseline take turns, several rounds of each, and the ratio is taken round by round, so that a machine whose
//     speed drifts slows both down.
//   - The median counts; the minimum and the maximum are next to it.
//   - The load generator runs on the same processors as a separate process.
//   - The creates that the load generator counts are compared with those in the database.
//   - A request that must not cost more in a large tenant is sent to a large and a small one in alternation, by one client.
package bench
