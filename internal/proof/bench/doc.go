// Package bench measures what Onlyonce costs, as ratios to a baseline of the same run.
//
// A run ([Run], or `make bench`) builds the real server, starts a durable PostgreSQL, loads both with wrk and pgbench, and
// prints a table. The rules of measuring:
//
//   - Figure and baseline take turns, several rounds of each, and the ratio is taken round by round: a machine whose speed
//     drifts slows both down.
//   - The median counts; the least and the most are next to it.
//   - The load generator runs on the same processors as a separate process.
//   - The creates that the load generator counts are compared with those in the database.
//   - A request that must not cost more in a large tenant is sent to a large and a small one in alternation, by one caller.
package bench
