# guard.sh DIR PROGRAM ARG...
#
# Runs the PostgreSQL server until the other end of standard input is closed. The server then gets a fast shutdown. If that takes longer
# than 20 seconds, because its processes or the disk hang, it gets an immediate one: it ends its processes without a checkpoint, and
# recovers from its log at the next start. DIR, which holds the server's socket, is removed after the end of the server.

# A signal to the whole group is for the server, which handles it itself.
trap '' HUP INT TERM

dir=$1
shift

# A background job without job control reads /dev/null, so the pipe moves to descriptor 4.
exec 4<&0 </dev/null

"$@" 4<&- &
server=$!

# The watcher. It must not hold the lock (descriptor 3), which is the server's.
{
  while read -r _; do :; done
  kill -INT "$server"
  n=0
  while [ $n -lt 20 ] && kill -0 "$server"; do
    n=$((n + 1))
    sleep 1
  done
  kill -QUIT "$server"
  kill -CONT "$server" # a frozen process takes no other signal
} <&4 3<&- >/dev/null 2>&1 &
watcher=$!
exec 4<&-

wait "$server"
status=$?
kill -KILL "$watcher" 2>/dev/null
rm -rf -- "$dir"
exit "$status"
