#!/bin/sh
# N veth pairs, a0-b0, a1-b1, and so on.
#   sh veth-pairs.sh N [add|set|del] | netbatch run -
# add: make them. set: three settings for each a, a line each. del: delete them, by the name of one end.
set -eu
case ${2:-add} in
add) form='link add name a%d type veth peer name b%d\n' ;;
set) form='link set dev a%d mtu 1400\nlink set dev a%d alias "pair %d"\nlink set dev a%d up\n' ;;
del) form='link del dev a%d\n' ;;
*) echo "veth-pairs.sh: the second argument is add, set or del, not '$2'" >&2; exit 2 ;;
esac
awk -v n="${1:-1000}" -v form="$form" 'BEGIN {
  for (i = 0; i < n; ++i) { line = form; gsub(/%d/, i, line); printf "%s", line }
}'
