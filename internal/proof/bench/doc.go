// Package bench measures how fast Onlyonce is, as ratios to PostgreSQL's own floor for the same rows.
//
// A run ([Run], or `make bench`) builds the real server, starts a durable PostgreSQL of its own, loads
// both with wrk and pgbench, and prints one table: every figure has its baseline beside it, measured in
// the same run. The rules of measuring:
//
//   - Figure and baseline take turns, several rounds of each, and the ratio is taken turn by turn: a
//     machine whose speed drifts, because others work on it too, slows both down.
//   - The median is quoted, the least and the most are shown beside it.
//   - The load generator runs in a process of its own on the same processors. What it costs is visible:
//     one row measures it against a handler that does nothing.
//   - What the load tool counts is compared with what the database holds.
//   - What must not cost more in a large tenant is asked of a large and a small one by one caller, one
//     request here, one there ([bench.requests]). Every table is grown, and every route is asked.
package bench
